public import UsherActivation
public import UsherConfiguration
public import UsherOperation

/// What operations ask of the engine that runs.
///
/// Everything may be asked from any thread.
public protocol EngineServices: Sendable {
    var hello: ControlHello { get }

    /// The configuration in use.
    var configuration: LoadedConfiguration { get }

    /// Called before deliveries are taken up: an engine on demand looks at the windows and recovers then. Blocks.
    func prepareToAct()

    /// Takes what is dispatched.
    var intake: any Intake { get }

    /// Returns when no delivery is in a lane, or waits for one. Blocks.
    func waitForDeliveries()

    /// What carries decisions out. Operations ask it for the plan of `explain`, the window systems and the applications.
    var activator: Activator { get }

    /// The window systems whose changes are heard of; sessions are as they say.
    var followedSystems: [String] { get }

    /// Reads the configuration again; the answer says what changed. Blocks.
    func reload() throws(ControlError) -> ReloadAnswer

    /// Makes way for a resident engine; an error where it is one itself.
    func yield() throws(ControlError)

    /// How the daemon is.
    var status: StatusAnswer { get }

    /// Whether a request is signed as hooks require.
    func judge(_ call: HookJudge) throws(ControlError) -> HookVerdict
}
