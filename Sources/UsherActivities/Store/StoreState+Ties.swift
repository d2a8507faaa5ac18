internal import UsherScene
package import UsherStore
internal import UsherText

// The table `tie` counts which contents activities and links give their identifiers to: see StoreFeature+Ties.swift. A program
// without that feature has no such table, and counts nothing.

private enum CountsTies: StoreValue {
    static var initial: Bool { false }
}

package enum TieCount: String {
    case activities, links
}

extension StoreState {
    package mutating func countTiesFromNowOn() { values[CountsTies.self] = true }

    /// Counts pairs of an identifier and its content once more, or once less.
    ///
    /// - Parameter pairs: a query for `identifier`, `app`, `content`; a pair of several rows counts as often.
    package mutating func count(
        _ pairs: String, as column: TieCount, _ difference: Int64, _ parameters: [SQLiteValue]
    ) throws(StoreError) {
        guard values[CountsTies.self] else { return }
        let (column, other) = (column.rawValue, column == .links ? "activities" : "links")
        let changed = try rows(
            """
            INSERT INTO tie (identifier, app, content, \(column), \(other))
            SELECT identifier, app, content, \(difference), 0 FROM (\(pairs)) WHERE true
            ON CONFLICT (identifier, app, content) DO UPDATE SET \(column) = \(column) + excluded.\(column)
            RETURNING identifier, app, content, activities + links
            """, parameters
        ) { (identifier: $0.text(0), app: $0.text(1), content: $0.text(2), count: $0.integer(3)) }
        var isNoticed = false
        // Those that are new or gone.
        for tie in changed where difference > 0 ? tie.count == difference : tie.count <= 0 {
            let identifier = SQLiteValue.text(tie.identifier)
            if difference < 0 {
                try run(
                    "DELETE FROM tie WHERE identifier = ? AND app = ? AND content = ?", identifier, .text(tie.app),
                    .text(tie.content))
            }
            guard !isNoticed else { continue }
            isNoticed = !tie.identifier.hasSameBytes(as: tie.content)
            if !isNoticed {
                let other = "SELECT 1 FROM tie WHERE identifier = ? AND content <> identifier LIMIT 1"
                isNoticed = try integer(other, identifier) != nil
            }
        }
        // An identifier may lead elsewhere now.
        if isNoticed { try run("UPDATE store SET redirects = redirects + 1") }
    }

    /// The same of activities, after they were written, or before they go. One that shows a page in a browser ties nothing.
    package mutating func countTies(
        ofActivities condition: String, _ difference: Int64, _ parameters: SQLiteValue...
    ) throws(StoreError) {
        try count(StoreState.ties(ofActivities: condition), as: .activities, difference, parameters)
    }

    package static func ties(ofActivities condition: String) -> String {
        let of = "FROM activity WHERE (\(condition)) AND type <> '\(ActivationRequest.browsingActivity)'"
        return """
            SELECT number, app, target AS identifier, target AS content \(of) AND target IS NOT NULL
            UNION SELECT number, app, persistent, coalesce(target, persistent) \(of) AND persistent IS NOT NULL
            UNION SELECT number, app, webpage, coalesce(target, persistent, webpage) \(of) AND webpage IS NOT NULL
            """
    }
}
