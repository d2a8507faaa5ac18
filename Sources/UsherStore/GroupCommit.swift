import Synchronization

/// A change that waits to be committed together with others.
protocol PendingChange: Sendable {
    /// Runs it; what it returned or threw is kept. Returns what it threw.
    func run(in state: inout StoreState) -> StoreError?
    /// Keeps an error as its outcome.
    func fail(_ error: StoreError)
}

/// One body with its outcome.
final class Change<Result: Sendable>: PendingChange {
    typealias Body = @Sendable (inout StoreState) throws(StoreError) -> Result

    private let body: Body
    private let kept = Mutex<Swift.Result<Result, StoreError>?>(nil)

    init(_ body: @escaping Body) { self.body = body }

    /// nil until it was committed, or failed.
    var outcome: Swift.Result<Result, StoreError>? { kept.withLock { $0 } }

    func run(in state: inout StoreState) -> StoreError? {
        do throws(StoreError) {
            let result = try body(&state)
            kept.withLock { $0 = .success(result) }
            return nil
        } catch {
            fail(error)
            return error
        }
    }

    func fail(_ error: StoreError) { kept.withLock { $0 = .failure(error) } }
}

extension StoreState {
    /// Commits changes in one transaction, each in a savepoint: one that fails is rolled back alone.
    mutating func commit(_ changes: [any PendingChange]) {
        if let place, !place.isTaken {
            for change in changes { change.fail(.gone(path: path)) }
            return
        }
        guard changes.count > 1 else {
            for change in changes { commitAlone(change) }
            return
        }
        do throws(StoreError) {
            try run("BEGIN IMMEDIATE")
        } catch {
            // No change can begin. A separate attempt for each would only wait as long again, one after the other, so
            // all fail now.
            for change in changes { change.fail(error) }
            return
        }
        do throws(StoreError) {
            for change in changes {
                try runInSavepoint(change)
            }
            try end()
        } catch {
            rollBack()
            // The transaction was rolled back. Each change is tried alone, so that only the faulty ones fail.
            for change in changes { commitAlone(change) }
        }
    }

    /// The same, followed by `body` in the same transaction. Where `body` fails, the transaction is rolled back, and the
    /// changes are committed again without it.
    mutating func commit<Result>(
        _ changes: [any PendingChange], _ body: (inout StoreState) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        do throws(StoreError) {
            if let place, !place.isTaken { throw .gone(path: path) }
            try run("BEGIN IMMEDIATE")
            for change in changes { try runInSavepoint(change) }
            let result = try body(&self)
            try end()
            return result
        } catch {
            rollBack()
            commit(changes)
            throw error
        }
    }

    private mutating func runInSavepoint(_ change: any PendingChange) throws(StoreError) {
        let before = inserted
        try run("SAVEPOINT change")
        if change.run(in: &self) != nil {
            // A full disk and its like end the whole transaction; then there is no savepoint to go back to.
            try run("ROLLBACK TO change")
            noteRollback()
            inserted = before
        }
        try run("RELEASE change")
    }

    private mutating func commitAlone(_ change: any PendingChange) {
        do throws(StoreError) {
            try run("BEGIN IMMEDIATE")
            if change.run(in: &self) == nil {
                try end()
            } else {
                rollBack()
            }
        } catch {
            rollBack()
            change.fail(error)
        }
    }

    /// Commits, within the bounds of what is kept.
    private mutating func end() throws(StoreError) {
        let found = try forgetOldest()
        try run("COMMIT")
        totals = found
        boundLog()
    }

    private mutating func rollBack() {
        // SQLite may have rolled back by itself; the first error is the one to report.
        _ = try? run("ROLLBACK")
        noteRollback()
    }
}
