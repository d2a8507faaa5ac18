internal import Dispatch
internal import Synchronization
internal import UsherActivation
internal import UsherLog
internal import UsherStore

/// What stays in memory of a delivery that is open: where its record goes.
struct Companion: Sendable {
    /// The place of its record in the output.
    var sequence: Int
    /// Counted over all arrivals: the later one's window comes in front.
    var arrival: Int
    var events: Arrival.Events
    var cancellation: Cancellation?
    /// The delivery whose handler sent it.
    var parent: String?
    /// Whether its arrival has been told: nobody hears of an end before the beginning.
    var isAnnounced: Bool
    /// The terminal record of one that was not announced yet.
    var held: Kept?
    /// The record of the last try, where it is to be tried again.
    var lastTry: Kept?
    /// What earlier tries came to.
    var tries: [DecisionRecord.Note] = []
    /// When it was accepted, by the monotonic clock.
    var since: Int64

    /// A record is large, and few companions ever have one.
    final class Kept: Sendable {
        let record: DecisionRecord

        init(_ record: DecisionRecord) { self.record = record }
    }
}

extension Dispatcher {
    /// Tells the senders that their deliveries are on disk.
    func announce(_ items: [Item], _ arrivals: [Arrival]) {
        for place in items.indices {
            guard let accepted = arrivals[place].events.accepted else { continue }
            let id = items[place].delivery.id
            accepted(id)
            let held = companions.withLock { companions -> Companion.Kept? in
                guard let found = companions.index(forKey: id) else { return nil }
                companions.values[found].isAnnounced = true
                return companions.values[found].held
            }
            if let held { conclude(held.record) }
        }
    }

    /// Tells everybody who is to know of a terminal record, which is on disk or could not be brought there; the first time
    /// for each delivery.
    func conclude(_ record: DecisionRecord) {
        guard !record.isRecovered else { return spread(record) }
        let companion = companions.withLock { companions -> Companion? in
            guard let place = companions.index(forKey: record.id) else { return nil }
            if companions.values[place].isAnnounced { return companions.remove(at: place).value }
            companions.values[place].held = Companion.Kept(record)
            return nil
        }
        guard let companion else { return }
        // Nearly every record has its place already; one that was made of the journal alone has not.
        guard record.sequence == companion.sequence else {
            var placed = record
            placed.sequence = companion.sequence
            return conclude(placed, companion)
        }
        conclude(record, companion)
    }

    private func conclude(_ record: DecisionRecord, _ companion: Companion) {
        emit(record)
        companion.events.finished?(record)
        spread(record)
        open.leave()
    }

    /// Tells those who hear of every record.
    private func spread(_ record: DecisionRecord) {
        if let token = tokens.forget(of: record.id) { activator.windowSystem.endStartup(token) }
        figures.withLock { $0.note(record) }
        for observer in observers.withLock({ $0 }) { observer(record) }
    }

    /// What was launched is not over: the request stays in the journal, for the next run.
    func leave(_ job: Job) {
        logger.notice("a launch is left to the next run of the daemon", ["delivery.id": .text(job.id)])
        tellLeft(job.id)
    }

    /// Tells whoever waits that this run gives the request no record.
    func tellLeft(_ id: String) {
        let companion = companions.withLock { $0.removeValue(forKey: id) }
        companion?.events.left?()
        if let token = tokens.forget(of: id) { activator.windowSystem.endStartup(token) }
    }

    // MARK: Output

    /// Appends what is shown of a record.
    func append(_ record: DecisionRecord, to bytes: inout [UInt8]) {
        guard let style = options.style else { return record.appendLine(to: &bytes) }
        bytes.append(contentsOf: (record.text(style: style) + "\n").utf8)
    }

    private func line(for record: DecisionRecord) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(DecisionRecord.usualSize)
        append(record, to: &bytes)
        return bytes
    }

    /// Writes a record out that is on disk, or need not be.
    func emit(_ record: DecisionRecord) {
        tally.withLock { tally in
            tally.handled += 1
            if record.error != nil { tally.errors += 1 }
        }
        guard let output else { return }
        if options.isDryRun {
            output.append { append(record, to: &$0) }
        } else {
            output.write(line(for: record), at: record.sequence)
        }
    }
}
