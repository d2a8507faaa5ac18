public struct Undo: ContentCall {
    public init() {}

    public static let name = "undo.last"
    public static let operation = Operation<Self>(
        "takes back the newest removal of a note or links, or the newest change of redirects", .edit, [],
        http: [HTTPForm(.post, "/v1/undo", answer: .one("UndoneChange"), refusals: [404, 409])])
}

public struct UndoList: ContentCall {
    public var limit: Int?

    public init() {}

    public static let name = "undo.list"
    public static let operation = Operation<Self>(
        "what can be taken back, the newest first", .read,
        [Field("limit", \.limit, in: 1...1000, "at most so many (100)")],
        http: [HTTPForm(.get, "/v1/undo", answer: .list("UndoneChange"))])
}
