public import UsherActivation
public import UsherConfiguration
public import UsherDispatch
public import UsherJSON
public import UsherOperation
public import UsherStore

/// What the operations of `ControlService` act on; the daemon implements it.
///
/// Everything may be asked from any thread. What blocks is called off the server's thread.
public protocol ControlBackend: Sendable {
    var hello: ControlHello { get }

    /// The configuration in use.
    var configuration: LoadedConfiguration { get }

    /// Called before deliveries are taken up: an engine on demand looks at the windows and recovers then. Blocks.
    func prepareToAct()

    /// Whether a delivery is in a lane, or waits for one.
    var hasDeliveries: Bool { get }

    /// Returns when no delivery is in a lane, or waits for one. Blocks.
    func waitForDeliveries()

    /// What has not begun of these deliveries ends as interrupted.
    func cancel(_ cancellation: Cancellation)

    /// Takes what `dispatch` brings.
    var intake: any Intake { get }

    /// Sessions, changed in the store and in memory together. Blocks.
    var sessions: any SessionChanges { get }

    /// Where deliveries are looked up. Blocks.
    var store: Store { get }

    /// Sessions, deliveries and contents, by the configuration in use. Blocks.
    var service: StoreService { get }

    /// A dry run of what carries decisions out, for the plan of `explain`.
    var planner: Activator { get }

    /// The window systems whose changes are heard of; sessions are as they say.
    var followedSystems: [String] { get }

    /// The secrets of hooks.
    var secrets: SecretFiles { get }

    /// The clients that are shown requests to hooks.
    var listeners: HookListeners { get }

    /// Reads the configuration again; the answer says what changed. Blocks.
    func reload() throws(ControlError) -> JSONValue

    /// Makes way for a resident engine; an error where it is one itself.
    func yield() throws(ControlError)

    /// How the daemon is.
    var status: JSONValue { get }
}
