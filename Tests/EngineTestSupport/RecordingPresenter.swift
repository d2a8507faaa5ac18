import Synchronization
package import UsherActivation
import UsherFeatures
import UsherScene

/// A notification server in the test itself: what it shows is noted, and the test is its user.
package final class RecordingPresenter: NotificationPresenter {
    package struct State: Sendable {
        package var shown: [DesktopNotification] = []
        package var numbers: [UInt32] = []
        package var closed: [UInt32] = []
        package var server: String? = "bus/:1.7"
        package var capabilities: Set<String> = ["body", "actions"]
        package var failure: ActivationFailure?
        package var next: UInt32 = 1
        /// Done before `show` comes back.
        package var haste: (@Sendable (ShownNotification) -> NotificationEvent?)?
        package var beforeClosing: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let observer = Mutex<(@Sendable (NotificationEvent) -> Void)?>(nil)

    package init() {}

    package func with<Result: Sendable>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

    package func show(_ notification: DesktopNotification) throws(ActivationFailure) -> ShownNotification {
        let (failure, shown, haste) = state.withLock { state in
            var number = state.next
            if let replaced = notification.replaces, replaced.server == state.server {
                number = replaced.id
            } else {
                state.next += 1
            }
            let shown = ShownNotification(id: number, server: state.server ?? "none")
            if state.failure == nil {
                state.shown.append(notification)
                state.numbers.append(number)
            }
            return (state.failure, shown, state.haste)
        }
        if let failure { throw failure }
        if let event = haste?(shown) { tell(event) }
        return shown
    }

    package func close(_ shown: ShownNotification) throws(ActivationFailure) {
        with { $0.beforeClosing }?()
        with { $0.closed.append(shown.id) }
    }

    package func observe(_ body: @escaping @Sendable (NotificationEvent) -> Void) { observer.withLock { $0 = body } }

    package func capabilities() throws(ActivationFailure) -> Set<String> {
        if let failure = with({ $0.failure }) { throw failure }
        return with { $0.capabilities }
    }

    package func server() throws(ActivationFailure) -> String? { with { $0.server } }

    // MARK: The user

    package func tell(_ event: NotificationEvent) { observer.withLock { $0 }?(event) }

    package func press(
        _ number: UInt32, _ action: String = "default", token: String? = nil, server: String = "bus/:1.7"
    ) {
        tell(.invoked(ShownNotification(id: number, server: server), action: action, token: token))
    }

    package func end(_ number: UInt32, _ reason: NotificationEvent.CloseReason, server: String = "bus/:1.7") {
        tell(.closed(ShownNotification(id: number, server: server), reason))
    }
}
