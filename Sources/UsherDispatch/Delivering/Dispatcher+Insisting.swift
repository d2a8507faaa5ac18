internal import Glibc
internal import Synchronization
internal import UsherLog
internal import UsherScene
internal import UsherStore

extension Dispatcher {
    /// How long to wait after the store refused, in microseconds: at first, and at most.
    private static let firstPause: Int64 = 50_000
    private static let longestPause: Int64 = 2_000_000
    /// How long to look away from a stop meanwhile.
    private static let slice: UInt32 = 20_000

    /// Brings a step of a request to disk that nothing else may come before: as often as it takes. Called in the
    /// request's lane, which waits, and under no lock.
    ///
    /// A store that another program has locked, or that is full, takes it later. Until then nobody is told what the
    /// journal doesn't know: the next run would see it otherwise.
    ///
    /// - Parameter body: is given the number of the try, from 1. One before may have been written although it failed.
    /// - Returns: nil where this dispatcher was stopped: the journal is left to the next one, and nobody is told.
    /// - Throws: where trying is in vain; and without a queue, where somebody waits for the end of the run, once the store
    ///   has refused for `Options.storePatience`.
    func insist<Result>(
        on id: String, _ body: (_ attempt: Int) throws(StoreError) -> Result
    ) throws(StoreError) -> Result? {
        var pause = Dispatcher.firstPause
        var attempt = 1
        while true {
            let failure: StoreError
            do throws(StoreError) {
                let result = try body(attempt)
                noteStoreTakes()
                return result
            } catch {
                failure = error
            }
            if attempt == 1 {
                logger.error(
                    "a step of a request could not be journalled yet",
                    [
                        "delivery.id": .text(id), "error.code": .text(failure.code.code),
                        "error.message": .text(failure.message),
                    ])
            }
            let refused = noteStoreRefuses()
            if !failure.mayPass { throw failure }
            if isStopping { return nil }
            if options.queue == nil, Interruption.isRequested { throw failure }
            if isCancelled(id) { throw failure }
            if let patience, refused >= patience { throw failure }
            var waited: Int64 = 0
            while waited < pause, !isStopping, !isCancelled(id),
                options.queue != nil || !Interruption.isRequested
            {
                usleep(Dispatcher.slice)
                waited += Int64(Dispatcher.slice)
            }
            pause = min(pause * 2, Dispatcher.longestPause)
            attempt += 1
        }
    }

    private var patience: Int64? {
        options.storePatience ?? (options.queue == nil ? Options.commandPatience : nil)
    }

    /// How long it has been refusing, in microseconds.
    private func noteStoreRefuses() -> Int64 {
        let now = MonotonicClock.microseconds()
        let (_, since) = refusingSince.compareExchange(expected: 0, desired: now, ordering: .relaxed)
        figures.withLock { $0.isRefusing = true }
        return since == 0 ? 0 : now - since
    }

    private func noteStoreTakes() {
        guard refusingSince.load(ordering: .relaxed) != 0 else { return }
        refusingSince.store(0, ordering: .relaxed)
        figures.withLock { $0.isRefusing = false }
    }
}
