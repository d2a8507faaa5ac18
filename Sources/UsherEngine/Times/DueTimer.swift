internal import Dispatch
internal import Synchronization
package import UsherLog
internal import UsherScene
package import UsherStore
internal import UsherSystem
internal import UsherText

/// What is to be done at times: each once, and late rather than never. Called on the thread of one `DueTimer`.
package protocol DueWork: Sendable {
    /// When the next is due, in microseconds since 1970; nil where nothing waits for a time.
    func nextDue() throws(StoreError) -> Int64?
    /// Does some of what is due; false where that has to wait.
    func performDue() throws(StoreError) -> Bool
    /// Called at first, and when the clock was set back: the zone may be another one than before.
    func clockChanged() throws(StoreError)
}

extension DueWork {
    package func clockChanged() {}
}

/// Has work done when it is due. The work itself says when that is, and keeps it on disk.
///
/// It has a thread of its own, from the first thing that is asked of it. That sleeps in `poll`: timers of libdispatch do not
/// come where a program runs under a clock that is not the system's.
package final class DueTimer: Sendable {
    /// Whether something may be due at another time after it.
    package typealias Job = @Sendable () -> Bool

    private let loop: DueLoop
    private let name: String
    private let thread = Mutex<WatchThread?>(nil)

    /// - Parameter name: of the thread, at most nine bytes.
    package init(_ work: any DueWork, named name: String, _ logger: Logger) {
        loop = DueLoop(work, logger)
        self.name = "usher.\(name)"
    }

    /// Adjusts the work to the clock, on this thread. To be called before anything about the work is answered.
    package func begin() { loop.logErrors { () throws(StoreError) in try loop.adjust() } }

    /// Does what is due, now and later. To be called once at the start, and whenever something may be due at another
    /// time. Returns at once.
    package func look() { perform { true } }

    /// Does something on the thread, after what was asked for before. Returns at once.
    package func perform(_ job: @escaping Job) {
        loop.add(job)
        let hasThread = thread.withLock { thread in
            if thread == nil { thread = WatchThread(named: name) { [loop] in loop.run(until: $0) } }
            return thread != nil
        }
        if !hasThread { loop.doJobs() }
    }

    /// Begins nothing from now on; returns when what was begun is on disk.
    package func stop() {
        loop.isStopped.store(true, ordering: .relaxed)
        flush()
    }

    /// Returns when everything that was asked for before is done.
    package func flush() {
        let isDone = DispatchSemaphore(value: 0)
        perform {
            isDone.signal()
            return false
        }
        isDone.wait()
    }
}

/// What the thread of a timer does.
private final class DueLoop: Sendable {
    let isStopped = Atomic<Bool>(false)
    private let work: any DueWork
    private let logger: Logger
    private let signal = WakeSignal()
    private let state = Mutex<(jobs: [DueTimer.Job], next: Deadline?)>(([], nil))
    /// What the clock showed at the last look.
    private let seen = Atomic<Int64>(.max)

    /// While something waits for a time, the clock is looked at this often: it may jump, and the machine may sleep.
    private static let longestWait = Duration.seconds(5)

    init(_ work: any DueWork, _ logger: Logger) { (self.work, self.logger) = (work, logger) }

    func add(_ job: @escaping DueTimer.Job) {
        state.withLock { $0.jobs.append(job) }
        signal.raise()
    }

    func run(until end: WatchThread.End) {
        while true {
            var next = state.withLock { $0.next }
            // Without a descriptor the signal is never raised.
            if signal.descriptor < 0 { next = next ?? Deadline(inMilliseconds: 1000) }
            if signal.wait(until: next, or: end.descriptor).other { return }
            signal.clear()
            if next?.isOver == true { look() }
            doJobs()
        }
    }

    /// Not to be called by two threads at once.
    func doJobs() {
        while let job = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) {
            if job() { look() }
        }
    }

    private func look() {
        let next = performDue()
        state.withLock { $0.next = next.map { Deadline(in: $0) } }
    }

    /// Does what is due; how long there is nothing to do then, nil for as long as nothing is asked.
    private func performDue() -> Duration? {
        logErrors { () throws(StoreError) in
            try adjust()
            while !isStopped.load(ordering: .relaxed), let due = try work.nextDue() {
                let left = due - Instant.now.microseconds
                if left > 0 { return min(.microseconds(left + 1000), Self.longestWait) }
                guard try work.performDue() else { return Self.longestWait }
            }
            return nil
        } ?? Self.longestWait
    }

    /// Tells the work that the clock was set back, also at first.
    func adjust() throws(StoreError) {
        let now = Instant.now.microseconds
        let before = seen.exchange(now, ordering: .relaxed)
        if now < before { try work.clockChanged() }
    }

    /// Does something; nil with an entry in the log where the store refuses it.
    @discardableResult
    func logErrors<T>(_ work: () throws(StoreError) -> T) -> T? {
        do throws(StoreError) {
            return try work()
        } catch {
            logger.log(
                .notificationNotStored,
                ["error.code": .text(error.code.code), "error.message": .text(error.message)])
            return nil
        }
    }
}
