internal import UsherConfiguration
public import UsherEngine
internal import UsherOperation
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

extension ControlBackend {
    /// Has a client of a dispatch wait for the answers to its notifications; nil where it asks for nothing of the kind.
    func beginWaiting(for wait: String?, _ timeout: String?) throws(ControlError) -> AnswerWait? {
        guard wait != nil else { return nil }
        let time = try AnswerWait.timeout(timeout, at: "/timeout")
        guard let begun = intake.beginWaiting(time) else { throw .tooManyWait }
        return begun
    }

    /// The same for a call that is carried out all the same where too many wait.
    func beginWaiting(for call: any AwaitingCall) -> AnswerWait? {
        call.patience(by: configuration.configuration).flatMap(intake.beginWaiting)
    }
}
