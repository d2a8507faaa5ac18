import UsherScene

/// Walks through the redirects that a change concerns, for all identifiers at once: the change must neither close a loop
/// nor make a chain longer than is followed.
///
/// A place of a walk stands for one identifier, or for all that begin with a text. Where some of the latter go another
/// way, the walk goes on for them by themselves. Whatever comes about by a change leads through the source that was changed:
/// so the walk forward from there finds every loop. Ways that lead there are looked for as far as the whole could be too
/// long. What the walk gives up on, beyond `budget`, is still bounded when it is followed.
struct RedirectCheck {
    /// Where a walk is.
    private struct Place: Hashable {
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
    private var reached: [Place: Int] = [:]

    /// Throws what is wrong with the chains through a source that was changed.
    static func run(
        _ source: TargetContentIdentifier, isPrefix: Bool, in state: inout StoreState
    ) throws(StoreError) -> Diagnostic? {
        var check = RedirectCheck()
        let start = Place(text: source, isPrefix: isPrefix)
        var longest = 0
        if let refusal = try check.walk(from: start, &longest, &state) { return refusal }
        return try check.walkBack(from: start, forward: longest, &state)
    }

    // MARK: Forward

    private mutating func walk(
        from start: Place, _ longest: inout Int, _ state: inout StoreState
    ) throws(StoreError) -> Diagnostic? {
        var paths = [Path(texts: [start.text], isPrefix: start.isPrefix)]
        while var path = paths.popLast() {
            budget -= 1
            guard budget > 0 else { return nil }
            if path.isBranched, try !isReal(path, &state) { continue }
            let hops = path.texts.count - 1
            longest = max(longest, hops)
            let place = Place(text: path.current, isPrefix: path.isPrefix)
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
        from start: Place, forward: Int, _ state: inout StoreState
    ) throws(StoreError) -> Diagnostic? {
        struct Step {
            var place: Place
            var prefixMoves: [Int64]
        }
        var seen: Set<Place> = [start]
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
        leadingTo place: Place, _ state: inout StoreState
    ) throws(StoreError) -> [(Place, Store.Redirect)] {
        guard place.isPrefix else {
            return try state.identifiers(leadingTo: place.text, limit: budget).map {
                (Place(text: $0.id, isPrefix: false), $0.row)
            }
        }
        var found: [(Place, Store.Redirect)] = []
        for destination in try state.prefixDestinations(of: place.text) {
            for row in try state.redirects(to: destination, isPrefix: true, limit: budget) {
                guard let source = place.text.replacing(destination, by: row.source),
                    try state.prefixMove(from: source)?.number == row.number
                else { continue }
                found.append((Place(text: source, isPrefix: true), row))
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
                found.append((Place(text: redirect.source, isPrefix: isPrefix), redirect))
            }
        }
        return found
    }
}
