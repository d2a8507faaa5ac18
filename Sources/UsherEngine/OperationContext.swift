public import UsherActivation
public import UsherLog
public import UsherOperation
public import UsherScene
public import UsherStore

/// An operation that is carried out here.
public protocol PerformedCall: Call {
    /// What is in the answer is on disk. May block.
    func perform(in context: OperationContext) throws(ControlError) -> Answer
}

/// An operation whose client may wait for the answer to a notification that it shows. No thread waits meanwhile.
public protocol AwaitingCall: PerformedCall {
    /// How long the client waits at most; nil where it does not.
    func patience(by configuration: Configuration) -> Duration?

    /// Carries it out.
    ///
    /// - Parameter finished: called once where nil is returned, on any thread, with the answer to the notification; must not
    ///   block.
    /// - Returns: the answer where nothing is waited for.
    func begin(
        _ wait: AnswerWait, in context: OperationContext,
        finished: @escaping @Sendable (DecisionRecord.Answer) -> Void
    ) throws(ControlError) -> Answer?

    /// The answer, after the wait.
    func end(
        _ wait: AnswerWait, with answer: DecisionRecord.Answer, in context: OperationContext
    ) throws(ControlError) -> Answer
}

/// What operations are carried out with. `usherd` and a command without a daemon use it, so that their answers are the same.
///
/// One value serves one configuration; it is cheap to make.
public struct OperationContext: Sendable {
    public let store: Store
    /// The store itself, or the engine, whose caches are then up to date at once.
    package let sessions: any SessionChanges & DeliveryChanges
    /// nil where none is needed, or there is none: conditions then know no parameters of templates.
    let givenConfiguration: Configuration?
    package let logger: Logger
    /// What runs the commands of apps; nil where no operation on contents is carried out.
    package let activator: Activator?
    let givenEngine: (any EngineServices)?
    package let openings: EngineOpenings
    /// The process that asks, where the kernel tells it: of a connection of the control socket.
    public var caller: Int32?
    /// Whether notifications are shown.
    public var notifies: @Sendable () -> Bool = { false }
    /// Takes the notification of a delivery away, where it is shown. Must not wait.
    public var withdraw: @Sendable (_ delivery: String) -> Void = { _ in }
    /// The server that a window's handle belongs to, for requests that do not name it.
    public var windowServer: @Sendable (String) -> String? = { _ in nil }
    /// Whether there is a window, for requests that name one.
    public var windowPresence: @Sendable (_ handle: String, _ server: String?) -> WindowPresence = { _, _ in .unknown }
    /// How a session's window is seen now; nil if no window system has reported it.
    public var activation: @Sendable (SceneSession) -> ActivationState? = { _ in nil }
    /// The windows that were in front, the last one first, as far as they were followed.
    public var frontHistory: @Sendable () -> [WindowList.Window] = { [] }
    /// Called when an app says that the window of a session has focus. Must not wait.
    public var tookFocus: @Sendable (SceneSession) -> Void = { _ in }
    /// Called when a session got a process, so that the observer of the processes reads the list again.
    public var processesChanged: @Sendable () -> Void = {}
    /// Called when what features keep has changed: something may be due, or due at another time.
    public var contentsChanged: @Sendable () -> Void = {}
    /// Reads the selected text of the page that a session shows; nil where it has none, or no browser can be asked.
    public var readSelection: @Sendable (SceneSession) -> String? = { _ in nil }

    /// - Parameters:
    ///   - activator: what runs the commands of apps, for operations on contents.
    ///   - engine: that which runs, for operations that ask it.
    public init(
        _ store: Store, sessions: any SessionChanges & DeliveryChanges, configuration: Configuration?,
        activator: Activator?, logger: Logger, engine: (any EngineServices)? = nil, openings: EngineOpenings
    ) {
        self.store = store
        self.sessions = sessions
        givenConfiguration = configuration
        self.logger = logger
        self.activator = activator
        givenEngine = engine
        self.openings = openings
    }

    package var configuration: Configuration { givenConfiguration ?? Configuration() }

    package var engine: any EngineServices {
        get throws(ControlError) {
            guard let givenEngine else { throw .protocolViolation("there is no engine here") }
            return givenEngine
        }
    }

    /// Carries a call out.
    public func perform<C: PerformedCall>(_ call: C) throws(ControlError) -> C.Answer {
        try checked(call).perform(in: self)
    }

    /// Carries a call out whose client waits.
    ///
    /// - Parameter answer: called once, with the answer as JSON text: at once, or on any thread.
    public func perform<C: AwaitingCall>(
        _ call: C, _ wait: AnswerWait, later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        answer: @escaping @Sendable (Result<[UInt8], ControlError>) -> Void
    ) {
        do throws(ControlError) {
            let call = try checked(call)
            let now = try call.begin(wait, in: self) { given in
                later {
                    answer(Result { () throws(ControlError) in try call.end(wait, with: given, in: self).jsonText })
                }
            }
            if let now { answer(.success(now.jsonText)) }
        } catch {
            answer(.failure(error))
        }
    }

    private func checked<C: PerformedCall>(_ call: C) throws(ControlError) -> C {
        let call = try store.resolvingIdentifiers(in: call)
        try call.check()
        return call
    }

    /// The same, with the answer as JSON text.
    public func answer(_ call: any Call) throws(ControlError) -> [UInt8] {
        guard let call = call as? any PerformedCall else {
            throw .protocolViolation("\(call.name) is not answered here")
        }
        return try text(call)
    }

    private func text(_ call: some PerformedCall) throws(ControlError) -> [UInt8] { try perform(call).jsonText }

    /// The value of a transaction, or a look, of the store.
    package func storing<Result>(
        _ value: @autoclosure () throws(StoreError) -> Result
    ) throws(ControlError) -> Result {
        try ControlError.storing(try value())
    }

    /// Runs transactions, or looks, of the store.
    package func storing<Result>(_ body: () throws(StoreError) -> Result) throws(ControlError) -> Result {
        try ControlError.storing(try body())
    }
}
