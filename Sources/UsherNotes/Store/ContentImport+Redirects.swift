internal import UsherScene
internal import UsherStore

extension ContentImport {
    /// Numbers go on from the greatest: behind one that is greater than this, there might be none that an export can hold.
    private static let greatestNumber: Int64 = 1 << 52

    mutating func insert(_ redirect: ContentRow.Redirect, _ state: inout StoreState) throws(StoreError) {
        guard let there = try state.exported(redirect.source, isPrefix: redirect.isPrefix) else {
            // Users refer to it by its number.
            let taken = try state.integer("SELECT 1 FROM redirect WHERE number = ?", .integer(redirect.number))
            let isFree = taken == nil && redirect.number <= ContentImport.greatestNumber
            try state.run(
                "INSERT INTO redirect (number, source, destination, is_prefix, made, reason) VALUES (?, ?, ?, ?, ?, ?)",
                isFree ? .integer(redirect.number) : .null, .text(redirect.source), SQLiteValue(redirect.destination),
                .integer(redirect.isPrefix ? 1 : 0), .integer(redirect.made), SQLiteValue(redirect.reason))
            imported.redirects.added += 1
            changedRedirects.append(redirect)
            return
        }
        if try replaces("the redirect of \(redirect.source)", redirect.difference(from: there), \.redirects) {
            try state.run(
                "UPDATE redirect SET destination = ?, made = ?, reason = ? WHERE number = ?",
                SQLiteValue(redirect.destination), .integer(redirect.made), SQLiteValue(redirect.reason),
                .integer(there.number))
            changedRedirects.append(redirect)
        }
    }

    /// Refuses what could not have been made one by one: chains that come back, or are too long.
    func checkRedirects(_ state: inout StoreState) throws(StoreError) {
        for redirect in changedRedirects {
            let source = TargetContentIdentifier(redirect.source)
            guard let refusal = try RedirectCheck.run(source, isPrefix: redirect.isPrefix, in: &state) else { continue }
            throw StoreError(
                .importLoop, "with the redirects of the file, \(refusal.message)", path: file,
                help: "Nothing was imported. " + (refusal.help ?? ""))
        }
    }
}

extension StoreState {
    fileprivate mutating func exported(
        _ source: String, isPrefix: Bool
    ) throws(StoreError) -> ContentRow.Redirect? {
        let statement = try prepare(
            """
            SELECT number, source, destination, is_prefix, made, reason FROM redirect WHERE is_prefix = ? AND source = ?
            """, [.integer(isPrefix ? 1 : 0), .text(source)])
        return try statement.step() ? ContentRow.Redirect(reading: statement) : nil
    }
}
