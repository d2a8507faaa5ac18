internal import Synchronization
public import UsherLog
internal import UsherScene
public import UsherStore

extension Dispatcher {
    /// Takes a delivery up again that failed, expired, collapsed or was a duplicate: see `Store.retry`. It waits for its
    /// turn as if it had just arrived.
    public func retry(delivery id: String) throws(StoreError) -> Store.RetryResult {
        let result = try store.retry(delivery: id, owner: owner)
        if result == .accepted {
            backlog.queue([id])
            wakePump()
        }
        return result
    }

    /// Forgets a finished delivery; ends one that has not begun: see `Store.drop`.
    public func drop(delivery id: String) throws(StoreError) -> Store.DropResult {
        let (result, record) = try store.write {
            [self] (store) throws(StoreError) -> (Store.DropResult, DecisionRecord?) in
            guard let known = try store.delivery(id: id) else { return (.unknown, nil) }
            if known.state == .acting { return (.acting, nil) }
            if known.state.isTerminal { return (try store.forget(delivery: id) ? .removed : .unknown, nil) }
            let record = world.withLock { self.record(of: known, configuration: $0.configuration.digest) }.dropped
            try world.withLock { (world) throws(StoreError) in
                _ = try abandon(known, .failed, record, &world, &store)
            }
            return (.dropped, record)
        }
        if let record {
            backlog.remove([id])
            conclude(record)
        }
        return result
    }
}

extension DecisionRecord {
    /// The record of a delivery that was dropped before its effect began.
    public var dropped: DecisionRecord {
        var record = without(.invalid)
        record.outcome = .failed
        record.error = .dropped
        return record
    }
}
