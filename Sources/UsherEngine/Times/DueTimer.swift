internal import Dispatch
internal import Synchronization
package import UsherLog
internal import UsherScene
package import UsherStore
internal import UsherSystem
internal import UsherText

/// What is to be done at times: each once, and late rather than never. Called on the queue of one `DueTimer`.
package protocol DueWork: Sendable {
    /// When the next is due, in microseconds since 1970; nil where nothing waits for a time.
    func nextDue() throws(StoreError) -> Int64?
    /// Does some of what is due; false where that has to wait.
    func performDue() throws(StoreError) -> Bool
    /// Called at first, and when the clock was set back.
    func clockChanged() throws(StoreError)
}

extension DueWork {
    package func clockChanged() {}
}

/// Has work done when it is due. The work itself says when that is, and keeps it on disk.
package final class DueTimer: Sendable {
    private let work: any DueWork
    private let logger: Logger
    private let queue: DispatchQueue
    /// Of the look that is awaited: an earlier one does nothing.
    private let turn = Atomic<Int>(0)
    private let isStopped = Atomic<Bool>(false)
    /// What the clock showed at the last look.
    private let seen = Atomic<Int64>(.max)

    /// While something waits for a time, the clock is looked at this often: it may jump, and the machine may sleep.
    private static let longestWait = Duration.seconds(5)

    package init(_ work: any DueWork, named name: String, _ logger: Logger) {
        (self.work, self.logger) = (work, logger)
        queue = DispatchQueue(label: "usher.\(name)")
    }

    /// Does what is due, now and later. To be called once at the start, and whenever something may be due at another
    /// time. Returns at once.
    package func look() { perform { $0.performDue() } }

    /// Does something on the queue. Returns at once.
    package func perform(_ body: @escaping @Sendable (DueTimer) -> Void) {
        queue.async { [weak self] in if let self { body(self) } }
    }

    /// Begins nothing from now on; returns when what was begun is on disk.
    package func stop() {
        isStopped.store(true, ordering: .relaxed)
        flush()
    }

    /// Returns when everything that was asked for before is done.
    package func flush() { queue.sync {} }

    private func performDue() {
        let turn = turn.add(1, ordering: .relaxed).newValue
        do throws(StoreError) {
            let now = Instant.now.microseconds
            let before = seen.exchange(now, ordering: .relaxed)
            if now < before { try work.clockChanged() }
            while !isStopped.load(ordering: .relaxed), let due = try work.nextDue() {
                let left = due - Instant.now.microseconds
                if left > 0 { return look(after: min(.microseconds(left + 1000), Self.longestWait), turn) }
                guard try work.performDue() else { return look(after: Self.longestWait, turn) }
            }
        } catch {
            logger.log(
                .notificationNotStored,
                ["error.code": .text(error.code.code), "error.message": .text(error.message)])
            look(after: Self.longestWait, turn)
        }
    }

    private func look(after wait: Duration, _ turn: Int) {
        queue.asyncAfter(deadline: .now() + .microseconds(Int(wait.microseconds))) { [weak self] in
            guard let self, self.turn.load(ordering: .relaxed) == turn else { return }
            performDue()
        }
    }
}
