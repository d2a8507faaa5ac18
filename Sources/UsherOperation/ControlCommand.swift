public import UsherJSON
public import UsherScene
internal import UsherText

/// What a daemon can be asked: one vocabulary for the command line, the socket and HTTP.
public enum ControlCommand: Sendable {
    /// Which protocol the one who asks speaks. First of all, so that two versions find out.
    case hello(protocolVersion: Int)
    /// Answered by the decision record, when it is on disk.
    case dispatch(ControlDispatch)
    /// `dispatch` as well: payloads follow as bytes.
    case stream(ControlStream)
    /// All or none. With `checks`, only what would be wrong with them.
    case connect([SessionRequest], checks: Bool)
    case update(session: String, SessionUpdate)
    case activate(session: String, SessionUpdate)
    case disconnect(session: String, SessionUpdate)
    case close(session: String)
    case sessions(app: String?)
    case session(id: String)
    /// The windows that there are, and what each window system can do.
    case windows
    case deliveries(DeliveryQuery)
    case delivery(id: String)
    case retry(DeliverySelection)
    case drop(DeliverySelection)
    /// Answered when no delivery is in a lane, or waits for one.
    case wait
    case explain(ExplainRequest)
    case reload
    case status
    /// A resident engine starts: one on demand takes no more clients, asks those it has to end, and ends with them.
    case yield
    /// Activities, notes, links and redirects.
    case content(any ContentCall)
    /// Decision records as events from now on; with `since`, first those that followed that delivery.
    case records(since: String?)

    /// The version of the vocabulary: a daemon answers requests of its own version only.
    public static let protocolVersion = 1

    public enum Name: String, Sendable, CaseIterable {
        case hello
        case dispatch
        case connect = "scene.connect"
        case update = "scene.update"
        case activate = "scene.activate"
        case disconnect = "scene.disconnect"
        case close = "scene.close"
        case sessions = "scene.list"
        case session = "scene.show"
        case windows = "scene.windows"
        case deliveries = "deliveries.list"
        case delivery = "deliveries.show"
        case retry = "deliveries.retry"
        case drop = "deliveries.drop"
        case wait = "deliveries.wait"
        case explain
        case reload
        case status
        case yield
        case records
    }

    /// As it stands in a request.
    public var name: String {
        if case .content(let call) = self { call.name } else { ownName?.rawValue ?? "" }
    }

    private var ownName: Name? {
        switch self {
        case .hello: .hello
        case .dispatch, .stream: .dispatch
        case .connect: .connect
        case .update: .update
        case .activate: .activate
        case .disconnect: .disconnect
        case .close: .close
        case .sessions: .sessions
        case .session: .session
        case .windows: .windows
        case .deliveries: .deliveries
        case .delivery: .delivery
        case .retry: .retry
        case .drop: .drop
        case .wait: .wait
        case .explain: .explain
        case .reload: .reload
        case .status: .status
        case .yield: .yield
        case .records: .records
        case .content: nil
        }
    }
}

/// One payload to be shown in its window.
public struct ControlDispatch: Sendable, Hashable {
    /// The raw line or document.
    public var input: [UInt8]
    /// It was longer than a payload may be, and is left out.
    public var isTooLong: Bool
    /// What records say of its door; `control` where nothing is said.
    public var source: String?
    /// Its place in the input, for the record's `seq`.
    public var sequence: Int?
    /// Goes before what the payload says.
    public var app: String?
    /// The name of a payload format; else it is found out.
    public var format: String?
    /// What a desktop gave whoever asks (xdg-activation, startup notification). Of several requests with the same one, the
    /// first that opens a window uses it.
    public var token: String?
    /// The delivery whose handler sends this, if one does: it does not wait behind that one.
    public var parent: String?

    /// Whether a text can be a token: short, and of characters that an environment variable and a line may have.
    public static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 1024 && !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }

    public init(
        input: [UInt8], isTooLong: Bool = false, source: String? = nil, sequence: Int? = nil, app: String? = nil,
        format: String? = nil, token: String? = nil, parent: String? = nil
    ) {
        self.input = input
        self.isTooLong = isTooLong
        self.source = source
        self.sequence = sequence
        self.app = app
        self.format = format
        self.token = token
        self.parent = parent
    }
}

/// Which deliveries a list is of.
public struct DeliveryQuery: Sendable, Hashable {
    /// All where empty.
    public var states: Set<DeliveryState>
    public var limit: Int
    /// Those that arrived before this one: the next page.
    public var before: String?

    public static let limits = 1...10_000

    public init(states: Set<DeliveryState> = [], limit: Int = 100, before: String? = nil) {
        self.states = states
        self.limit = limit
        self.before = before
    }
}

