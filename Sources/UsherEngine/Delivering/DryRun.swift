internal import Glibc
public import UsherActivation
public import UsherLog
public import UsherPayload
internal import UsherPlace
internal import UsherResolution
public import UsherScene
public import UsherStore
internal import UsherSystem
public import UsherText

/// Decides payloads and shows what would be done: the planner without a journal. Nothing is carried out or written down.
public struct DryRun {
    private let store: Store
    private let planner: Planner
    private var decisionState: DecisionState
    private let options: Options
    private let descriptor: Int32
    /// Records that are not written yet.
    private var buffer: [UInt8] = []
    /// The errno of the write of records that failed (EPIPE: their reader has gone).
    public private(set) var outputFailure: Int32?
    private var cutter: PayloadCutter
    private var isFromFile = false
    public private(set) var tally = Tally()

    public struct Options: Sendable {
        public var source: String
        /// Goes before the app that a payload names.
        public var app: String?
        public var format = PayloadFormat.auto
        public var missingPrograms: Set<SceneName> = []
        /// Text for people instead of JSON Lines.
        public var style: TerminalStyle?
        public var outputDescriptor: Int32 = 1
        public var openings = EngineOpenings()

        public init(source: String) {
            self.source = source
        }
    }

    /// How many payloads there were, and how many of their records have an error.
    public struct Tally: Sendable {
        public var handled = 0
        public var errors = 0
    }

    public init(
        _ configuration: Configuration, _ store: Store, programs: ProgramLocator, logger: Logger, _ options: Options
    ) throws(StoreError) {
        var sessions = try store.sessions()
        try sessions.noteEnded(in: store) { configuration }
        sessions.follow(configuration)
        for condition in sessions.unreadable {
            logger.log(
                .conditionUnreadable,
                ["session.id": .text(condition.session), "predicate.text": .text(condition.text)])
        }
        self.store = store
        self.options = options
        planner = Planner(duplicateWindow: .zero, programs: programs, openings: options.openings)
        var configuration = configuration
        configuration.replaceDynamicShortcuts(try store.dynamicShortcuts())
        decisionState = DecisionState(configuration, sessions, missingPrograms: options.missingPrograms)
        descriptor = options.outputDescriptor
        cutter = PayloadCutter(PayloadReader(format: options.format))
    }

    /// Decides one payload, or says what is wrong with it.
    public mutating func decide(
        _ reading: Result<Payload, PayloadError>, source: String? = nil, startedAt started: MonotonicInstant
    ) {
        var record = newRecord(source: source)
        decide(reading, into: &record, startedAt: started)
        tally.handled += 1
        if record.error != nil { tally.errors += 1 }
        if let style = options.style {
            buffer.append(contentsOf: (record.text(style: style) + "\n").utf8)
        } else {
            record.appendLine(to: &buffer)
        }
        if buffer.count > DryRun.bufferSize { finish() }
    }

    /// The decision for a payload; it is not counted, and not written.
    ///
    /// - Parameter source: of the delivery; nil for that of the options.
    public mutating func record(
        of reading: Result<Payload, PayloadError>, source: String? = nil, startedAt started: MonotonicInstant
    ) -> DecisionRecord {
        var record = newRecord(source: source)
        decide(reading, into: &record, startedAt: started)
        return record
    }

    private func newRecord(source: String?) -> DecisionRecord {
        DecisionRecord(
            id: UUIDv7.next(), sequence: tally.handled + 1, time: Instant.now, source: source ?? options.source,
            configuration: decisionState.resolver.snapshot.configuration.digest, isDryRun: true)
    }

    private mutating func decide(
        _ reading: Result<Payload, PayloadError>, into record: inout DecisionRecord, startedAt started: MonotonicInstant
    ) {
        switch reading {
        case .failure(let error): record.error = .init(error)
        case .success(let payload):
            var facts = StoreFacts(store: store)
            // A store that cannot be read follows no redirect, and counts nothing.
            do throws(StoreError) {
                var decision = try planner.decision(
                    payload, app: options.app, source: record.source, response: nil, in: &decisionState, &facts)
                _ = try? decision.observeRate(of: nil, collapse: payload.collapseID, in: &facts)
                record.apply(decision, payload)
            } catch {}
        }
        record.decideTime = MonotonicClock.now - started
    }

    /// How many bytes are collected before they are written.
    private static let bufferSize = 64 * 1024

    /// Writes out what was decided.
    public mutating func finish() {
        if outputFailure == nil, !buffer.isEmpty, !FileOutput.write(buffer, to: descriptor) { outputFailure = errno }
        buffer.removeAll(keepingCapacity: true)
    }

    // MARK: Input

    /// Begins another input.
    public mutating func begin(_ form: InputForm, isFromFile: Bool) {
        cutter.begin(form)
        self.isFromFile = isFromFile
    }

    /// Decides what these bytes complete; an interruption, or records that cannot be written, end it after a payload.
    public mutating func receive(_ bytes: ArraySlice<UInt8>) {
        cutter.push(Array(bytes))
        decideTexts()
    }

    /// Decides what is left of the input.
    public mutating func endInput() {
        cutter.finish()
        decideTexts()
    }

    private mutating func decideTexts() {
        while !Interruption.isRequested, outputFailure == nil {
            let started = MonotonicClock.now
            guard let text = cutter.next() else { break }
            decide(text.reading, source: isFromFile ? "file" : nil, startedAt: started)
        }
    }
}

/// What a decision asks of a store that is only read, outside of a transaction.
struct StoreFacts: PlanningFacts {
    let store: Store

    func state(of delivery: String) -> DeliveryState? { nil }
    func original(of delivery: Store.NewDelivery, app: String?, window: Duration) -> String? { nil }
    func collapsing(_ collapse: String, app: String?, before id: String) -> [Store.StoredDelivery] { [] }
    func inputsOfOpenedPages(since: Int64, limit: Int) -> [[UInt8]] { [] }
    func mapApps(
        _ find: EngineOpenings.MapApps, for place: Place, in configuration: Configuration, now: Instant
    ) throws(StoreError) -> [App] {
        try store.read { (state) throws(StoreError) in try find(place, configuration, now, &state) }
    }
    func redirection(of target: TargetContentIdentifier, _ ties: Ties) throws(StoreError) -> Redirection {
        try store.redirection(of: target, ties)
    }
    func interruptions(
        of app: String, within milliseconds: Int, for delivery: String?, collapse: String?,
        target: String?
    ) throws(StoreError) -> RecentInterruptions {
        try store.interruptions(of: app, within: milliseconds, for: delivery, collapse: collapse, target: target)
    }
}
