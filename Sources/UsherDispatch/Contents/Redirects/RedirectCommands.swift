internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherTarget

/// `link move|delete|restore|redirects`, for every door.
struct RedirectCommands {
    private let service: ContentService

    init(_ service: ContentService) { self.service = service }

    func perform(_ request: ContentRequest) throws(ControlError) -> JSONValue {
        switch request.verb {
        case .moveContent: try move(request.arguments)
        case .deleteContent: try delete(request.arguments)
        case .restoreContent: try restore(request.arguments)
        case .listRedirects: try list(request.arguments)
        default: throw .protocolViolation("\(request.verb.rawValue) is about no redirect")
        }
    }

    /// `{"redirect","is_new","resolved","hops","findings","warnings"}`.
    private func move(_ arguments: JSONValue) throws(ControlError) -> JSONValue {
        let members = try MemberReader(arguments, at: "", allowed: ["from", "to", "prefix", "reason"])
        let from = TargetContentIdentifier(try members.requiredText("from"))
        let to = TargetContentIdentifier(try members.requiredText("to"))
        let isPrefix = try members.flag("prefix")
        let reason = try reason(of: members)
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
    private func delete(_ arguments: JSONValue) throws(ControlError) -> JSONValue {
        let members = try MemberReader(arguments, at: "", allowed: ["target", "reason"])
        let target = TargetContentIdentifier(try members.requiredText("target"))
        let reason = try reason(of: members)
        let change = try changed { () throws(StoreError) in
            try service.store.delete(content: target, reason: reason)
        }
        return .object([
            .init("redirect", RedirectAnswer.redirect(change.redirect)), .init("is_new", .boolean(change.isNew)),
            .init("hops", RedirectAnswer.hops(change.redirection)),
        ])
    }

    /// `{"redirect","resolved","hops","tombstone"}`: the one that was taken back, and where the identifier leads now.
    private func restore(_ arguments: JSONValue) throws(ControlError) -> JSONValue {
        let members = try MemberReader(arguments, at: "", allowed: ["target", "prefix"])
        let target = TargetContentIdentifier(try members.requiredText("target"))
        let isPrefix = try members.flag("prefix")
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
    private func list(_ arguments: JSONValue) throws(ControlError) -> JSONValue {
        let members = try MemberReader(arguments, at: "", allowed: ["target", "limit"])
        let limit = try members.integer("limit", in: 1...100_000) ?? 100
        guard let text = try members.text("target") else {
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

    /// In bytes: it is told with every delivery.
    private static let longestReason = 1000

    private func reason(of members: MemberReader) throws(ControlError) -> String? {
        guard let reason = try members.text("reason"), !reason.isEmpty else { return nil }
        try RedirectCommands.check(reason: reason, at: members.pointer("reason"))
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
