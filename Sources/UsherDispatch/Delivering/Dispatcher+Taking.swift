internal import Dispatch
internal import Synchronization
internal import UsherActivation
internal import UsherLog
public import UsherPayload
internal import UsherResolution
internal import UsherScene
internal import UsherStore

extension Dispatcher {
    /// Takes requests: decides them, journals all of them in one transaction, and hands what has an effect to its lane.
    ///
    /// Returns once they are on disk, or refused; effects follow. Blocks while too many records wait to be written out,
    /// where records are written out. Calls from several threads are served one after the other.
    public func handle(_ arrivals: [Arrival]) {
        if arrivals.isEmpty { return }
        if let output, !options.isDryRun {
            // More places at once than there are would be waited for in vain.
            var rest = arrivals[...]
            while !rest.isEmpty {
                let some = rest.prefix(max(1, options.lanes))
                for _ in some { output.reserve() }
                take(Array(some))
                rest = rest.dropFirst(some.count)
            }
            return
        }
        take(arrivals)
    }

    /// Takes one line of input: a payload, or what is wrong with it.
    ///
    /// - Parameters:
    ///   - sequence: the line's place in the input, counted from 1 without gaps.
    ///   - source: where it came from, instead of the run's source.
    ///   - token: what a desktop gave whoever asked.
    public func handle(
        _ reading: Result<Payload, PayloadError>, input: ArraySlice<UInt8>, sequence: Int, source: String? = nil,
        token: String? = nil, startedAt started: Int64
    ) {
        if options.isDryRun {
            return rehearse(reading, sequence: sequence, source: source, startedAt: started)
        }
        var arrival = Arrival(
            reading, input: Array(input), source: source ?? options.source, started: started)
        arrival.sequence = sequence
        arrival.token = token
        handle([arrival])
    }

    /// Decides and shows, and does nothing.
    func rehearse(
        _ reading: Result<Payload, PayloadError>, sequence: Int, source: String?, startedAt started: Int64
    ) {
        var record = world.withLock { world in
            DecisionRecord(
                id: UUIDv7.next(), sequence: sequence, time: Timestamp.now(), source: source ?? options.source,
                configuration: world.configuration.digest, isDryRun: true)
        }
        switch reading {
        case .failure(let error):
            record.decideMicroseconds = MonotonicClock.microseconds() - started
            record.error = .init(error)
        case .success(let payload):
            var decision = self.decision(payload, app: options.app).decision
            // A store that cannot be read counts nothing.
            try? decision.observeRate(collapse: payload.headers.apnsCollapseID, in: store)
            record.take(decision, payload)
            record.decideMicroseconds = MonotonicClock.microseconds() - started
        }
        emit(record)
    }

    /// The same as `handle`, with places in the output that were reserved before.
    func take(_ arrivals: [Arrival]) {
        var taken: [Taken] = []
        var refusal: DecisionRecord.Problem?
        var items: [Item] = []
        turn.withLock { turn in
            items = arrivals.map { item(for: $0, &turn) }
            // Before anything is on disk, so that whoever ends one of them there knows whom to tell.
            let now = MonotonicClock.microseconds()
            companions.withLock { companions in
                // By place: items are large, and a copy of each would cost more than what is done here.
                for place in items.indices {
                    companions[items[place].delivery.id] = Companion(
                        sequence: items[place].record.sequence, arrival: items[place].arrival,
                        events: arrivals[place].events, isAnnounced: arrivals[place].events.accepted == nil, since: now)
                }
            }
            for place in items.indices where arrivals[place].token != nil {
                tokens.keep(arrivals[place].token, of: items[place].delivery.id)
            }
            for _ in items { open.enter() }
            do throws(StoreError) {
                taken = try commit(items, mayQueue: true)
            } catch {
                refusal = .init(error.code, error.message, help: error.help)
            }
        }
        if let refusal { return refuse(items, arrivals, refusal) }
        announce(items, arrivals)
        settle(taken)
        prune(after: items)
    }

    /// What is not on disk must not look as if it were.
    private func refuse(_ items: [Item], _ arrivals: [Arrival], _ problem: DecisionRecord.Problem) {
        logger.error(
            "requests could not be journalled",
            [
                "error.code": .text(problem.code.code), "error.message": .text(problem.message),
                "requests": .number(Int64(items.count)),
            ])
        figures.withLock { figures in
            figures.refused += items.count
            figures.isRefusing = true
        }
        for (item, arrival) in zip(items, arrivals) {
            let companion = companions.withLock { $0.removeValue(forKey: item.delivery.id) }
            if let token = tokens.forget(of: item.delivery.id) { activator.windowSystem.endStartup(token) }
            defer { open.leave() }
            arrival.events.refused?(problem)
            guard companion != nil, output != nil else { continue }
            var record = item.record
            if case .success(let payload) = item.reading {
                record.take(decision(payload, app: item.app ?? item.delivery.app).decision, payload)
                record.action = .none
            }
            record.error = record.error ?? problem
            record.outcome = .failed
            emit(record)
        }
    }

    /// A stream may never end: what is old is forgotten meanwhile.
    private func prune(after items: [Item]) {
        guard let last = items.last, last.arrival / 10_000 > (last.arrival - items.count) / 10_000 else { return }
        _ = try? store.pruneDeliveries(keeping: options.retention)
    }

    // MARK: Items

    /// One request before it is journalled, or taken from the journal again.
    struct Item: Sendable {
        var reading: Result<Payload, PayloadError>
        var delivery: Store.NewDelivery
        var record: DecisionRecord
        /// The app that a door or the journal knows.
        var app: String?
        var arrival: Int
        var started: Int64
        /// Whether the journal cannot know it yet: its id was made just now.
        var isNew = false
        /// What a window that its effect makes can be known by; made when the effect is claimed, where it is empty.
        var nonce = UUIDv7.next()
        /// The number of the try that follows.
        var attempt = 1
        /// How many tries do not count any more: somebody asked for the delivery again.
        var forgiven = 0
        /// How often the chosen window had vanished.
        var vanished = 0
        /// The effect began in an earlier run, which was killed: nobody knows how far it came.
        var isInterrupted = false
    }

    private func item(for arrival: Arrival, _ turn: inout Turn) -> Item {
        turn.arrivals += 1
        let now = Timestamp.now()
        let record = DecisionRecord(
            id: UUIDv7.next(), sequence: arrival.sequence ?? turn.arrivals, time: now, source: arrival.source,
            configuration: "")
        let payload = try? arrival.reading.get()
        let app = arrival.app ?? options.app
        var delivery = Store.NewDelivery(
            id: record.id, senderID: arrival.senderID ?? payload?.senderID, source: arrival.source,
            format: payload?.format.rawValue, accepted: now.microseconds, input: arrival.input, app: app,
            target: payload?.targetContentIdentifier)
        if let payload {
            delivery.expires = payload.expires
            delivery.collapse = payload.headers.apnsCollapseID.flatMap { $0.isEmpty ? nil : $0 }
        }
        return Item(
            reading: arrival.reading, delivery: delivery, record: record, app: app, arrival: turn.arrivals,
            started: arrival.started, isNew: true, nonce: "")
    }
}

extension Payload {
    /// After this its effect is not to begin, in microseconds since 1970; 0: at once or never (`apns-expiration`).
    var expires: Int64? {
        guard let text = headers.apnsExpiration, let seconds = Int64(text), seconds >= 0 else { return nil }
        let (microseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return overflow ? nil : microseconds
    }
}
