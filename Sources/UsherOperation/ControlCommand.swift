public import UsherScene

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
