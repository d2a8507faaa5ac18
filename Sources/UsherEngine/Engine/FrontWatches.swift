internal import UsherLog
internal import UsherScene
internal import UsherText

/// The windows that deliveries have brought to the front and that are watched there, by the number of the delivery.
///
/// A watch may be over before or after the terminal record is on disk; the lane of the delivery is free meanwhile. If a
/// window has lost the front, the record gets a warning on disk. A record that is held back is published after that, when
/// its watch is over, when another window is to be in front, or when the engine stops.
struct FrontWatches: ~Copyable {
    enum Action {
        case publish(Shared<DecisionRecord>, to: Arrival.Events)
        /// Add the warning to the record on disk; `noteAmended` follows.
        case amend(Int, Shared<DecisionRecord>, DecisionRecord.Note)
    }

    /// The records on disk, until the watch is over and its warning is in the record; with their senders as long as they
    /// are held back.
    private var records: [Int: (record: Shared<DecisionRecord>, heldBackFrom: Arrival.Events?)] = [:]
    /// The warnings of watches that were over before the record was on disk.
    private var early: [Int: DecisionRecord.Note?] = [:]

    /// Whether there is no watch with a record on disk.
    var isEmpty: Bool { records.isEmpty }

    /// The record is on disk.
    ///
    /// - Parameter events: of its sender; nil where it is not held back.
    mutating func noteRecord(
        _ number: Int, _ record: Shared<DecisionRecord>, heldBackFrom events: Arrival.Events?
    ) -> Action? {
        records[number] = (record, events)
        return early.removeValue(forKey: number).flatMap { end(number, $0, isOpen: false) }
    }

    /// The watch is over.
    ///
    /// - Parameter isOpen: whether the delivery has no terminal record yet.
    mutating func end(_ number: Int, _ warning: DecisionRecord.Note?, isOpen: Bool) -> Action? {
        guard let (record, sender) = records[number] else {
            if isOpen { early.updateValue(warning, forKey: number) }
            return nil
        }
        guard var warning else { return remove(number) }
        // What was published keeps its outcome.
        if sender == nil, warning.isLoss { warning.name = DiagnosticCode.lostFront.name }
        return .amend(number, record, warning)
    }

    /// The warning is in the record on disk, or was refused.
    mutating func noteAmended(_ number: Int, _ warning: DecisionRecord.Note) -> Action? { remove(number, warning) }

    /// The records that are held back: another window is to be in front from now on, or the engine stops. Their watches go
    /// on.
    mutating func takeHeldBack() -> [Action] {
        records.keys.sorted().compactMap { number in
            guard let (record, sender) = records[number], let events = sender else { return nil }
            records[number]?.heldBackFrom = nil
            return .publish(record, to: events)
        }
    }

    /// The delivery ended in another way than with its effect.
    mutating func forgetEarly(_ number: Int) { early[number] = nil }

    private mutating func remove(_ number: Int, _ warning: DecisionRecord.Note? = nil) -> Action? {
        guard let (record, sender) = records.removeValue(forKey: number), let events = sender else { return nil }
        return .publish(warning.map { Shared(record.value.adding($0)) } ?? record, to: events)
    }
}
