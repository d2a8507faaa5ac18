public import UsherEngine
public import UsherOperation
internal import UsherScene
public import UsherStore
public import UsherText

public struct Undo: ContentCall {
    public init() {}

    public typealias Answer = UndoneChangeAnswer
    public static let name = "undo.last"
    public static let operation = Operation<Self>(
        "takes back the newest removal of a note or links, or the newest change of redirects", .edit, [],
        http: [HTTPForm(.post, "/v1/undo", refusals: [404, 409])])

    public func perform(in context: OperationContext) throws(ControlError) -> UndoneChangeAnswer {
        switch try context.storing(try context.store.undo()) {
        case .done(let change, let isAside):
            var answer = UndoneChangeAnswer(change)
            if isAside {
                answer.warnings = ["the note was in progress, and is put aside: another one is in progress now"]
            }
            return answer
        case .nothing:
            throw ControlError(
                .undoNothing, "there is nothing to take back",
                help: "what was removed or moved can be taken back once, for 30 days", status: .finding)
        case .refused(let refusal): throw ControlError(refusal)
        }
    }
}

public struct UndoList: ContentCall {
    public var limit: Int?

    public init() {}

    public typealias Answer = [UndoneChangeAnswer]
    public static let name = "undo.list"
    public static let operation = Operation<Self>(
        "what can be taken back, the newest first", .read,
        [Field("limit", \.limit, in: 1...1000, "at most so many (100)")],
        http: [HTTPForm(.get, "/v1/undo")])

    public func perform(in context: OperationContext) throws(ControlError) -> [UndoneChangeAnswer] {
        let limit = self.limit ?? 100
        return try context.storing(try context.store.undoable(limit: limit)).map(UndoneChangeAnswer.init)
    }
}

/// A change that can be, or was, taken back.
public struct UndoneChangeAnswer: AnswerRecord {
    public var operation = Store.Undoable.Operation.noteDelete
    public var id = ""
    public var time = Instant(microseconds: 0)
    public var warnings: [String] = []

    public init() {}
    init(_ change: Store.Undoable) {
        (operation, id) = (change.operation, change.id)
        time = Instant(microseconds: change.time)
    }

    public static let schema: String? = "UndoneChange"
    public static let fields: [Field<Self>] = [
        Field(always: "operation", \.operation),
        Field(always: "id", \.id, "Of the note or the link, or the identifier of the content"),
        Field(always: "time", \.time, "When it was done"), Field(ifAny: "warnings", \.warnings),
    ]
}

extension Store.Undoable.Operation: FieldChoice {}
