internal import Glibc
internal import Synchronization
internal import UsherLog
internal import UsherPayload
internal import UsherScene
internal import UsherStore

extension Dispatcher {
    /// How many requests one transaction takes up again.
    static let pumpLimit = 64
    /// How long to wait after the store refused, in microseconds.
    static let pumpPatience: UInt32 = 1_000_000

    /// Sees to it that what waits is taken up as lanes become free and tries fall due. Under no lock.
    func wakePump() {
        backlog.pump(isPatient: options.queue != nil) { [self] in pump() }
        backlog.lendHand()
    }

    /// Takes up what waits and has its turn; whether there was any.
    func pump() -> Bool {
        if isStopping { return false }
        if Interruption.isRequested, options.queue == nil { return giveUpRetries() }
        var taken: [Taken] = []
        var failure: StoreError?
        let hasWork = turn.withLock { _ in
            let ids = backlog.next(now: MonotonicClock.microseconds(), limit: Dispatcher.pumpLimit)
            if ids.isEmpty { return false }
            do throws(StoreError) {
                let items = try store.deliveries(ids: ids).filter { !$0.state.isTerminal }.map { item(for: $0) }
                taken = try commit(items, mayQueue: false)
                backlog.remove(ids)
            } catch {
                failure = error
                return false
            }
            return true
        }
        if let failure {
            // Nothing is lost: it is in the journal. A full disk may have room again soon.
            logger.error(
                "waiting requests could not be taken up",
                ["error.code": .text(failure.code.code), "error.message": .text(failure.message)])
            usleep(Dispatcher.pumpPatience)
            return options.queue != nil
        }
        settle(taken)
        return hasWork
    }

    /// A request as the journal has it.
    func item(for left: Store.StoredDelivery) -> Item {
        let companion = companions.withLock { $0[left.id] }
        var record = record(of: left, configuration: "")
        record.sequence = companion?.sequence ?? 0
        let reading: Result<Payload, PayloadError>
        do {
            reading = .success(try left.payload())
        } catch {
            reading = .failure(error)
        }
        var item = Item(
            reading: reading, delivery: left.delivery, record: record, app: left.app,
            arrival: companion?.arrival ?? 0, started: MonotonicClock.microseconds())
        item.attempt = left.attempts + 1
        item.forgiven = left.redriven ?? 0
        return item
    }

    /// The run was interrupted: what waits for another try has had its last.
    private func giveUpRetries() -> Bool {
        let ids = backlog.takeRetries()
        for id in ids {
            guard var last = companions.withLock({ $0[id]?.lastTry })?.record else { continue }
            do {
                _ = try store.finish(delivery: id, state: .failed, record: last.json, owner: owner)
            } catch {
                last.warnings.append(.notJournalled(error))
            }
            conclude(last)
        }
        return !ids.isEmpty
    }
}
