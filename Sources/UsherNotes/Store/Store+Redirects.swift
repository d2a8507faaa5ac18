public import UsherScene
public import UsherStore

extension Store {
    /// What came of a change of redirects.
    public struct RedirectChange: Sendable {
        /// The one that was made, was there already, or was taken back.
        public var redirect: Redirect
        /// False where it was there before: nothing was changed.
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

    /// The redirects that were made last, and how many there are in all.
    public func redirects(limit: Int) throws(StoreError) -> (redirects: [Redirect], total: Int) {
        try read { (state) throws(StoreError) in
            let total = Int(try state.integer("SELECT count(*) FROM redirect") ?? 0)
            let redirects = try state.rows(
                "SELECT \(Redirect.columns) FROM redirect ORDER BY number DESC LIMIT ?", [.integer(Int64(limit))]
            ) { Redirect($0) }
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
            try state.keep(changed: made, .contentMoved, of: source)
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
            try keep(changed: made, .contentDeleted, of: id)
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
            try state.keep(changed: found, .contentRestore, of: id)
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

    /// Caches of resolved identifiers are no longer right.
    mutating func noteRedirects() throws(StoreError) {
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

extension Store {
    /// A move of content, or the tombstone of deleted content.
    public struct Redirect: Sendable, Hashable {
        public enum Kind: String, Sendable {
            case move
            /// Of everything that begins with the source.
            case prefixMove = "prefix-move"
            case deleted
        }

        /// Never given twice.
        public var number: Int64
        public var kind: Kind
        public var source: TargetContentIdentifier
        /// nil for a tombstone.
        public var destination: TargetContentIdentifier?
        /// In microseconds since 1970.
        public var made: Int64
        public var reason: String?
        /// The day when it was made, in UTC: `2026-03-14`.
        private var day: String

        static let columns = "number, source, destination, is_prefix, made, reason, date(made / 1000000, 'unixepoch')"

        init(_ row: borrowing Statement) {
            number = row.integer(0)
            source = TargetContentIdentifier(row.text(1))
            destination = row.optionalText(2).map { TargetContentIdentifier($0) }
            kind = destination == nil ? .deleted : row.integer(3) == 0 ? .move : .prefixMove
            made = row.integer(4)
            reason = row.optionalText(5)
            // NULL for a time that no calendar has.
            day = row.optionalText(6) ?? "?"
        }
    }
}

extension Store.Redirect {
    var isPrefix: Bool { kind == .prefixMove }

    /// For people: `prefix move 3, 2026-03-14: the site was renamed`.
    public var note: String {
        switch kind {
        case .move: "move \(number), \(day)" + because
        case .prefixMove: "prefix move \(number), \(day)" + because
        case .deleted: "\(source) was deleted on \(day)" + because
        }
    }

    private var because: String { reason.map { ": \($0)" } ?? "" }

    /// Where an identifier goes that begins with the source of a prefix move, or is the source of a move.
    ///
    /// nil for a tombstone, where the result would be too long for an identifier, and where the identifier has been moved
    /// already: https://a/ to https://a/new/ leaves https://a/new/page alone.
    func destination(of id: TargetContentIdentifier) -> TargetContentIdentifier? {
        guard let destination else { return nil }
        guard isPrefix else { return destination }
        if feedsItself, id.begins(with: destination) { return nil }
        return id.replacing(source, by: destination)
    }

    /// Whether what was moved begins with the source again.
    var feedsItself: Bool { destination.map { $0.begins(with: source) } ?? false }
}

extension TargetContentIdentifier {
    /// By bytes.
    func begins(with prefix: TargetContentIdentifier) -> Bool { text.utf8.starts(with: prefix.text.utf8) }

    /// The identifier with another beginning; nil where it would be longer than identifiers are.
    func replacing(
        _ prefix: TargetContentIdentifier, by other: TargetContentIdentifier
    ) -> TargetContentIdentifier? {
        let rest = text.utf8.dropFirst(prefix.text.utf8.count)
        guard other.text.utf8.count + rest.count <= TargetContentIdentifier.maximumLength else { return nil }
        return TargetContentIdentifier(other.text + String(decoding: rest, as: UTF8.self))
    }
}

/// Follows the redirects that a change concerns, for all identifiers at once: the change must neither close a loop
/// nor make a chain longer than is followed.
///
/// A place of a walk stands for one identifier, or for all that begin with a text. Where some of the latter go another
/// way, the walk goes on for them by themselves. Whatever comes about by a change leads through the source that was changed:
/// so the walk forward from there finds every loop. Ways that lead there are looked for as far as the whole could be too
/// long. What the walk gives up on, beyond `budget`, is still bounded when it is followed.
struct RedirectCheck {
    /// Where a walk is.
    private struct Position: Hashable {
        var text: TargetContentIdentifier
        /// Whether it stands for everything that begins with the text.
        var isPrefix: Bool
    }

    /// A walk so far: all its texts have the same rest behind them.
    private struct Path {
        var texts: [TargetContentIdentifier]
        var isPrefix: Bool
        /// The redirect behind each text but the last.
        var rules: [Int64] = []
        /// The prefix moves that it was narrowed to: each once.
        var narrowed: [Int64] = []
        /// Whether the ways that differ here have been added already.
        var isBranched = false

        var current: TargetContentIdentifier { texts[texts.count - 1] }

        /// The same for those that have `longer` here.
        func narrowed(to longer: TargetContentIdentifier, isPrefix: Bool) -> Path {
            let more = String(decoding: longer.text.utf8.dropFirst(current.text.utf8.count), as: UTF8.self)
            var path = self
            path.texts = texts.map { TargetContentIdentifier($0.text + more) }
            path.isPrefix = isPrefix
            path.isBranched = true
            return path
        }
    }

    private var budget = 100_000
    /// With how many hops a place was reached: what follows from there is known then.
    private var reached: [Position: Int] = [:]

    /// Throws what is wrong with the chains through a source that was changed.
    static func run(
        _ source: TargetContentIdentifier, isPrefix: Bool, in state: inout StoreState
    ) throws(StoreError) -> Diagnostic? {
        var check = RedirectCheck()
        let start = Position(text: source, isPrefix: isPrefix)
        var longest = 0
        if let refusal = try check.walk(from: start, &longest, &state) { return refusal }
        return try check.walkBack(from: start, forward: longest, &state)
    }

    // MARK: Forward

    private mutating func walk(
        from start: Position, _ longest: inout Int, _ state: inout StoreState
    ) throws(StoreError) -> Diagnostic? {
        var paths = [Path(texts: [start.text], isPrefix: start.isPrefix)]
        while var path = paths.popLast() {
            budget -= 1
            guard budget > 0 else { return nil }
            if path.isBranched, try !isReal(path, &state) { continue }
            let hops = path.texts.count - 1
            longest = max(longest, hops)
            let place = Position(text: path.current, isPrefix: path.isPrefix)
            if let before = reached[place], before >= hops { continue }
            // Of a place that a walk was narrowed to, the ways that differ there are walked by themselves.
            if !path.isBranched { reached[place] = hops }
            if path.isPrefix, !path.isBranched { try branch(path, into: &paths, &state) }
            guard let row = try rule(for: &path, into: &paths, &state),
                let next = row.isPrefix
                    ? path.current.replacing(row.source, by: row.destination ?? row.source)
                    : row.destination
            else { continue }
            let isPrefix = path.isPrefix
            if let place = path.texts.firstIndex(of: next) {
                return .loop(path.texts[place...] + [next], closedBy: row)
            }
            path.texts.append(next)
            path.rules.append(row.number)
            path.isBranched = false
            if path.texts.count > Redirection.maximumHops + 1 {
                // One that grows each time comes back, too, only longer.
                if isPrefix, let place = path.texts.dropLast().firstIndex(where: { next.begins(with: $0) }) {
                    let end = path.texts[(place + 1)...].firstIndex { $0.begins(with: path.texts[place]) }
                    return .loop(Array(path.texts[place...(end ?? path.texts.count - 1)]), closedBy: row)
                }
                return .tooLong(path.texts)
            }
            paths.append(path)
        }
        return nil
    }

    /// Whether what a walk was narrowed to would have come the same way.
    private func isReal(_ path: Path, _ state: inout StoreState) throws(StoreError) -> Bool {
        for (text, rule) in zip(path.texts, path.rules) {
            let row = path.isPrefix ? try state.prefixMove(from: text) : try state.redirect(from: text)
            if row?.number != rule { return false }
        }
        return true
    }

    /// The redirect for what has no way of its own.
    private mutating func rule(
        for path: inout Path, into paths: inout [Path], _ state: inout StoreState
    ) throws(StoreError) -> Store.Redirect? {
        guard path.isPrefix else { return try state.redirect(from: path.current) }
        guard let row = try state.prefixMove(from: path.current) else { return nil }
        if row.feedsItself, let destination = row.destination, destination != path.current,
            destination.begins(with: path.current)
        {
            // Those that begin with the destination have been moved already, and go another way.
            paths.append(path.narrowed(to: destination, isPrefix: true))
        }
        return row
    }

    /// Adds the ways of those that have one of their own.
    private mutating func branch(
        _ path: Path, into paths: inout [Path], _ state: inout StoreState
    ) throws(StoreError) {
        for isPrefix in [false, true] {
            let row = try state.prepare(
                "SELECT number, source FROM redirect WHERE is_prefix = ? AND source > ? ORDER BY source",
                [.integer(isPrefix ? 1 : 0), .text(path.current.text)])
            while paths.count < budget, try row.step() {
                let number = row.integer(0)
                let source = TargetContentIdentifier(row.text(1))
                guard source.begins(with: path.current) else { break }
                // A move that shortens identifiers leads to itself from any depth: once is enough.
                guard !path.narrowed.contains(number) else { continue }
                var own = path.narrowed(to: source, isPrefix: isPrefix)
                own.narrowed.append(number)
                paths.append(own)
            }
        }
        // An identifier that is the text itself, and has a redirect of its own.
        if try state.redirect(ofSource: path.current, isPrefix: false) != nil {
            var own = path
            own.isPrefix = false
            own.isBranched = true
            paths.append(own)
        }
    }

    // MARK: Backward

    /// Looks for longer chains that lead into this one.
    private mutating func walkBack(
        from start: Position, forward: Int, _ state: inout StoreState
    ) throws(StoreError) -> Diagnostic? {
        struct Step {
            var place: Position
            var prefixMoves: [Int64]
        }
        var seen: Set<Position> = [start]
        var steps = [Step(place: start, prefixMoves: [])]
        var hops = 0
        while !steps.isEmpty, hops <= Redirection.maximumHops {
            var before: [Step] = []
            for step in steps {
                for (place, row) in try places(leadingTo: step.place, &state) {
                    budget -= 1
                    guard budget > 0 else { return nil }
                    guard !step.prefixMoves.contains(row.number), seen.insert(place).inserted else { continue }
                    before.append(
                        Step(place: place, prefixMoves: step.prefixMoves + (row.isPrefix ? [row.number] : [])))
                }
            }
            hops += 1
            if hops + forward > Redirection.maximumHops {
                for step in before {
                    var longest = 0
                    if let refusal = try walk(from: step.place, &longest, &state) { return refusal }
                }
            }
            steps = before
        }
        return nil
    }

    private func places(
        leadingTo place: Position, _ state: inout StoreState
    ) throws(StoreError) -> [(Position, Store.Redirect)] {
        guard place.isPrefix else {
            return try state.identifiers(leadingTo: place.text, limit: budget).map {
                (Position(text: $0.id, isPrefix: false), $0.row)
            }
        }
        var found: [(Position, Store.Redirect)] = []
        for destination in try state.prefixDestinations(of: place.text) {
            for row in try state.redirects(to: destination, isPrefix: true, limit: budget) {
                guard let source = place.text.replacing(destination, by: row.source),
                    try state.prefixMove(from: source)?.number == row.number
                else { continue }
                found.append((Position(text: source, isPrefix: true), row))
            }
        }
        for isPrefix in [false, true] {
            // Those that are the text itself are among the prefixes above.
            let row = try state.prepare(
                """
                SELECT \(Store.Redirect.columns) FROM redirect
                WHERE is_prefix = ? AND destination \(isPrefix ? ">" : ">=") ? ORDER BY destination
                """, [.integer(isPrefix ? 1 : 0), .text(place.text.text)])
            while found.count < budget, try row.step() {
                let redirect = Store.Redirect(row)
                guard redirect.destination?.begins(with: place.text) == true else { break }
                found.append((Position(text: redirect.source, isPrefix: isPrefix), redirect))
            }
        }
        return found
    }
}
