internal import Dispatch
internal import Synchronization
internal import UsherStore

extension RecordBroadcast {
    /// What a subscription begins with.
    enum Beginning: Sendable {
        case new
        case journal(RecordBacklog)
        /// The delivery is not known.
        case unknown
        case failed(StoreError)
    }

    static func begin(after id: String, in store: Store) -> Beginning {
        do throws(StoreError) {
            return try RecordBacklog(after: id, in: store).map { .journal($0) } ?? .unknown
        } catch {
            return .failed(error)
        }
    }

    // All of this runs on the queue.

    func begin(_ number: Int, at place: RecordSubscriber.Place) {
        state.withLock { $0.subscribers[number]?.subscriber?.place = place }
        advance(number)
        beatLater()
    }

    func advanceAll() {
        let numbers = state.withLock { state in
            state.isAwake = false
            return state.subscribers.filter { $0.value.subscriber?.isBusy == false }.map(\.key)
        }
        for number in numbers { advance(number) }
    }

    private func advance(_ number: Int) {
        // Taken out, so that what is changed is not copied.
        let (found, end) = state.withLock { ($0.subscribers[number]?.subscriber.take(), $0.log.end) }
        guard var subscriber = found else { return }
        let need =
            subscriber.isBusy
            ? .nothing : subscriber.advance(end: end) { from in state.withLock { $0.log.events(from: from) } }
        switch need {
        case .nothing: break
        case .page, .room, .journal: subscriber.isBusy = true
        case .end:
            subscriber.receiver.end()
            return remove(number)
        }
        let patience = subscriber.patience
        let store = subscriber.store
        let isThere = state.withLock { state in
            guard state.subscribers[number] != nil else { return false }
            state.subscribers[number]?.subscriber = subscriber
            return true
        }
        guard isThere else { return }
        switch need {
        case .nothing, .end: break
        case .room:
            queue.asyncAfter(deadline: .now() + .milliseconds(patience)) { [weak self] in self?.goOn(number) }
        case .page(let backlog, let end): read(backlog, end: end, for: number)
        case .journal(let id):
            reading.async { [self] in
                guard let store, case .journal(let backlog) = RecordBroadcast.begin(after: id, in: store) else {
                    return queue.async { [self] in giveUp(number) }
                }
                queue.async { [self] in
                    state.withLock { $0.subscribers[number]?.subscriber?.place = .journal(backlog) }
                    goOn(number)
                }
            }
        }
    }

    private func read(_ backlog: RecordBacklog, end: Int, for number: Int) {
        reading.async { [self] in
            var backlog = backlog
            do throws(StoreError) {
                let page = try backlog.next()
                queue.async { [self, backlog] in
                    state.withLock { $0.subscribers[number]?.subscriber?.take(page, backlog, end: end) }
                    goOn(number)
                }
            } catch {
                queue.async { [self] in giveUp(number) }
            }
        }
    }

    private func goOn(_ number: Int) {
        state.withLock { $0.subscribers[number]?.subscriber?.isBusy = false }
        advance(number)
    }

    private func giveUp(_ number: Int) {
        state.withLock { $0.subscribers[number]?.subscriber?.receiver }?.end()
        remove(number)
    }
}
