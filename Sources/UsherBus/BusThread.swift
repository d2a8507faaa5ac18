internal import CLinux
internal import Dispatch
internal import Glibc
internal import Synchronization
internal import UsherSystem

/// Something for the bus's thread to do.
enum BusJob: Sendable {
    case call(BusCall, BusAnswer, Deadline)
    case observe(Int, BusMatch, @Sendable (BusEvent) -> Void, BusAnswer)
    case forget(Int)
    case serve(BusService, BusAnswer)
    case emit(BusMessage, String?, BusAnswer)
    case reply(Int, BusReply?)

    var answer: BusAnswer? {
        switch self {
        case .call(_, let answer, _), .observe(_, _, _, let answer), .serve(_, let answer), .emit(_, _, let answer):
            answer
        case .forget, .reply: nil
        }
    }
}

/// What calls of others are answered with, and the name that they call.
struct BusService: Sendable {
    /// nil: they call the connection by its unique name.
    var name: String?
    /// Whether the bus gives us the name when its owner leaves.
    var waits = false
    var body: @Sendable (BusMessage) -> BusReply?
}

/// Answers a call of others, from any thread and at most once. A call that is forgotten is answered with an error.
package final class BusReplier: Sendable {
    private let number: Int
    private let thread: BusThread
    private let isUsed = Atomic<Bool>(false)

    init(_ number: Int, _ thread: BusThread) {
        self.number = number
        self.thread = thread
    }

    deinit { give(.error("org.freedesktop.DBus.Error.Failed", "there is no answer")) }

    /// - Parameter reply: nil where the method is unknown.
    package func give(_ reply: BusReply?) {
        guard !isUsed.exchange(true, ordering: .relaxed) else { return }
        _ = thread.submit(.reply(number, reply))
    }
}

/// An answer that a thread waits for; the first that is given counts.
final class BusAnswer: Sendable {
    private let given = Mutex<Result<BusMessage, BusProblem>?>(nil)
    private let arrival = DispatchSemaphore(value: 0)

    func give(_ result: Result<BusMessage, BusProblem>) {
        let isFirst = given.withLock { given in
            guard given == nil else { return false }
            given = result
            return true
        }
        if isFirst { arrival.signal() }
    }

    func wait(until deadline: Deadline) -> Result<BusMessage, BusProblem> {
        // The bus thread enforces the deadline. This longer limit is for a bus thread that is blocked in a handler.
        let patience = DispatchTimeInterval.milliseconds(Int(deadline.remainingMilliseconds) + 1000)
        _ = arrival.wait(timeout: .now() + patience)
        return given.withLock { $0 } ?? .failure(.timeLimit)
    }
}

/// The one thread that communicates with the bus. It sleeps until the bus sends something or another thread submits a
/// job.
final class BusThread: Sendable {
    private struct State {
        var jobs: [BusJob] = []
        var thread: SystemThread?
        var isEnding = false
        var observers = 0
    }

    private let address: Result<String, BusProblem>
    private let state = Mutex(State())
    private let wake = usher_eventfd()

    private static let stackSize = 512 * 1024

    init(address: Result<String, BusProblem>) { self.address = address }

    deinit { if wake >= 0 { close(wake) } }

    /// A number for an observer.
    func number() -> Int {
        state.withLock { state in
            state.observers += 1
            return state.observers
        }
    }

    /// Gives it something to do. False on the thread itself, which cannot wait for what it has to do: a handler of signals
    /// that needs an answer asks from another thread.
    func submit(_ job: BusJob) -> Bool {
        let isPossible: Bool? = state.withLock { state in
            if let thread = state.thread, thread.isCurrent, job.answer != nil { return false }
            guard !state.isEnding, wake >= 0 else { return nil }
            state.jobs.append(job)
            if state.thread == nil { state.thread = start() }
            return state.thread == nil ? nil : true
        }
        switch isPossible {
        case true: usher_eventfd_signal(wake)
        case false: return false
        default: job.answer?.give(.failure(.absent("the system gives no thread or descriptor for it")))
        }
        return true
    }

    func end() {
        state.withLock { $0.isEnding = true }
        if wake >= 0 { usher_eventfd_signal(wake) }
    }

    private func start() -> SystemThread? {
        // Signals are for the threads that wait for them.
        SystemThread.start(stackSize: BusThread.stackSize, takesSignals: false) { self.run() }
    }

    private func run() {
        var loop = BusLoop(address: address) { [self] number in BusReplier(number, self) }
        while true {
            let (jobs, isEnding) = state.withLock { state in
                defer { state.jobs = [] }
                return (state.jobs, state.isEnding)
            }
            for job in jobs { loop.perform(job) }
            loop.receive()
            if isEnding { return loop.end() }
            let interest = loop.interest
            var events = [
                pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
                pollfd(fd: interest.descriptor, events: interest.events, revents: 0),
            ]
            _ = unsafe poll(&events, nfds_t(events.count), interest.milliseconds)
            if events[0].revents != 0 { usher_eventfd_clear(wake) }
        }
    }
}
