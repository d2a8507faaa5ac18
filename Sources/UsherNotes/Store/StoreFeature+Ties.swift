internal import UsherActivities
internal import UsherScene
public import UsherStore
internal import UsherText

extension StoreFeature {
    /// What ties identifiers together: activities and links that have several. Made after their tables.
    public static let ties = {
        var feature = StoreFeature(mark: "tie", tables: tieTables + counting)
        feature.prepare = { $0.countTiesFromNowOn() }
        feature.upgrade.copying = counting
        feature.adopt = { (connection, _) throws(StoreError) in
            try connection.execute("DELETE FROM tie; \(counting)")
        }
        return feature
    }()

    private static let tieTables = """
        -- MARK: Ties

        -- Which contents the identifiers of activities and links belong to: their first identifiers.
        CREATE TABLE tie (
            identifier TEXT NOT NULL,
            app TEXT NOT NULL,  -- empty: of a link without an app
            content TEXT NOT NULL,
            activities INTEGER NOT NULL,  -- how many say so
            links INTEGER NOT NULL,
            PRIMARY KEY (identifier, app, content)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX tie_content ON tie (content);

        """

    /// Counts all activities and links, and says so to caches.
    private static let counting = """
        INSERT INTO tie (identifier, app, content, activities, links)
        SELECT identifier, app, content, sum(activities), sum(links) FROM (
            SELECT identifier, app, content, 1 AS activities, 0 AS links
            FROM (\(StoreState.ties(ofActivities: "true")))
            UNION ALL SELECT identifier, app, content, 0, 1 FROM (\(StoreState.ties(ofLinks: "true"))))
        GROUP BY identifier, app, content;
        UPDATE store SET redirects = redirects + 1 WHERE EXISTS (SELECT 1 FROM tie WHERE identifier <> content);
        """
}

extension StoreState {
    /// Counts what links tie together, after their identifiers were written, or before they go.
    mutating func countTies(
        ofLinks condition: String, _ difference: Int64, _ parameters: SQLiteValue...
    ) throws(StoreError) {
        try count(StoreState.ties(ofLinks: condition), as: .links, difference, parameters)
    }

    /// The identifiers of links that have several, with the first of them. What was made from a page in a browser ties nothing.
    fileprivate static func ties(ofLinks condition: String) -> String {
        """
        SELECT DISTINCT link.number, own.identifier AS identifier, coalesce(link.app, '') AS app, (
            SELECT first.identifier FROM link_identifier AS first WHERE first.link = link.number
            ORDER BY first.kind, first.identifier LIMIT 1) AS content
        FROM link CROSS JOIN link_identifier AS own ON own.link = link.number
        WHERE \(condition)
            AND (link.document IS NULL
                OR instr(link.document, CAST('"\(ActivationRequest.browsingActivity)"' AS BLOB)) = 0)
            AND EXISTS (
                SELECT 1 FROM link_identifier AS other
                WHERE other.link = link.number AND other.identifier <> own.identifier)
        """
    }
}

// MARK: - Looking up

extension Store {
    /// The contents of the activities and links that have an identifier, if they do not agree on one: then it leads nowhere.
    func disagreement(
        on id: TargetContentIdentifier, app: String?
    ) throws(StoreError) -> [TargetContentIdentifier] {
        try read { (state) throws(StoreError) in try state.disagreement(on: id, .within(app: app)) }
    }
}

extension StoreState {
    /// How many contents of one identifier are compared by where they lead.
    private static let comparedContents = 8
    /// How many ties of one identifier are looked at, and how many of one content.
    private static let triedTies: Int64 = 256

    /// The hop from an identifier that activities and links have to their content; nil where they do not agree on one, or
    /// it is that identifier.
    ///
    /// Contents agree that have the same bytes, or have moved to the same one.
    ///
    /// - Complexity: an index seek, and a few for each of several contents, however many activities and links there are.
    mutating func tie(
        from id: TargetContentIdentifier, _ ties: Ties
    ) throws(StoreError) -> Redirection.Hop? {
        let found = try contents(of: id, ties)
        guard let agreed = try agreement(of: found), agreed.content != id else { return nil }
        let what = agreed.kind == .activity ? "an activity" : "a link"
        return Redirection.Hop(from: id, to: agreed.content, kind: agreed.kind, note: "\(what) has both")
    }

    /// The contents of the activities and links that have an identifier, if they do not agree on one.
    mutating func disagreement(
        on id: TargetContentIdentifier, _ ties: Ties
    ) throws(StoreError) -> [TargetContentIdentifier] {
        let found = try contents(of: id, ties)
        return try agreement(of: found) == nil ? found.map(\.content) : []
    }

    private typealias TiedContent = (content: TargetContentIdentifier, kind: Redirection.Hop.Kind)

    /// The different contents of the activities and links that have an identifier: one more than are compared, at most.
    private mutating func contents(
        of id: TargetContentIdentifier, _ ties: Ties
    ) throws(StoreError) -> [TiedContent] {
        guard case .within(let app) = ties else { return [] }
        let isGlobal = id.isGlobal
        if !isGlobal, app == nil { return [] }
        var found: [TiedContent] = []
        do {
            let select = "SELECT content, app, activities FROM tie WHERE identifier = ?1"
            let own = app == nil ? select : "\(select) AND app IN (?2, '')"
            // What other apps have beside it may be very many contents that are theirs alone.
            let all = app != nil && isGlobal ? "\(own) UNION ALL \(select) AND app NOT IN (?2, '')" : own
            let row = try prepare(
                "\(all) LIMIT \(StoreState.triedTies)",
                app == nil ? [.text(id.text)] : [.text(id.text), SQLiteValue(app)])
            while try row.step() {
                let content = TargetContentIdentifier(row.text(0))
                if !found.isEmpty, found.contains(where: { $0.content == content }) { continue }
                // One of another app.
                if let app, !content.isGlobal, !["", app].contains(where: row.text(1).hasSameBytes(as:)) { continue }
                found.append((content, row.integer(2) > 0 ? .activity : .link))
                if found.count > StoreState.comparedContents { break }
            }
        }
        return found
    }

    /// The content that is meant; nil where there is none, or they have not moved to the same one.
    private mutating func agreement(of found: [TiedContent]) throws(StoreError) -> TiedContent? {
        guard var agreed = found.first, found.count <= StoreState.comparedContents else { return nil }
        if found.count > 1 {
            let newest = try redirects(from: agreed.content).redirection.newest(of: agreed.content)
            for other in found.dropFirst() {
                guard try redirects(from: other.content).redirection.newest(of: other.content) == newest else {
                    return nil
                }
                if other.content == newest { agreed = other }
            }
        }
        return agreed
    }

    /// The identifiers that a tie leads to an identifier.
    mutating func identifiers(
        tiedTo content: TargetContentIdentifier, _ ties: Ties, limit: Int
    ) throws(StoreError) -> [TargetContentIdentifier] {
        guard case .within(let app) = ties else { return [] }
        let candidates = try rows(
            "SELECT identifier FROM tie WHERE content = ? AND identifier <> content LIMIT ?",
            [.text(content.text), .integer(StoreState.triedTies)]
        ) { TargetContentIdentifier($0.text(0)) }
        var found: [TargetContentIdentifier] = []
        for id in candidates where !found.contains(id) {
            guard found.count < limit else { break }
            if !id.isGlobal, app == nil { continue }
            guard try redirect(ofSource: id, isPrefix: false) == nil, try tie(from: id, ties)?.to == content else {
                continue
            }
            found.append(id)
        }
        return found
    }
}
