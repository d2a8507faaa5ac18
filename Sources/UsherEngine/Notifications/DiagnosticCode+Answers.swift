package import UsherOperation
public import UsherScene

// Senders that wait for the answer to a notification: U37xx.
extension DiagnosticCode {
    /// No sender waits for an answer to this delivery: none did, its time is over, or it has ended.
    /// Remedy: have the sender send again, with `--wait-action`.
    public static let answerNotWaiting = DiagnosticCode("U3701", "answer.not-waiting")
    /// The sender has its answer: only the first one counts.
    /// Remedy: `usher deliveries show` says which.
    public static let answerGiven = DiagnosticCode("U3702", "answer.given")
    /// The notification has no such action, or none that is an answer.
    /// Remedy: give one of those that the message names; the app's manifest has them.
    public static let answerAction = DiagnosticCode("U3703", "answer.action")
    /// More than 256 answers would be waited for at once, or half as many as `usherd` can have connections. Each notification
    /// of a batch counts.
    /// Remedy: answer some of those that wait, or send without waiting.
    public static let answerTooMany = DiagnosticCode("U3704", "answer.too-many")
}

extension ControlError {
    /// No more senders may wait.
    package static let tooManyWait = ControlError(
        .answerTooMany, "no more answers to notifications may be waited for at once",
        help: "try again when some of those that wait have theirs")
}
