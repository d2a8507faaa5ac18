internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherText

/// `undo`, for every interface (socket, HTTP, command line).
struct UndoOperations {
    private let service: ContentService

    init(_ service: ContentService) { self.service = service }

    /// `{"operation","id","time"}`, with `warnings` where there are any.
    func last(_ call: Undo) throws(ControlError) -> JSONValue {
        let store = service.store
        switch try service.storing({ () throws(StoreError) in try store.undo() }) {
        case .done(let change, let isAside):
            guard isAside else { return .object(members(change)) }
            return .object(
                members(change) + [
                    .init("warnings", ["the note was in progress, and is put aside: another one is in progress now"])
                ])
        case .nothing:
            throw ControlError(
                .undoNothing, "there is nothing to take back",
                help: "what was removed or moved can be taken back once, for 30 days", status: .finding)
        case .refused(let refusal): throw ControlError(refusal)
        }
    }

    func list(_ call: UndoList) throws(ControlError) -> JSONValue {
        let limit = call.limit ?? 100
        let store = service.store
        let changes = try service.storing { () throws(StoreError) in try store.undoable(limit: limit) }
        return .array(changes.map { .object(members($0)) })
    }

    private func members(_ change: Store.Undoable) -> [JSONValue.Member] {
        [
            .init("operation", .string(change.operation.rawValue)), .init("id", .string(change.id)),
            .init("time", .string(Instant(microseconds: change.time).text)),
        ]
    }
}