/// Deliveries that something is to be done with: by their ids (ours or their senders'), or all that failed.
public struct DeliverySelection: Sendable, Hashable {
    public var ids: [String]
    public var allFailed: Bool

    public init(ids: [String] = [], allFailed: Bool = false) {
        self.ids = ids
        self.allFailed = allFailed
    }
}

/// What `explain` is asked about: a target, a payload, or a past delivery.
public struct ExplainRequest: Sendable, Hashable {
    public enum Subject: Sendable, Hashable {
        case target(String)
        case payload([UInt8])
        case delivery(String)
    }

    public var subject: Subject
    public var app: String?
    /// Every window in question, not only the first.
    public var showsAll: Bool

    public init(_ subject: Subject, app: String? = nil, showsAll: Bool = false) {
        self.subject = subject
        self.app = app
        self.showsAll = showsAll
    }
}

// MARK: - Reading

extension ControlCommand {
    /// A command by its name and arguments; what it does not take is an error, with the closest there is.
    public init(name text: String, arguments: JSONValue?) throws(ControlError) {
        if let type = ContentOperations.type(named: text) {
            self = .content(try type.init(reading: arguments))
            return
        }
        guard let name = Name(rawValue: text) else {
            let known = Name.allCases.map(\.rawValue) + ContentOperations.names
            throw .unknown(
                .controlCommand, "command", text, among: known, at: "/command",
                otherwise: "there is: \(known.joined(separator: ", "))")
        }
        func reader(_ allowed: [String]) throws(ControlError) -> MemberReader {
            try MemberReader(arguments, at: "/arguments", allowed: allowed)
        }
        switch name {
        case .hello:
            self = .hello(
                protocolVersion: try reader(["protocol"]).integer("protocol", in: 1...1_000_000)
                    ?? ControlCommand.protocolVersion)
        case .dispatch:
            self =
                arguments?["stream"] == nil
                ? .dispatch(try ControlDispatch(try reader(ControlDispatch.members)))
                : .stream(try ControlStream(try reader(ControlStream.members)))
        case .connect:
            let reader = try reader(["sessions", "check"])
            guard let elements = try reader.elements("sessions") else { throw reader.missing("sessions") }
            var requests: [SessionRequest] = []
            requests.reserveCapacity(elements.count)
            for (index, element) in elements.enumerated() {
                requests.append(try SessionRequest(reading: element, at: reader.pointer("sessions/\(index)")))
            }
            self = .connect(requests, checks: try reader.flag("check"))
        case .update, .activate, .disconnect:
            let reader = try reader(["session"] + SessionUpdate.members)
            let session = try reader.requiredText("session")
            let update = try SessionUpdate(reader)
            self =
                switch name {
                case .update: .update(session: session, update)
                case .activate: .activate(session: session, update)
                default: .disconnect(session: session, update)
                }
        case .close: self = .close(session: try reader(["session"]).requiredText("session"))
        case .sessions: self = .sessions(app: try reader(["app"]).text("app"))
        case .session: self = .session(id: try reader(["session"]).requiredText("session"))
        case .deliveries: self = .deliveries(try DeliveryQuery(try reader(DeliveryQuery.members)))
        case .delivery: self = .delivery(id: try reader(["delivery"]).requiredText("delivery"))
        case .retry: self = .retry(try DeliverySelection(try reader(DeliverySelection.members)))
        case .drop: self = .drop(try DeliverySelection(try reader(DeliverySelection.members)))
        case .explain: self = .explain(try ExplainRequest(try reader(ExplainRequest.members)))
        case .wait:
            _ = try reader([])
            self = .wait
        case .yield:
            _ = try reader([])
            self = .yield
        case .reload:
            _ = try reader([])
            self = .reload
        case .windows:
            _ = try reader([])
            self = .windows
        case .status:
            _ = try reader([])
            self = .status
        case .records: self = .records(since: try reader(["since"]).text("since"))
        }
    }
}

extension ControlDispatch {
    static let members = ["input", "input_base64", "too_long", "source", "seq", "app", "format", "token", "parent"]

    init(_ reader: MemberReader) throws(ControlError) {
        let isTooLong = try reader.flag("too_long")
        let text = try reader.text("input")
        let encoded = try reader.text("input_base64")
        var input: [UInt8] = []
        switch (text, encoded) {
        case (let text?, nil): input = Array(text.utf8)
        case (nil, let encoded?):
            guard let bytes = Base64.decode(encoded) else {
                throw .argument("input_base64 is not Base64 (RFC 4648)", at: reader.pointer("input_base64"))
            }
            input = bytes
        case (nil, nil):
            guard isTooLong else { throw reader.missing("input") }
        case (_?, _?): throw .argument("input and input_base64 exclude each other", at: reader.pointer("input_base64"))
        }
        self.init(
            input: input, isTooLong: isTooLong, source: try reader.text("source"),
            sequence: try reader.integer("seq", in: 1...Int.max), app: try reader.text("app"),
            format: try reader.text("format"), token: try Self.token(reader), parent: try reader.text("parent"))
    }

