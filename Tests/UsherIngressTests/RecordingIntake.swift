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

    /// How many senders may wait for answers, for how long those do that have begun, and how many have ended.
    private let free: Mutex<Int>
    private let times = Mutex<[Duration]>([])
    private let ended = Mutex<[AnswerWait]>([])

    let capacity: Int

    init(_ manner: Manner = .finish, capacity: Int = .max, senders: Int = 0) {
        self.manner = manner
        self.capacity = capacity
        free = Mutex(senders)
    }

    func beginWaiting(_ timeout: Duration, count: Int) -> [AnswerWait]? {
        guard
            free.withLock({ free in
                guard count <= free else { return false }
                free -= count
                return true
            })
        else { return nil }
        times.withLock { $0.append(timeout) }
        return (0..<count).map { _ in AnswerWait(for: timeout) }
    }

    func endWaiting(_ wait: AnswerWait) {
        ended.withLock { ended in if !ended.contains(where: { $0 === wait }) { ended.append(wait) } }
    }

    var waitTimes: [Duration] { times.withLock { $0 } }
    var endedWaits: Int { ended.withLock { $0.count } }

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
    private let gone = Mutex<(@Sendable () -> Void)?>(nil)

    func whenClientIsGone(_ body: @escaping @Sendable () -> Void) { gone.withLock { $0 = body } }

    private let released = Mutex(0)

    /// How often it was said that the body is needed no longer.
    var releases: Int { released.withLock { $0 } }

    func releaseBody() { released.withLock { $0 += 1 } }

    /// The client closes its connection.
    func leave() { gone.withLock { $0.take() }?() }

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
