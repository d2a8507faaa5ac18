public import UsherScene

extension Store {
    /// What came of a change of redirects.
    public struct RedirectChange: Sendable {
        /// The one that was made, was there already, or was taken back.
        public var redirect: Redirect
        /// False where the store said so already: nothing was changed.
        public var isNew: Bool
        /// Where the identifier that was asked about leads now; for a deletion, where it led before.
        public var redirection: Redirection
    }

    /// The content of an identifier has another one now.
    ///
    /// The same move again changes nothing. Refused is what would close a loop, or make a chain of more hops than are
    /// followed, for whichever identifier; a move of what has moved or was deleted, and one onto deleted content.
    ///
    /// - Parameter isPrefix: everything that begins with `source` begins with `destination` now.
    public func move(
        _ source: TargetContentIdentifier, to destination: TargetContentIdentifier, isPrefix: Bool = false,
        reason: String? = nil
    ) throws(StoreError) -> Result<RedirectChange, Diagnostic> {
        if let refusal = Diagnostic(of: source, called: "the old identifier")
            ?? Diagnostic(of: destination, called: "the new identifier")
        {
            return .failure(refusal)
        }
        if source == destination { return .failure(.ontoItself(source)) }
        return try write { (state) throws(StoreError) in
            try state.move(source, to: destination, isPrefix: isPrefix, reason: reason)
        }
    }

    /// Marks the content of an identifier as deleted. A later look-up returns when and why.
    ///
    /// The tombstone is put on the newest identifier that it leads to. The same again changes nothing.
    public func delete(
        content id: TargetContentIdentifier, reason: String? = nil
    ) throws(StoreError) -> Result<RedirectChange, Diagnostic> {
        if let refusal = Diagnostic(of: id, called: "the identifier") { return .failure(refusal) }
        return try write { (state) throws(StoreError) in try state.delete(content: id, reason: reason) }
    }

    /// Takes back that the content of an identifier was deleted, else that it moved.
    ///
    /// The tombstone may be on an identifier that this one leads to, as a deletion puts it there.
    ///
    /// - Parameter isPrefix: takes back the prefix move with this very source.
    public func restore(
        content id: TargetContentIdentifier, isPrefix: Bool = false
    ) throws(StoreError) -> Result<RedirectChange, Diagnostic> {
        if let refusal = Diagnostic(of: id, called: "the identifier") { return .failure(refusal) }
        return try write { (state) throws(StoreError) in try state.restore(content: id, isPrefix: isPrefix) }
    }

    /// Where an identifier leads, and what else leads there.
    public func redirection(of id: TargetContentIdentifier) throws(StoreError) -> Redirection {
        try read { (state) throws(StoreError) in try state.redirection(of: id) }
    }

    /// The redirects that were made last, and how many there are in all.
    public func redirects(limit: Int) throws(StoreError) -> (redirects: [Redirect], total: Int) {
        try read { (state) throws(StoreError) in
            let total = Int(try state.integer("SELECT count(*) FROM redirect") ?? 0)
            let row = try state.prepare(
                "SELECT \(Redirect.columns) FROM redirect ORDER BY number DESC LIMIT ?", [.integer(Int64(limit))])
            var redirects: [Redirect] = []
            while try row.step() { redirects.append(Redirect(row)) }
            return (redirects, total)
        }
    }

    /// The redirects that an identifier is led through, and those that lead to it or to where it leads; the last made first.
    public func redirects(
        of id: TargetContentIdentifier
    ) throws(StoreError) -> (redirects: [Redirect], redirection: Redirection) {
        try read { (state) throws(StoreError) in
            var rows = try state.redirects(from: id).rows
            let redirection = try state.redirection(of: id)
            for older in redirection.olderIdentifiers {
                if let row = try state.redirect(from: older) { rows.append(row) }
            }
            if let prefix = try state.redirect(ofSource: id, isPrefix: true) { rows.append(prefix) }
            var seen: Set<Int64> = []
            rows.removeAll { !seen.insert($0.number).inserted }
            return (rows.sorted { $0.number > $1.number }, redirection)
        }
    }
}

