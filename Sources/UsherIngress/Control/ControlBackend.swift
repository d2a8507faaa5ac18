public import UsherEngine
public import UsherStore

/// What `ControlService` serves; the daemon implements it.
///
/// Everything may be asked from any thread. What blocks is called off the server's thread.
public protocol ControlBackend: EngineServices {
    /// Whether a delivery is in a lane, or waits for one.
    var hasDeliveries: Bool { get }

    /// What has not begun of these deliveries ends as interrupted.
    func cancel(_ cancellation: Cancellation)

    /// Where records are looked up. Blocks.
    var store: Store { get }

    /// What operations are carried out with, by the configuration in use.
    var context: OperationContext { get }

    /// The secrets of hooks.
    var secrets: SecretFiles { get }

    /// The clients that are shown requests to hooks.
    var listeners: HookListeners { get }
}
