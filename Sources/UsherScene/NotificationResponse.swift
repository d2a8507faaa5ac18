/// What was pressed on a notification, as a delivery keeps it: the id of a button. On the notification of a click that failed it is
/// `retry` or `terminal`, a slash, and what was pressed first.
public struct NotificationResponse: Sendable, Hashable {
    /// The buttons of the notification of a click that failed.
    public enum Again: String, Sendable, CaseIterable {
        /// The same once more.
        case retry
        /// The same, and a terminal is opened for it.
        case terminal
    }

    /// The button that says what is to be done; `default` is the notification itself.
    public var action: String
    public var again: Again?

    public init(_ action: String, _ again: Again? = nil) { (self.action, self.again) = (action, again) }

    /// - Parameter text: of a delivery.
    public init(stored text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let again = Again(rawValue: String(Substring(parts[0]))) else {
            self.init(text)
            return
        }
        self.init(String(Substring(parts[1])), again)
    }

    public var stored: String { again.map { "\($0.rawValue)/\(action)" } ?? action }

    /// The button that was pressed.
    public var button: String { again?.rawValue ?? action }
}
