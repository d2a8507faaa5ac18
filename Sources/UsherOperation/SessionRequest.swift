public import UsherJSON

/// A session to be connected, as it was asked for: nothing is looked up yet.
public struct SessionRequest: Sendable, Hashable {
    public var app: String?
    public var scene: String?
    public var target: String?
    public var session: String?
    /// Conditions as text.
    public var can: String?
    public var prefers: String?
    public var handle: String?
    /// The server that the handle belongs to, where the one who asks knows it.
    public var handleServer: String?
    public var title: String?

    public init(
        app: String? = nil, scene: String? = nil, target: String? = nil, session: String? = nil, can: String? = nil,
        prefers: String? = nil, handle: String? = nil, handleServer: String? = nil, title: String? = nil
    ) {
        self.app = app
        self.scene = scene
        self.target = target
        self.session = session
        self.can = can
        self.prefers = prefers
        self.handle = handle
        self.handleServer = handleServer
        self.title = title
    }

    static let members = [
        "app", "scene", "target", "session", "can", "prefers", "handle", "handle_server", "title",
    ]

    /// - Parameter place: the object's JSON pointer, for errors.
    public init(reading value: JSONValue, at place: String = "") throws(ControlError) {
        guard value.kind == .object else {
            throw .argument("a session request is \(value.kind.phrase), not an object", at: place)
        }
        let reader = try MemberReader(value, at: place, allowed: SessionRequest.members)
        self.init(
            app: try reader.text("app"), scene: try reader.text("scene"), target: try reader.text("target"),
            session: try reader.text("session"), can: try reader.text("can"), prefers: try reader.text("prefers"),
            handle: try reader.text("handle"), handleServer: try reader.text("handle_server"),
            title: try reader.text("title"))
    }

    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.given("app", app)
        json.given("scene", scene)
        json.given("target", target)
        json.given("session", session)
        json.given("can", can)
        json.given("prefers", prefers)
        json.given("handle", handle)
        json.given("handle_server", handleServer)
        json.given("title", title)
        json.endObject()
    }
}

/// What is to change about a session; what is nil stays.
public struct SessionUpdate: Sendable, Hashable {
    public var can: String?
    public var prefers: String?
    public var handle: String?
    public var handleServer: String?
    public var title: String?

    public init(
        can: String? = nil, prefers: String? = nil, handle: String? = nil, handleServer: String? = nil,
        title: String? = nil
    ) {
        self.can = can
        self.prefers = prefers
        self.handle = handle
        self.handleServer = handleServer
        self.title = title
    }

    static let members = ["can", "prefers", "handle", "handle_server", "title"]

    init(_ reader: MemberReader) throws(ControlError) {
        self.init(
            can: try reader.text("can"), prefers: try reader.text("prefers"), handle: try reader.text("handle"),
            handleServer: try reader.text("handle_server"), title: try reader.text("title"))
    }

    /// The members of a body of HTTP.
    public init(reading value: JSONValue) throws(ControlError) {
        try self.init(try MemberReader(value, at: "", allowed: SessionUpdate.members))
    }

    func writeMembers(to json: inout JSONWriter) {
        json.given("can", can)
        json.given("prefers", prefers)
        json.given("handle", handle)
        json.given("handle_server", handleServer)
        json.given("title", title)
    }
}

extension JSONWriter {
    /// A member only where there is a value.
    mutating func given(_ name: String, _ value: String?) {
        if let value { member(name, value) }
    }
}
