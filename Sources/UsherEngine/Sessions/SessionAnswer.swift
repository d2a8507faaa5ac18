public import UsherOperation
internal import UsherPredicate
public import UsherScene
public import UsherText

/// A session.
public struct SessionAnswer: AnswerRecord {
    public enum State: String, FieldChoice {
        case connecting, connected, disconnected, closing
        /// The session of a closed window, which is in answers only.
        case closed
    }

    public var id = ""
    public var app = ""
    public var scene = ""
    public var role = ""
    public var target: String?
    public var state = State.connected
    public var activation: ActivationState?
    public var can = ""
    public var prefers = ""
    public var used: Instant?
    public var created = Instant(microseconds: 0)
    public var generation = 0
    public var handle: String?
    public var title: String?
    public var warnings: [String] = []
    public var window: WindowEnd?

    /// What became of a window that was to be closed.
    public enum WindowEnd: String, FieldChoice {
        case closed, open
    }

    public init() {}

    /// - Parameter activation: the visibility of its window; nil if no window system has reported it.
    public init(_ session: SceneSession, isClosed: Bool = false, activation: ActivationState? = nil) {
        id = session.id
        app = session.app
        scene = session.scene
        role = session.role.rawValue
        target = session.target?.text
        state = isClosed ? .closed : State(rawValue: session.state.rawValue) ?? .disconnected
        self.activation = !isClosed && session.state.isOpen ? activation : .unattached
        can = session.conditions.canActivate.predicate.canonicalText
        prefers = session.conditions.prefersToActivate.predicate.canonicalText
        used = session.used.map { Instant(microseconds: $0) }
        created = Instant(microseconds: session.created)
        generation = Int(session.generation)
        handle = session.handle
        title = session.title
    }

    public static let schema: String? = "Session"
    public static let fields: [Field<Self>] = [
        Field(always: "session", \.id, "The same as id"), Field(always: "id", \.id), Field(always: "app", \.app),
        Field(always: "scene", \.scene), Field(always: "role", \.role), Field(always: "target", \.target),
        Field(always: "state", \.state),
        Field(
            always: "activation", \.activation,
            "How its window is seen; null while no window system has reported it"),
        Field(always: "can", \.can, "A predicate, in canonical text"), Field(always: "prefers", \.prefers),
        Field(always: "used", \.used), Field(always: "created", \.created),
        Field(always: "generation", \.generation), Field(always: "handle", \.handle), Field(always: "title", \.title),
        Field(ifAny: "warnings", \.warnings, "After a change, where there are any"),
        Field(ifAny: "window", \.window, "After a request to close its window: what became of that"),
    ]
}

extension ActivationState: FieldChoice {}

/// A session that was changed.
public struct SessionChangeAnswer: AnswerRecord {
    public var session = SessionAnswer()
    /// nil where none are possible.
    private var givenWarnings: [String]?
    public var warnings: [String] {
        get { givenWarnings ?? [] }
        set { givenWarnings = newValue }
    }

    public init() {}
    init(_ session: SessionAnswer, warnings: [String]? = nil, window: SessionAnswer.WindowEnd? = nil) {
        (self.session, givenWarnings, self.window) = (session, warnings, window)
        self.session.window = window
    }

    /// The same as that of the session.
    public var window: SessionAnswer.WindowEnd?

    public static let fields: [Field<Self>] = [
        Field(always: "session", \.session), Field(ifAny: "warnings", \.givenWarnings),
        Field(ifAny: "window", \.window),
    ]
}

/// Sessions that were connected.
public struct SessionListAnswer: AnswerRecord {
    /// Of one of them.
    public struct Warning: AnswerRecord {
        /// From 0.
        public var index = 0
        public var message = ""

        public init() {}
        init(index: Int, message: String) { (self.index, self.message) = (index, message) }

        public static let fields: [Field<Self>] = [
            Field(always: "index", \.index), Field(always: "message", \.message),
        ]
    }

    public var sessions: [SessionAnswer] = []
    public var warnings: [Warning] = []

    public init() {}

    public static let schema: String? = "SessionList"
    public static let fields: [Field<Self>] = [
        Field(always: "sessions", \.sessions), Field(always: "warnings", \.warnings),
    ]
}
