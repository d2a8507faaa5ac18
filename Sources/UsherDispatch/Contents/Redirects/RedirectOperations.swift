internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherTarget

/// `content moved|deleted|restore|list`, for every interface (socket, HTTP, command line).
struct RedirectOperations {
    private let service: ContentService

    init(_ service: ContentService) { self.service = service }

    /// `{"redirect","is_new","resolved","hops","findings","warnings"}`.
    func move(_ call: RedirectMove) throws(ControlError) -> JSONValue {
        let (from, to) = (TargetContentIdentifier(call.from), TargetContentIdentifier(call.to))
        let isPrefix = call.prefix
        let reason = try reason(call.reason)
        let change = try changed { () throws(StoreError) in
            try service.store.move(from, to: to, isPrefix: isPrefix, reason: reason)
        }
        return .object([
            .init("redirect", RedirectAnswer.redirect(change.redirect)), .init("is_new", .boolean(change.isNew)),
            .init("resolved", .string(change.redirection.newest(of: from).text)),
            .init("hops", RedirectAnswer.hops(change.redirection)),
            // The beginning of identifiers is none.
            .init(
                "findings", RedirectAnswer.findings(isPrefix ? [] : TargetLint.findings(in: to.text), about: to)),
            .init("warnings", .array(isPrefix ? warnings(from, to).map { .string($0) } : [])),
        ])
    }

    /// `{"redirect","is_new","hops","tombstone"}`.
    func delete(_ call: RedirectDelete) throws(ControlError) -> JSONValue {
        let target = TargetContentIdentifier(call.target)
        let reason = try reason(call.reason)
        let change = try changed { () throws(StoreError) in
            try service.store.delete(content: target, reason: reason)
        }
        return .object([
            .init("redirect", RedirectAnswer.redirect(change.redirect)), .init("is_new", .boolean(change.isNew)),
            .init("hops", RedirectAnswer.hops(change.redirection)),
        ])
    }

    /// `{"redirect","resolved","hops","tombstone"}`: the one that was taken back, and where the identifier leads now.
    func restore(_ call: RedirectRestore) throws(ControlError) -> JSONValue {
        let target = TargetContentIdentifier(call.target)
        let isPrefix = call.prefix
        let change = try changed { () throws(StoreError) in
            try service.store.restore(content: target, isPrefix: isPrefix)
        }
        return .object([
            .init("redirect", RedirectAnswer.redirect(change.redirect)),
            .init("resolved", .string(change.redirection.newest(of: target).text)),
            .init("hops", RedirectAnswer.hops(change.redirection)),
            .init("tombstone", RedirectAnswer.tombstone(change.redirection)),
        ])
    }

    /// `{"redirects","total"}`, the last made first; of one identifier `resolved`, `hops`, `tombstone` and `aliases` besides.
    func list(_ call: RedirectList) throws(ControlError) -> JSONValue {
        let limit = call.limit ?? 100
        guard let text = call.target else {
            let (redirects, total) = try service.storing { () throws(StoreError) in
                try service.store.redirects(limit: limit)
            }
            return .object([
                .init("redirects", .array(redirects.map(RedirectAnswer.redirect))),
                .init("total", .number(String(total))),
            ])
        }
        let target = TargetContentIdentifier(text)
        let (redirects, redirection) = try service.storing { () throws(StoreError) in
            try service.store.redirects(of: target)
        }
        return .object([
            .init("redirects", .array(redirects.prefix(limit).map(RedirectAnswer.redirect))),
            .init("total", .number(String(redirects.count))),
            .init("resolved", .string(redirection.newest(of: target).text)),
            .init("hops", RedirectAnswer.hops(redirection)),
            .init("tombstone", RedirectAnswer.tombstone(redirection)),
            .init("aliases", RedirectAnswer.aliases(redirection, of: target)),
        ])
    }

    // MARK: Arguments

    /// In bytes. There is a limit because every delivery reports the reason.
    private static let longestReason = 1000

    private func reason(_ given: String?) throws(ControlError) -> String? {
        guard let reason = given, !reason.isEmpty else { return nil }
        try RedirectOperations.check(reason: reason, at: "/reason")
        return reason
    }

    /// Throws for a reason that no redirect can have.
    static func check(reason: String, at place: String) throws(ControlError) {
        guard reason.utf8.count <= longestReason, !reason.utf8.contains(0) else {
            throw .argument(
                reason.utf8.contains(0)
                    ? "reason has a NUL" : "reason has \(reason.utf8.count) bytes, and a thousand are the most",
                at: place, help: "say it in a sentence")
        }
    }

    private func changed(
        _ body: () throws(StoreError) -> Result<Store.RedirectChange, Diagnostic>
    ) throws(ControlError) -> Store.RedirectChange {
        switch try service.storing(body) {
        case .success(let change): return change
        case .failure(let refusal): throw ControlError(refusal)
        }
    }

    /// What is probably not meant: a beginning that ends within a name takes others along.
    private func warnings(_ from: TargetContentIdentifier, _ to: TargetContentIdentifier) -> [String] {
        let ends = Array("/:?#&=".utf8)
        let endsOpen = [from, to].map { id in !(id.text.utf8.last.map(ends.contains) ?? false) }
        if endsOpen[0] != endsOpen[1] {
            return ["one of the two ends with a separator and the other does not: \(from) becomes \(to)"]
        }
        return endsOpen[0]
            ? ["everything that begins with \(from) moves, also what goes on without a separator: \(from)2"] : []
    }
}
