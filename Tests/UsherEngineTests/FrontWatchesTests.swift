import Testing
import UsherLog
import UsherText

@testable import UsherEngine

/// The records that wait for a watched window, without an engine.
@Suite("Front watches")
struct FrontWatchesTests {
    enum Step {
        /// The record is on disk.
        case record(isHeldBack: Bool)
        /// The watch is over, with or without a warning.
        case over(lost: Bool, isOpen: Bool = true)
        /// The warning is in the record on disk.
        case amended
        /// Another window is to be in front.
        case request
        /// The delivery ended in another way.
        case forget
    }

    @Test(
        "a record that is held back is published once, with its warning if there is one",
        arguments: [
            ([.record(isHeldBack: true), .over(lost: false)], ["-", "publish []"]),
            ([.record(isHeldBack: true), .over(lost: true), .amended], ["-", "amend 7", #"publish ["lost"]"#]),
            ([.over(lost: false), .record(isHeldBack: true)], ["-", "publish []"]),
            ([.over(lost: true), .record(isHeldBack: true), .amended], ["-", "amend 7", #"publish ["lost"]"#]),
            ([.record(isHeldBack: false), .over(lost: false)], ["-", "-"]),
            ([.record(isHeldBack: false), .over(lost: true), .amended], ["-", "amend 7", "-"]),
            ([.over(lost: true), .record(isHeldBack: false), .amended], ["-", "amend 7", "-"]),
            ([.record(isHeldBack: true), .request, .request, .over(lost: false)], ["-", "publish []", "-", "-"]),
            ([.record(isHeldBack: true), .request, .over(lost: true), .amended], ["-", "publish []", "amend 7", "-"]),
            ([.over(lost: true), .record(isHeldBack: true), .request, .amended], ["-", "amend 7", "publish []", "-"]),
            ([.over(lost: true, isOpen: false), .record(isHeldBack: true), .request], ["-", "-", "publish []"]),
            ([.over(lost: true), .forget, .record(isHeldBack: true), .request], ["-", "-", "-", "publish []"]),
        ] as [([Step], [String])])
    func published(steps: [Step], actions: [String]) {
        let record = DecisionRecord(
            id: "a", sequence: 1, time: Instant(microseconds: 0), source: "test", configuration: "")
        let warning = DecisionRecord.Note(name: "lost", message: "lost")
        var watches = FrontWatches()
        func text(_ action: FrontWatches.Action?) -> String {
            switch action {
            case .publish(let record, _): "publish \(record.value.warnings.map(\.name))"
            case .amend(let number, _, _): "amend \(number)"
            case nil: "-"
            }
        }
        #expect(steps.count == actions.count)
        for (step, expected) in zip(steps, actions) {
            var action: FrontWatches.Action?
            switch step {
            case .record(let isHeldBack):
                action = watches.noteRecord(7, Shared(record), heldBackFrom: isHeldBack ? Arrival.Events() : nil)
            case .over(let lost, let isOpen): action = watches.end(7, lost ? warning : nil, isOpen: isOpen)
            case .amended: action = watches.noteAmended(7, warning)
            case .request: action = watches.takeHeldBack().first
            case .forget: watches.forgetEarly(7)
            }
            #expect(text(action) == expected, "\(steps), at \(step)")
        }
        // In the last two cases the watch of the record goes on.
        let isEmpty = watches.isEmpty
        if case .request? = steps.last { #expect(!isEmpty) } else { #expect(isEmpty) }
    }

    @Test("several records are published in the order of their deliveries, without those that are not held back")
    func order() {
        var watches = FrontWatches()
        for (number, isHeldBack) in [(9, true), (7, true), (8, false)] {
            let record = DecisionRecord(
                id: "\(number)", sequence: number, time: Instant(microseconds: 0), source: "test", configuration: "")
            _ = watches.noteRecord(number, Shared(record), heldBackFrom: isHeldBack ? Arrival.Events() : nil)
        }
        let published = watches.takeHeldBack().map { action in
            if case .publish(let record, _) = action { record.value.id } else { "" }
        }
        #expect(published == ["7", "9"])
    }
}
