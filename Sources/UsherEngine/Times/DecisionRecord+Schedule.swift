package import UsherLog
internal import UsherScene
package import UsherText

extension DecisionRecord.Schedule {
    /// By how many seconds something came after its time; 0 where that are five at most.
    package static func seconds(late now: Instant, due: Instant) -> Int {
        let seconds = Int((now.microseconds - due.microseconds) / 1_000_000)
        return seconds > 5 ? seconds : 0
    }

    /// The warning of a notification that was accepted late; nil where it was not.
    func lateness(at accepted: Instant) -> DecisionRecord.Note? {
        let seconds = Self.seconds(late: accepted, due: due)
        guard seconds > 0 else { return nil }
        return DecisionRecord.Note(
            name: DiagnosticCode.scheduleLate.name,
            message: "it was to come at \(due.text), and came \(Instant.age(.seconds(seconds))) later",
            help: "usherd did not run then, the machine slept, or its clock was set")
    }
}
