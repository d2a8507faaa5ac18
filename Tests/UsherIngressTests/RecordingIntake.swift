import Synchronization
import UsherEngine
import UsherHTTP
import UsherLog
import UsherPayload
import UsherScene
import UsherText

/// Accepts arrivals, keeps them, and reports the configured result of each.
final class RecordingIntake: Intake {
    enum Manner: Sendable {
        /// Accepted, and finished where the sender waits for the end.
        case finish
        /// Accepted, and never finished.
        case accept
        /// Kept; the test calls the events.
        case hold
        case full
        case refuse(Diagnostic)
    }

    private let manner: Manner
    private let kept = Mutex<[Arrival]>([])

    let capacity: Int

    init(_ manner: Manner = .finish, capacity: Int = .max) {
        self.manner = manner
        self.capacity = capacity
    }

    var arrivals: [Arrival] { kept.withLock { $0 } }

    func submit(_ arrivals: [Arrival]) -> Bool {
        if case .full = manner { return false }
        let first = kept.withLock { kept in
            defer { kept += arrivals }
            return kept.count
        }
        for (index, arrival) in arrivals.enumerated() {
            let id = "id-\(first + index + 1)"
            switch manner {
            case .finish:
                arrival.events.accepted?(id)
                arrival.events.finished?(RecordingIntake.record(id, arrival))
            case .accept: arrival.events.accepted?(id)
            case .refuse(let problem): arrival.events.refused?(problem)
            case .hold, .full: break
            }
        }
        return true
    }

    static func record(_ id: String, _ arrival: Arrival) -> DecisionRecord {
        var record = DecisionRecord(
            id: id, sequence: 1, time: Instant(microseconds: 0), source: arrival.source, configuration: "sha256:0")
        if case .success(let payload) = arrival.reading { record.target = payload.targetContentIdentifier }
        return record
    }
}

/// Keeps the one answer of a request.
final class RecordingResponder: HTTPResponder {
    private let kept = Mutex<[HTTPResponse]>([])

    var responses: [HTTPResponse] { kept.withLock { $0 } }

    func respond(_ response: HTTPResponse) { kept.withLock { $0.append(response) } }

    func stream(_ response: HTTPResponse) -> any HTTPStream {
        respond(response)
        return NoStream()
    }

    private struct NoStream: HTTPStream {
        func send(_ bytes: [UInt8]) -> Bool { false }
        func close() {}
    }
}
