internal import Dispatch
internal import Synchronization
internal import UsherLog
internal import UsherSystem
internal import UsherText

/// What other threads hand to the engine's thread, in the order in which they hand it over.
final class Mailbox<Mail: Sendable>: Sendable {
    private struct State {
        var mail: [Mail] = []
        var isWaiting = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let arrival = DispatchSemaphore(value: 0)

    /// Hands over one piece of mail. False where the mailbox is closed: it was not taken.
    @discardableResult
    func post(_ mail: Mail) -> Bool {
        let (isTaken, wakes) = state.withLock { state -> (Bool, Bool) in
            if state.isClosed { return (false, false) }
            state.mail.append(mail)
            defer { state.isWaiting = false }
            return (true, state.isWaiting)
        }
        if wakes { arrival.signal() }
        return isTaken
    }

    /// Everything that was handed over since the last call. Waits while there is nothing, but not beyond `deadline` (nil: for
    /// as long as it takes); then it is empty.
    ///
    /// - Returns: nil where the mailbox is closed and empty.
    func receive(until deadline: MonotonicInstant?) -> [Mail]? {
        while true {
            let (mail, isClosed): ([Mail], Bool) = state.withLock { state in
                var taken: [Mail] = []
                swap(&taken, &state.mail)
                state.isWaiting = taken.isEmpty && !state.isClosed
                return (taken, state.isClosed)
            }
            if !mail.isEmpty { return mail }
            if isClosed { return nil }
            guard let deadline else {
                arrival.wait()
                continue
            }
            let wait = max(.zero, deadline - MonotonicClock.now)
            if arrival.wait(timeout: .now() + .nanoseconds(Int(wait.nanoseconds))) == .timedOut {
                let isEmpty = state.withLock { state in
                    state.isWaiting = false
                    return state.mail.isEmpty
                }
                // Mail that came just now is taken in the next round. Its signal ends a later wait early: the loop then
                // finds no mail and waits again.
                if isEmpty { return [] }
            }
        }
    }

    /// How many pieces of mail have not been received yet.
    var count: Int { state.withLock { $0.mail.count } }

    /// Takes no more; what was taken can still be fetched.
    func close() {
        let wakes = state.withLock { state in
            state.isClosed = true
            defer { state.isWaiting = false }
            return state.isWaiting
        }
        if wakes { arrival.signal() }
    }
}

/// An answer that another thread waits for.
final class Reply<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    func give(_ value: Value) {
        self.value.withLock { $0 = value }
        isThere.signal()
    }

    func wait() -> Value? {
        isThere.wait()
        return value.withLock { $0 }
    }

    /// nil where it did not come within `seconds`.
    func wait(seconds: Double) -> Value? {
        guard isThere.wait(timeout: .now() + seconds) == .success else { return nil }
        return value.withLock { $0 }
    }
}
