internal import UsherJSON

/// The first request of a connection: the version of the protocol that the client speaks.
public struct Hello: Call {
    /// A daemon answers requests of its own version only.
    public static let version = 1

    public var protocolVersion = Hello.version

    public init() {}
    public init(protocolVersion: Int) { self.protocolVersion = protocolVersion }

    public static let name = "hello"
    public static let operation = Operation<Self>(
        "compares versions; the daemon's process and configuration", .read,
        [Field("protocol", \.protocolVersion, in: 1...1_000_000, "the version that the client speaks")])
}

/// What would be done with a target or a payload, and why; or what was done with a delivery.
public struct Explain: Call, Hashable {
    public enum Subject: Sendable, Hashable {
        case target(String)
        case payload([UInt8])
        case delivery(String)
    }

    /// nil in no call that was read.
    public private(set) var subject: Subject?
    private var given = 0
    public var app: String?
    /// Every window in question, not only the first.
    public var showsAll = false

    public init() {}
    public init(_ subject: Subject, app: String? = nil, showsAll: Bool = false) {
        (self.subject, self.app, self.showsAll, given) = (subject, app, showsAll, 1)
    }

    private mutating func setSubject(_ subject: Subject?) {
        guard let subject else { return }
        self.subject = subject
        given += 1
    }

    public static let name = "explain"
    public static let operation = Operation<Self>(
        "the decision for a target or a payload, or that of a delivery, with its reasons", .read,
        [
            Field(
                "target", .text, "a target content identifier",
                read: { (reader, call) throws(ControlError) in
                    call.setSubject(try reader.text("target").map(Subject.target))
                },
                write: { if case .target(let text) = $0.subject { $1.member("target", text) } }),
            Field(
                "payload", .text, "a payload",
                read: { (reader, call) throws(ControlError) in
                    call.setSubject(try reader.text("payload").map { .payload(Array($0.utf8)) })
                },
                write: {
                    if case .payload(let bytes) = $0.subject {
                        $1.member("payload", String(decoding: bytes, as: UTF8.self))
                    }
                }),
            Field(
                "delivery", .text, "a delivery's id",
                read: { (reader, call) throws(ControlError) in
                    call.setSubject(try reader.text("delivery").map(Subject.delivery))
                },
                write: { if case .delivery(let id) = $0.subject { $1.member("delivery", id) } }),
            Field("app", \.app, "the app that is asked for"),
            Field("all", \.showsAll, "every window in question, not only the first"),
        ],
        http: [
            HTTPForm(
                .post, "/v1/explain", answer: .one("Explanation"), refusals: [404], hidden: ["delivery"],
                query: ["target", "app", "all"],
                body: .document("payload", unless: "target"))
        ])

    public func checkCombination(at place: String) throws(ControlError) {
        if given > 1 { throw .argument("explain takes one of target, payload and delivery", at: place) }
        if given == 0 {
            throw .argument("what is to be explained?", at: place, help: "give a target, a payload or a delivery")
        }
    }
}

public struct Reload: Call {
    public init() {}

    public static let name = "reload"
    public static let operation = Operation<Self>(
        "reads the configuration again; with an error, the old one stays in use", .act, [],
        http: [HTTPForm(.post, "/v1/reload", answer: .one("Reload"), refusals: [422])])
}

public struct Status: Call {
    public init() {}

    public static let name = "status"
    public static let operation = Operation<Self>(
        "the daemon's process, configuration and figures", .read, [],
        http: [HTTPForm(.get, "/v1/status", answer: .one("Status"))])
}

/// Sent by a resident engine that starts: an engine on demand takes no more clients, asks the clients that it has to end,
/// and ends with them.
public struct Yield: Call {
    public init() {}

    public static let name = "yield"
    public static let operation = Operation<Self>("ends an engine that was started on demand", .act, [])
}
