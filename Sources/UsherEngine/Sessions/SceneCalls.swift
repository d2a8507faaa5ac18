internal import UsherActivation
public import UsherJSON
public import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

private let sessionHelp = "the session's id"

/// A change of one session.
public protocol SceneChange: PerformedCall where Answer == SessionChangeAnswer {
    var session: String { get }
    var update: SessionUpdate { get set }
}

/// All or none.
public struct SceneConnect: PerformedCall {
    public var sessions: [SessionRequest] = []
    /// Only what would be wrong with them.
    public var checks = false
    public var onlyReads: Bool { checks }

    public init() {}
    public init(_ sessions: [SessionRequest], checks: Bool = false) {
        (self.sessions, self.checks) = (sessions, checks)
    }

    public typealias Answer = SessionListAnswer
    public static let name = "scene.connect"
    public static let operation = Operation<Self>(
        "registers windows that are open, all or none", .edit,
        [
            Field("sessions", \.sessions, "the windows", isRequired: true),
            Field("check", \.checks, "only reports what would be wrong with them"),
        ],
        http: [
            HTTPForm(
                .post, "/v1/scenes", hidden: ["check"],
                body: .list("sessions"), unwraps: "sessions",
                made: .init(["id"], "/v1/scenes/"))
        ])

    public func perform(in context: OperationContext) throws(ControlError) -> SessionListAnswer {
        guard let configuration = context.givenConfiguration else {
            throw .session("there is no configuration, and so no scene")
        }
        let plan = try SessionPlan(
            sessions, in: configuration, known: context.sessions, windowServer: context.windowServer,
            presence: context.windowPresence)
        var answer = SessionListAnswer()
        // So that conditions of another configuration are not taken for those of this one. An engine follows its own.
        if !checks, context.givenEngine == nil { _ = try context.storing(try context.store.follow(configuration)) }
        if !checks {
            let connected = try plan.connect(in: context.sessions)
            try context.tie(connected)
            answer.sessions = connected.map { SessionAnswer($0) }
        }
        answer.warnings = plan.warnings.prefix(100).map { .init(index: $0.index, message: $0.message) }
        return answer
    }
}

public struct SceneUpdate: SceneChange {
    public var session = ""
    public var update = SessionUpdate()

    public init() {}
    public init(_ session: String, _ update: SessionUpdate) { (self.session, self.update) = (session, update) }

    public typealias Answer = SessionChangeAnswer
    public static let name = "scene.update"
    public static let operation = Operation<Self>(
        "new conditions for a window: it shows something else now", .edit,
        [Field("session", \.session, sessionHelp)] + SessionUpdate.fields.map { $0.within(\.update) },
        http: [HTTPForm(.patch, "/v1/scenes/{session}", unwraps: "session")])

    public func perform(in context: OperationContext) throws(ControlError) -> SessionChangeAnswer {
        let changed = try context.change(session, update, Store.SessionChange())
        return SessionChangeAnswer(SessionAnswer(changed.session), warnings: changed.warnings)
    }
}

public struct SceneActivate: SceneChange {
    public var session = ""
    public var update = SessionUpdate()

    public init() {}
    public init(_ session: String, _ update: SessionUpdate) { (self.session, self.update) = (session, update) }

    public typealias Answer = SessionChangeAnswer
    public static let name = "scene.activate"
    public static let operation = Operation<Self>(
        "a window came to the front: it was used last now", .edit,
        [Field("session", \.session, sessionHelp)] + SessionUpdate.fields.map { $0.within(\.update) },
        http: [HTTPForm(.post, "/v1/scenes/{session}/activate", unwraps: "session")])

    public func perform(in context: OperationContext) throws(ControlError) -> SessionChangeAnswer {
        let changed = try context.change(session, update, Store.SessionChange(state: .connected, used: true))
        context.tookFocus(changed.session)
        return SessionChangeAnswer(SessionAnswer(changed.session), warnings: changed.warnings)
    }
}

public struct SceneDisconnect: SceneChange {
    public var session = ""
    public var update = SessionUpdate()

    public init() {}
    public init(_ session: String, _ update: SessionUpdate) { (self.session, self.update) = (session, update) }

    public typealias Answer = SessionChangeAnswer
    public static let name = "scene.disconnect"
    public static let operation = Operation<Self>(
        "a window is gone, but not closed by the user: it is launched again on demand", .edit,
        [Field("session", \.session, sessionHelp)] + SessionUpdate.fields.map { $0.within(\.update) },
        http: [HTTPForm(.post, "/v1/scenes/{session}/disconnect", unwraps: "session")])

    public func perform(in context: OperationContext) throws(ControlError) -> SessionChangeAnswer {
        let changed = try context.change(session, update, .disconnected())
        return SessionChangeAnswer(SessionAnswer(changed.session), warnings: changed.warnings)
    }
}

public struct SceneClose: PerformedCall {
    public var session = ""
    /// Closes its window, too.
    public var closesWindow = false
    public var waits: Bool { closesWindow }

    public init() {}
    public init(_ session: String, closesWindow: Bool = false) {
        (self.session, self.closesWindow) = (session, closesWindow)
    }

    public typealias Answer = SessionChangeAnswer
    public static let name = "scene.close"
    public static let operation = Operation<Self>(
        "the user closed a window: its session ends", .edit,
        [
            Field("session", \.session, sessionHelp),
            Field("window", \.closesWindow, "closes the window; the session stays while the window does"),
        ],
        http: [
            HTTPForm(.delete, "/v1/scenes/{session}", refusals: [409], unwraps: "session"),
            HTTPForm(.post, "/v1/scenes/{session}/close", refusals: [409], unwraps: "session"),
        ])

