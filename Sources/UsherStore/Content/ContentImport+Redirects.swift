internal import UsherScene

extension ContentImport {
    mutating func take(_ redirect: ContentRow.Redirect, _ state: inout StoreState) throws(StoreError) {
        guard let there = try state.redirect(redirect.source, isPrefix: redirect.isPrefix) else {
            // People know it by its number.
            let isFree = try state.integer("SELECT 1 FROM redirect WHERE number = ?", .integer(redirect.number)) == nil
            try state.run(
                "INSERT INTO redirect (number, source, destination, is_prefix, made, reason) VALUES (?, ?, ?, ?, ?, ?)",
                isFree ? .integer(redirect.number) : .null, .text(redirect.source), SQLiteValue(redirect.destination),
                .integer(redirect.isPrefix ? 1 : 0), .integer(redirect.made), SQLiteValue(redirect.reason))
            imported.redirects.added += 1
            return
        }
        guard let difference = redirect.difference(from: there) else {
            imported.redirects.same += 1
            return
        }
        switch choice {
        case .refuse: throw conflict("the redirect of \(redirect.source)", difference)
        case .keep: imported.redirects.kept += 1
        case .replace:
            try state.run(
                "UPDATE redirect SET destination = ?, made = ?, reason = ? WHERE number = ?",
                SQLiteValue(redirect.destination), .integer(redirect.made), SQLiteValue(redirect.reason),
                .integer(there.number))
            imported.redirects.replaced += 1
        }
    }

    /// Refuses what could not have been made one by one: chains that come back, or are too long.
    func checkRedirects(_ state: inout StoreState) throws(StoreError) {
        guard let endless = try state.firstEndlessRedirect() else { return }
        throw StoreError(
            .importLoop, "with these redirects, \(endless.chain)", path: file,
            help: "Nothing was imported. `usher link restore` takes one of them back.")
    }
}

extension StoreState {
    mutating func redirect(_ source: String, isPrefix: Bool) throws(StoreError) -> ContentRow.Redirect? {
        let statement = try prepare(
            """
            SELECT number, source, destination, is_prefix, made, reason FROM redirect WHERE is_prefix = ? AND source = ?
            """, [.integer(isPrefix ? 1 : 0), .text(source)])
        return try statement.step() ? ContentRow.Redirect(reading: statement) : nil
    }

    /// A redirect from which one gets nowhere in 32 hops.
    struct EndlessRedirect: Sendable, Hashable {
        var number: Int64
        /// `A → B → A is a loop`, shortened where it is long.
        var chain: String
    }

    mutating func firstEndlessRedirect() throws(StoreError) -> EndlessRedirect? {
        var endless: [EndlessRedirect] = []
        try findEndlessRedirects(limit: 1) { endless.append($0) }
        return endless.first
    }

    mutating func findEndlessRedirects(limit: Int, _ report: (EndlessRedirect) -> Void) throws(StoreError) {
        var found = 0
        var last: Int64 = 0
        while found < limit {
            let statement = try prepare(
                "SELECT number, source FROM redirect WHERE number > ? ORDER BY number LIMIT 1", [.integer(last)])
            guard try statement.step() else { return }
            last = statement.integer(0)
            let source = statement.text(1)
            _ = consume statement
            guard let chain = try endlessChain(from: source) else { continue }
            found += 1
            report(EndlessRedirect(number: last, chain: chain))
        }
    }

    private mutating func endlessChain(from source: String) throws(StoreError) -> String? {
        var chain = [source]
        while let next = try destination(of: chain[chain.count - 1]) {
            let place = chain.firstIndex { $0.utf8.elementsEqual(next.utf8) }
            chain.append(next)
            if let place {
                return "\(ContentRow.Redirect.text(Array(chain[place...]))) is a loop"
            }
            if chain.count > Redirection.maximumHops + 1 {
                return "\(ContentRow.Redirect.text(chain)) has more than \(Redirection.maximumHops) hops"
            }
        }
        return nil
    }

    /// Where one hop leads from an identifier; nil where it stays, or was deleted.
    private mutating func destination(of id: String) throws(StoreError) -> String? {
        if let exact = try redirect(id, isPrefix: false) { return exact.destination }
        // The longest prefix is the greatest of those that are no greater than the id, and are prefixes.
        let bytes = Array(id.utf8)
        var bound = id
        while true {
            let statement = try prepare(
                """
                SELECT source, destination FROM redirect WHERE is_prefix = 1 AND source <= ? ORDER BY source DESC LIMIT 1
                """, [.text(bound)])
            guard try statement.step(), let destination = statement.optionalText(1) else { return nil }
            let source = Array(statement.text(0).utf8)
            _ = consume statement
            let shared = zip(source, bytes).prefix { $0 == $1 }.count
            var nextBound = shared
            if shared == source.count {
                let to = Array(destination.utf8)
                // A move into its own folder does not feed itself.
                if !(to.starts(with: source) && bytes.starts(with: to)) {
                    return String(decoding: to + bytes[source.count...], as: UTF8.self)
                }
                nextBound = source.count - 1
            }
            guard nextBound > 0 else { return nil }
            // Cut within a character, it would be repaired into something greater.
            while nextBound > 0, nextBound < bytes.count, bytes[nextBound] & 0xC0 == 0x80 { nextBound -= 1 }
            bound = String(decoding: bytes[..<nextBound], as: UTF8.self)
        }
    }
}

extension ContentRow.Redirect {
    /// Identifiers with arrows between them, the middle left out where there are many.
    static func text(_ chain: [String]) -> String {
        let shown = chain.map { $0.utf8.count <= 200 ? $0 : String($0.unicodeScalars.prefix(160)) + "…" }
        guard shown.count > 8 else { return shown.joined(separator: " → ") }
        return (shown.prefix(4) + ["…"] + shown.suffix(3)).joined(separator: " → ")
    }
}
