internal import UsherJSON
public import UsherOperation
internal import UsherPayload
internal import UsherScene
internal import UsherStore
public import UsherText

extension Hello: PerformedCall {
    public func perform(in context: OperationContext) throws(ControlError) -> ControlHello {
        guard protocolVersion == Hello.version else {
            throw .protocolViolation(
                "protocol \(protocolVersion) is not spoken here: it is \(Hello.version)",
                help: "usher and usherd have to be of one version: restart usherd")
        }
        return try context.engine.hello
    }
}

extension Yield: PerformedCall {
    public func perform(in context: OperationContext) throws(ControlError) -> Nothing {
        try context.engine.yield()
        return Nothing()
    }
}

/// What would be done with a target or a payload, and why; or what was done with a delivery.
public struct Explain: PerformedCall, Hashable {
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

    public typealias Answer = Kept<ExplanationRecord>
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
                .post, "/v1/explain", refusals: [404], hidden: ["delivery"],
                query: ["target", "app", "all"],
                body: .document("payload", unless: "target"))
        ])

    public func checkCombination(at place: String) throws(ControlError) {
        if given > 1 { throw .argument("explain takes one of target, payload and delivery", at: place) }
        if given == 0 {
            throw .argument("what is to be explained?", at: place, help: "give a target, a payload or a delivery")
        }
    }

    public func perform(in context: OperationContext) throws(ControlError) -> Kept<ExplanationRecord> {
        let line: [UInt8]
        switch subject {
        case .delivery(let id):
            let (delivery, explanation) = try context.explained(id)
            guard case .json(let text) = explanation else {
                throw ControlError(
                    .controlNoDelivery, explanation.refusal(for: delivery),
                    help: "usher deliveries show \(delivery.id) says what became of it", status: .finding)
            }
            return Kept(text: Array(text.utf8))
        case .target(let target): line = PayloadExplanation.line(for: target)
        case .payload(let bytes): line = bytes
        case nil: throw .protocolViolation("nothing is to be explained")
        }
        let engine = try context.engine
        let sessions = try context.storing(try context.sessions.sessions(app: nil))
        do throws(PayloadExplanation.Failure) {
            let explanation = try PayloadExplanation(
                explaining: line, app: app, showsAll: showsAll, in: engine.configuration, .live(sessions.sessions),
                following: context.store, systems: engine.followedSystems,
                activator: engine.activator,
                openings: context.openings)
            return Kept(text: Array(explanation.json.utf8))
        } catch {
            switch error {
            case .payload(let error): throw ControlError(Diagnostic(error), status: .finding)
            case .store(let error): throw ControlError(error)
            }
        }
    }
}

public struct Reload: PerformedCall {
    public init() {}

    public typealias Answer = ReloadAnswer
    public static let name = "reload"
    public static let operation = Operation<Self>(
        "reads the configuration again; with an error, the old one stays in use", .act, [],
        http: [HTTPForm(.post, "/v1/reload", refusals: [422])])

    public func perform(in context: OperationContext) throws(ControlError) -> ReloadAnswer {
        try context.engine.reload()
    }
}

public struct Status: PerformedCall {
    public init() {}

    public typealias Answer = StatusAnswer
    public static let name = "status"
    public static let operation = Operation<Self>(
        "the daemon's process, configuration and figures", .read, [],
        http: [HTTPForm(.get, "/v1/status")])

    public func perform(in context: OperationContext) throws(ControlError) -> StatusAnswer {
        try context.engine.status
    }
}

/// What came of reading the configuration again.
public struct ReloadAnswer: AnswerRecord {
    public enum Result: String, FieldChoice { case changed, unchanged }

    /// What is another than before.
    public struct Difference: AnswerRecord {
        /// By name. Those that manifests include are not among them.
        public var files: [String] = []
        /// Apps by id.
        public var added: [String] = []
        public var removed: [String] = []
        public var changed: [String] = []

        public init() {}

        public static let fields: [Field<Self>] = [
            Field(always: "files", \.files), Field(always: "added", \.added), Field(always: "removed", \.removed),
            Field(always: "changed", \.changed),
        ]
    }

    public var result = Result.unchanged
    public var configuration = ""
    public var difference = Difference()

    public init() {}

    public static let schema: String? = "Reload"
    public static let fields: [Field<Self>] = [
        Field(always: "result", \.result), Field(always: "config", \.configuration, "The digest of what is used now"),
        Field(always: "difference", \.difference),
    ]
}

/// How the daemon is.
public struct StatusAnswer: AnswerRecord {
    /// How many deliveries there are of each sort.
    public struct Deliveries: AnswerRecord {
        public var inHand = 0
        public var waiting = 0
        public var retrying = 0
        public var retries = 0
        public var refused = 0
        public var batches = 0

        public init() {}
        public init(_ figures: Statistics) {
            (inHand, waiting, retrying) = (figures.inHand, figures.waiting, figures.retrying)
            (retries, refused, batches) = (figures.retries, figures.refused, figures.batches)
        }

        public static let fields: [Field<Self>] = [
            Field(always: "in_hand", \.inHand), Field(always: "waiting", \.waiting),
            Field(always: "retrying", \.retrying), Field(always: "retries", \.retries),
            Field(always: "refused", \.refused), Field(always: "batches", \.batches),
        ]
    }

    /// Why the configuration on disk is not the one in use.
    public struct Rejection: AnswerRecord {
        /// One mistake.
        public struct Mistake: AnswerRecord {
            public var code = ""
            public var name = ""
            public var message = ""

            public init() {}
            fileprivate init(_ error: ControlError) {
                (code, name, message) = (error.code.code, error.code.name, error.message)
            }

            public static let fields: [Field<Self>] = [
                Field(always: "code", \.code), Field(always: "name", \.name),
                Field(always: "message", \.message, "Begins with FILE:LINE:COLUMN where it is about a place"),
            ]
        }

        public var time = Instant(microseconds: 0)
        public var message = ""
        public var count = 0
        public var errors: [Mistake] = []

        public init() {}
        public init(_ error: ControlError, at time: Instant) {
            self.time = time
            message = error.message
            count = max(error.problemCount, 1)
            errors = (error.problems.isEmpty ? [error] : error.problems.map(\.error)).prefix(20).map(Mistake.init)
        }

        public static let fields: [Field<Self>] = [
            Field(always: "time", \.time), Field(always: "message", \.message),
            Field(always: "count", \.count, "How many errors there are"),
            Field(always: "errors", \.errors, "The first 20"),
        ]
    }

    public var version = ""
    public var pid = 0
    public var started = Instant(microseconds: 0)
    public var state = ""
    public var configuration = ""
    public var isStopping = false
    public var deliveries = Deliveries()
    public var rejected: Rejection?

    public init() {}

    public static let schema: String? = "Status"
    public static let fields: [Field<Self>] = [
        Field(always: "version", \.version), Field(always: "pid", \.pid), Field(always: "started", \.started),
        Field(always: "state", \.state, "The state folder"), Field(always: "config", \.configuration),
        Field(always: "stopping", \.isStopping), Field(always: "deliveries", \.deliveries),
        Field(
            ifAny: "rejected", \.rejected,
            "Why the configuration on disk is not the one in use; only while that is so"),
    ]
}