extension StoreState {
    fileprivate typealias Outcome = Result<Store.RedirectChange, Diagnostic>

    fileprivate mutating func move(
        _ source: TargetContentIdentifier, to destination: TargetContentIdentifier, isPrefix: Bool, reason: String?
    ) throws(StoreError) -> Outcome {
        if let known = try redirect(ofSource: source, isPrefix: isPrefix) {
            if known.kind == .deleted { return .failure(.deleted(known)) }
            guard known.destination == destination else { return .failure(.taken(known)) }
            return .success(.init(redirect: known, isNew: false, redirection: try redirection(of: source)))
        }
        let ahead = try redirects(from: destination)
        if case .deleted = ahead.redirection.end, let tombstone = ahead.rows.last {
            return .failure(.deleted(tombstone))
        }
        return try attempt { (state) throws(StoreError) in
            let made = try state.insert(source, destination, isPrefix: isPrefix, reason: reason)
            if let refusal = try RedirectCheck.run(source, isPrefix: isPrefix, in: &state) { return .failure(refusal) }
            return .success(.init(redirect: made, isNew: true, redirection: try state.redirection(of: source)))
        }
    }

    fileprivate mutating func delete(
        content id: TargetContentIdentifier, reason: String?
    ) throws(StoreError) -> Outcome {
        let (redirection, rows) = try redirects(from: id)
        switch redirection.end {
        case .loop: return .failure(.loop([id] + redirection.hops.map(\.to), closedBy: rows.last))
        case .deleted:
            guard let tombstone = rows.last else { throw .unreadable("a tombstone is missing", path: path) }
            return .success(.init(redirect: tombstone, isNew: false, redirection: redirection))
        case .content:
            let made = try insert(redirection.newest(of: id), nil, isPrefix: false, reason: reason)
            return .success(.init(redirect: made, isNew: true, redirection: redirection))
        }
    }

    fileprivate mutating func restore(
        content id: TargetContentIdentifier, isPrefix: Bool
    ) throws(StoreError) -> Outcome {
        let chain = try redirects(from: id)
        var found = try redirect(ofSource: id, isPrefix: isPrefix)
        if !isPrefix, case .deleted = chain.redirection.end { found = chain.rows.last }
        guard let found else { return .failure(.nothingToRestore(id, isPrefix: isPrefix, led: chain.rows)) }
        return try attempt { (state) throws(StoreError) in
            try state.run("DELETE FROM redirect WHERE number = ?", .integer(found.number))
            try state.noteRedirects()
            // What was hidden behind it applies again.
            if let refusal = try RedirectCheck.run(found.source, isPrefix: isPrefix, in: &state) {
                return .failure(refusal)
            }
            return .success(.init(redirect: found, isNew: true, redirection: try state.redirection(of: id)))
        }
    }

    private mutating func insert(
        _ source: TargetContentIdentifier, _ destination: TargetContentIdentifier?, isPrefix: Bool, reason: String?
    ) throws(StoreError) -> Store.Redirect {
        try run(
            "INSERT INTO redirect (source, destination, is_prefix, made, reason) VALUES (?, ?, ?, ?, ?)",
            .text(source.text), SQLiteValue(destination?.text), .integer(isPrefix ? 1 : 0), .integer(options.now()),
            SQLiteValue(reason))
        try noteRedirects()
        guard let made = try redirect(ofSource: source, isPrefix: isPrefix) else {
            throw .unreadable("a redirect is missing", path: path)
        }
        return made
    }

    private mutating func noteRedirects() throws(StoreError) {
        try run("UPDATE store SET redirects = redirects + 1")
    }

    /// Does something that is taken back where it is refused.
    private mutating func attempt(
        _ body: (inout StoreState) throws(StoreError) -> Outcome
    ) throws(StoreError) -> Outcome {
        try run("SAVEPOINT redirect")
        let outcome = try body(&self)
        if case .failure = outcome { try run("ROLLBACK TO redirect") }
        try run("RELEASE redirect")
        return outcome
    }
}