    /// The session as it was.
    public func perform(in context: OperationContext) throws(ControlError) -> SessionChangeAnswer {
        let session = try context.session(session)
        if closesWindow { return try closeWindow(of: session, in: context) }
        _ = try context.storing(try context.sessions.end(session: session.id, ifStill: nil))
        return SessionChangeAnswer(SessionAnswer(session, isClosed: true))
    }

    /// How long a window may take to close, in milliseconds; one that asks its user something stays.
    private static let patience = 5000

    private func closeWindow(
        of session: SceneSession, in context: OperationContext
    ) throws(ControlError) -> SessionChangeAnswer {
        guard let handle = session.handle else {
            throw ControlError(
                .sceneNoWindow, "the session \(QuotedText.text(session.id)) has no window that Usher knows",
                at: "/session",
                help: "close it by hand; usher scene close without --window ends the session")
        }
        let windows = try context.engine.activator.windowSystem
        let window = WindowReference.handle(handle, server: session.handleServer)
        do throws(ActivationFailure) {
            try windows.close(window)
        } catch  where error.code == .windowGone {
            // It was closed meanwhile.
        } catch {
            throw ControlError(error.code, error.message, help: error.help, status: .finding)
        }
        let deadline = Deadline(inMilliseconds: SceneClose.patience)
        while (try? windows.presence(of: window)) != .gone {
            if deadline.isOver {
                return SessionChangeAnswer(
                    SessionAnswer(session, activation: context.activation(session)), window: .open)
            }
            _ = Poll.wait(for: -1, until: Deadline(inMilliseconds: 50))
        }
        // The session may have ended with the window, or have got another one.
        let now = try context.storing(try context.sessions.session(id: session.id))
        if let now, now.handle == nil || now.handle == handle {
            _ = try context.storing(try context.sessions.end(session: session.id, ifStill: nil))
        }
        return SessionChangeAnswer(SessionAnswer(session, isClosed: true), window: .closed)
    }
}

public struct SceneList: PerformedCall {
    public var app: String?
    public var all = false

    public init() {}
    public init(app: String?, all: Bool = false) { (self.app, self.all) = (app, all) }

    public typealias Answer = [SessionAnswer]
    public static let name = "scene.list"
    public static let operation = Operation<Self>(
        "sessions of configured scenes", .read,
        [
            Field("app", \.app, "of this app only"),
            Field("all", \.all, "those whose app or scene is not configured now, too"),
        ],
        http: [HTTPForm(.get, "/v1/scenes")])

    public func perform(in context: OperationContext) throws(ControlError) -> [SessionAnswer] {
        let found = try context.storing(try context.sessions.sessions(app: app).sessions)
        let configuration = all ? nil : context.givenConfiguration
        let listed = found.filter { configuration?.hasScene(of: $0) ?? true }
        return listed.sorted(by: SceneSession.precedes).map {
            SessionAnswer($0, activation: context.activation($0))
        }
    }
}

public struct SceneShow: PerformedCall {
    public var session = ""

    public init() {}
    public init(_ session: String) { self.session = session }

    public typealias Answer = SessionAnswer
    public static let name = "scene.show"
    public static let operation = Operation<Self>(
        "one session", .read, [Field("session", \.session, sessionHelp)],
        http: [HTTPForm(.get, "/v1/scenes/{session}")])

    public func perform(in context: OperationContext) throws(ControlError) -> SessionAnswer {
        let session = try context.session(session)
        return SessionAnswer(session, activation: context.activation(session))
    }
}

public struct SceneWindows: PerformedCall {
    public init() {}

    public typealias Answer = WindowsAnswer
    public static let name = "scene.windows"
    public static let operation = Operation<Self>("open windows, and what each window system can do", .read, [])

    public func perform(in context: OperationContext) throws(ControlError) -> WindowsAnswer {
        WindowsAnswer(try context.engine.activator.windowSystem)
    }
}

/// A session to be connected, as it was asked for: nothing is looked up yet.
public struct SessionRequest: RecordValue, Hashable {
    public var app: String?
    public var scene: String?
    public var target: String?
    public var session: String?
    /// Conditions as text.
    public var can: String?
    public var prefers: String?
    public var handle: String?
    /// The server that the handle belongs to, where the client has it.
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

    public init() {}

    public static let fields = [
        Field<Self>("app", \.app, "its app"), Field("scene", \.scene, "the scene's name in the app's manifest"),
        Field("target", \.target, "what it shows: a target content identifier"),
        Field("session", \.session, "its id; else one is made"), Field("can", \.can, "what it can show: a condition"),
        Field("prefers", \.prefers, "what should come to it: a condition"),
        Field("handle", \.handle, "its window, as its window system names it (@3 in tmux)"),
        Field("handle_server", \.handleServer, "the window system's server that the handle belongs to"),
        Field("title", \.title, "what it shows, for people"),
    ]

    /// - Parameter place: the object's JSON pointer, for errors.
    public init(reading value: JSONValue?, at place: String = "") throws(ControlError) {
        if let value, value.kind != .object {
            throw .argument("a session request is \(value.kind.phrase), not an object", at: place)
        }
        self.init()
        try readFields(of: value, at: place)
    }
}

/// What is to change about a session; what is nil stays.
public struct SessionUpdate: RecordValue, Hashable {
    public var can: String?
    public var prefers: String?
    public var handle: String?
    public var handleServer: String?
    public var title: String?

    public init() {}

    public static let fields = [
        Field<Self>("can", \.can, "what it can show: a condition"),
        Field("prefers", \.prefers, "what should come to it: a condition"),
        Field("handle", \.handle, "its window, as its window system names it (@3 in tmux)"),
        Field("handle_server", \.handleServer, "the window system's server that the handle belongs to"),
        Field("title", \.title, "what it shows, for people"),
    ]
}