    static func token(_ reader: MemberReader) throws(ControlError) -> String? {
        guard let token = try reader.text("token") else { return nil }
        guard isToken(token) else {
            throw .argument(
                "token is no activation token: it is empty, longer than 1024 bytes, or holds control characters",
                at: reader.pointer("token"))
        }
        return token
    }
}

extension DeliveryQuery {
    static let members = ["states", "limit", "before"]

    init(_ reader: MemberReader) throws(ControlError) {
        var states: Set<DeliveryState> = []
        for (index, text) in (try reader.texts("states")).enumerated() {
            guard let state = DeliveryState(rawValue: text) else {
                throw .unknown(
                    .controlArgument, "state", text, among: DeliveryState.allCases.map(\.rawValue),
                    at: reader.pointer("states/\(index)"))
            }
            states.insert(state)
        }
        self.init(
            states: states, limit: try reader.integer("limit", in: DeliveryQuery.limits) ?? 100,
            before: try reader.text("before"))
    }
}

extension DeliverySelection {
    static let members = ["deliveries", "failed"]

    init(_ reader: MemberReader) throws(ControlError) {
        self.init(ids: try reader.texts("deliveries"), allFailed: try reader.flag("failed"))
        guard ids.isEmpty == allFailed else {
            throw .argument(
                ids.isEmpty ? "which deliveries?" : "deliveries and failed exclude each other",
                at: reader.pointer("deliveries"), help: "give their ids, or \"failed\":true for all that failed")
        }
    }
}

extension ExplainRequest {
    static let members = ["target", "payload", "delivery", "app", "all"]

    init(_ reader: MemberReader) throws(ControlError) {
        let given = [
            try reader.text("target").map { Subject.target($0) },
            try reader.text("payload").map { Subject.payload(Array($0.utf8)) },
            try reader.text("delivery").map { Subject.delivery($0) },
        ].compactMap(\.self)
        guard given.count == 1 else {
            throw .argument("explain takes one of target, payload and delivery", at: reader.place)
        }
        self.init(given[0], app: try reader.text("app"), showsAll: try reader.flag("all"))
    }
}

// MARK: - Writing

extension ControlCommand {
    /// Appends the arguments as one JSON object.
    public func writeArguments(to json: inout JSONWriter) {
        if case .content(let call) = self { return call.writeArguments(to: &json) }
        json.beginObject()
        switch self {
        case .hello(let version): json.member("protocol", version)
        case .dispatch(let dispatch): dispatch.writeMembers(to: &json)
        case .stream(let stream): stream.writeMembers(to: &json)
        case .connect(let requests, let checks):
            json.beginArray("sessions")
            for request in requests { request.write(to: &json) }
            json.endArray()
            if checks { json.member("check", true) }
        case .update(let session, let update), .activate(let session, let update), .disconnect(let session, let update):
            json.member("session", session)
            update.writeMembers(to: &json)
        case .close(let session), .session(let session): json.member("session", session)
        case .sessions(let app): json.given("app", app)
        case .deliveries(let query):
            if !query.states.isEmpty {
                json.member("states", DeliveryState.allCases.filter { query.states.contains($0) }.map(\.rawValue))
            }
            json.member("limit", query.limit)
            json.given("before", query.before)
        case .delivery(let id): json.member("delivery", id)
        case .retry(let selection), .drop(let selection):
            if selection.allFailed { json.member("failed", true) } else { json.member("deliveries", selection.ids) }
        case .explain(let request):
            switch request.subject {
            case .target(let target): json.member("target", target)
            case .payload(let bytes): json.member("payload", String(decoding: bytes, as: UTF8.self))
            case .delivery(let id): json.member("delivery", id)
            }
            json.given("app", request.app)
            if request.showsAll { json.member("all", true) }
        case .wait, .reload, .status, .yield, .windows, .content: break
        case .records(let since): json.given("since", since)
        }
        json.endObject()
    }
}

extension ControlDispatch {
    func writeMembers(to json: inout JSONWriter) {
        if isTooLong {
            json.member("too_long", true)
        } else if let text = String(validating: input, as: UTF8.self) {
            json.member("input", text)
        } else {
            json.member("input_base64", Base64.encode(input))
        }
        json.given("source", source)
        if let sequence { json.member("seq", sequence) }
        json.given("app", app)
        json.given("format", format)
        json.given("token", token)
        json.given("parent", parent)
    }
}
