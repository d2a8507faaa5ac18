internal import UsherResolution
internal import UsherScene
internal import UsherStore
internal import UsherText

/// The data that is stored for a decision so that it can be explained later: the relevant state, without any texts.
///
/// For an explanation, the request is read again from the input, conditions and titles from the stored versions of
/// sessions, and apps from the manifests of that time. The resolver then makes the same decision again. The size is
/// some hundred bytes.
struct DecisionEvidence: Sendable, Equatable {
    /// In microseconds since 1970.
    var time: Int64
    var freshness: Freshness
    /// The app that the request named, or that its sender was known by.
    var named: String?
    /// The app that the decision is about.
    var app: String?
    var policy: Policy?
    /// The places of those scenes of the app that have a program that was not found.
    var missing: [Int] = []
    /// How many sessions were in question; perhaps more than `candidates`.
    var count = 0
    /// The place of the winner among `candidates`.
    var winner: Int?
    var candidates: [Candidate] = []
    var redirection = Redirection.none
    var newestURL: String?
    /// When the apps that claim the content were used last; without those that never were.
    var uses: [Use] = []

    struct Use: Sendable, Equatable {
        var app: String
        /// In microseconds since 1970.
        var time: Int64
    }

    struct Candidate: Sendable, Equatable {
        /// See `StoreState.versions(of:)`.
        var version: Int64
        var state: SceneSession.State
        var used: Int64?
    }

    /// The largest number of sessions that are recorded, in addition to the winner.
    static let limit = 12

    /// - Parameter accepted: of the delivery, in microseconds since 1970.
    static func of(
        _ decision: Decision, accepted: Int64, in resolver: Resolver, at now: Int64, _ state: inout StoreState
    ) throws(StoreError) -> Store.Evidence {
        let missing = resolver.snapshot.missingPrograms
        let request = decision.payloadRequest.request
        var evidence = DecisionEvidence(
            time: now, freshness: resolver.snapshot.freshness, app: decision.resolution.app, policy: decision.policy)
        if case .id(let app) = request.app, !decision.isErrand { evidence.named = app }
        if !missing.isEmpty, let app = decision.app {
            evidence.missing = app.scenes.indices.filter {
                missing.contains(.init(app: app.id, scene: app.scenes[$0].name))
            }
        }
        let found = resolver.sessionsInQuestion(
            for: decision.resolution, of: request, following: decision.redirection, limit: limit)
        evidence.count = found.count
        let versions = try state.versions(of: found.sessions)
        let sessions = found.sessions
        if let winner = decision.resolution.session {
            evidence.winner = sessions.indices.first { sessions[$0].id.hasSameBytes(as: winner) }
        }
        evidence.candidates = sessions.indices.map { place in
            Candidate(version: versions.rows[place], state: sessions[place].state, used: sessions[place].used)
        }
        evidence.redirection = decision.redirection
        evidence.newestURL = request.newestURL
        evidence.uses = resolver.lastUsesOfOwners(of: request, following: decision.redirection).map {
            Use(app: $0.app, time: $0.used)
        }
        let bytes = evidence.bytes(accepted: accepted)
        return Store.Evidence(bytes, room: StoreState.room(for: bytes.count) + versions.room)
    }
}

// MARK: - Bytes

extension DecisionEvidence {
    /// 2: hops are without their kinds. 1: without `uses`, too.
    private static let version: UInt8 = 3

    /// Numbers are in groups of seven bits, the lowest first; times are differences.
    func bytes(accepted: Int64) -> [UInt8] {
        var writer = EvidenceWriter()
        writer.bytes.reserveCapacity(24 + candidates.count * 10)
        let isNamedApp = if let named, let app { named.hasSameBytes(as: app) } else { false }
        let isMoved = redirection != .none || newestURL != nil
        writer.bytes.append(DecisionEvidence.version)
        writer.bytes.append(
            (freshness == .live ? 1 : 0) | (named == nil ? 0 : isNamedApp ? 2 : 4) | (isMoved ? 8 : 0)
                | UInt8(policy.flatMap { Policy.allCases.firstIndex(of: $0) }.map { $0 + 1 } ?? 0) << 4)
        writer.signed(time &- accepted)
        if named != nil, !isNamedApp { writer.text(named) }
        writer.number(count)
        writer.number(winner.map { $0 + 1 } ?? 0)
        writer.number(missing.count)
        for place in missing { writer.number(place) }
        writer.number(candidates.count)
        for candidate in candidates {
            writer.signed(candidate.version)
            let state = SceneSession.State.allCases.firstIndex(of: candidate.state) ?? 0
            writer.number(state << 1 | (candidate.used == nil ? 0 : 1))
            if let used = candidate.used { writer.signed(time &- used) }
        }
        if isMoved { write(redirection, to: &writer) }
        writer.number(uses.count)
        for use in uses {
            // The empty text is the app that the decision is about.
            writer.text(app.map(use.app.hasSameBytes(as:)) == true ? "" : use.app)
            writer.signed(time &- use.time)
        }
        return writer.bytes
    }

    private func write(_ redirection: Redirection, to writer: inout EvidenceWriter) {
        writer.text(newestURL)
        writer.number(redirection.hops.count)
        for hop in redirection.hops {
            writer.text(hop.from.text)
            writer.text(hop.to.text)
            writer.number(Redirection.Hop.Kind.allCases.firstIndex(of: hop.kind) ?? 0)
            writer.text(hop.note)
        }
        switch redirection.end {
        case .content: writer.number(0)
        case .deleted(let note):
            writer.number(1)
            writer.text(note)
        case .loop: writer.number(2)
        }
        writer.text(redirection.tombstone?.identifier.text)
        if let tombstone = redirection.tombstone {
            writer.signed(tombstone.made)
            writer.text(tombstone.reason)
        }
        writer.number(redirection.olderIdentifiers.count)
        for identifier in redirection.olderIdentifiers { writer.text(identifier.text) }
    }

    /// nil where the bytes are of another version, or no evidence.
    ///
    /// - Parameter app: that the delivery is about.
    init?(_ bytes: [UInt8], accepted: Int64, app: String?) {
        var reader = EvidenceReader(bytes: bytes)
        guard let version = reader.byte(), (1...DecisionEvidence.version).contains(version),
            let flags = reader.byte(),
            let time = reader.signed()
        else { return nil }
        self.app = app
        self.time = accepted &+ time
        freshness = flags & 1 == 1 ? .live : .lastSeen
        if flags & 2 != 0 { named = app }
        if flags & 4 != 0 { named = reader.text() }
        let policy = Int(flags >> 4)
        if policy > 0, policy <= Policy.allCases.count { self.policy = Policy.allCases[policy - 1] }
        guard let count = reader.number(), let winner = reader.number(), let missing = reader.number(),
            missing <= bytes.count
        else { return nil }
        self.count = count
        self.winner = winner == 0 ? nil : winner - 1
        for _ in 0..<missing { self.missing.append(reader.number() ?? -1) }
        guard let candidates = reader.number(), candidates <= bytes.count else { return nil }
        for _ in 0..<candidates {
            guard let version = reader.signed(), let state = reader.number(),
                state >> 1 < SceneSession.State.allCases.count
            else { return nil }
            var candidate = Candidate(version: version, state: SceneSession.State.allCases[state >> 1])
            if state & 1 == 1 {
                guard let used = reader.signed() else { return nil }
                candidate.used = self.time &- used
            }
            self.candidates.append(candidate)
        }
        if flags & 8 != 0 {
            newestURL = reader.text()
            guard let redirection = DecisionEvidence.redirection(from: &reader, hasKinds: version > 2) else {
                return nil
            }
            self.redirection = redirection
        }
        if version > 1 {
            guard let uses = reader.number(), uses <= reader.rest else { return nil }
            for _ in 0..<uses {
                guard let name = reader.text(), let time = reader.signed() else { return nil }
                self.uses.append(Use(app: name.isEmpty ? app ?? "" : name, time: self.time &- time))
            }
        }
        guard !reader.hasFailed else { return nil }
    }

    private static func redirection(from reader: inout EvidenceReader, hasKinds: Bool) -> Redirection? {
        var redirection = Redirection.none
        guard let hops = reader.number(), hops <= 2 * (Redirection.maximumHops + 1) else { return nil }
        for _ in 0..<hops {
            guard let from = reader.text(), let to = reader.text() else { return nil }
            let kinds = Redirection.Hop.Kind.allCases
            let number = hasKinds ? reader.number() : 0
            guard let number, kinds.indices.contains(number), let note = reader.text() else { return nil }
            redirection.hops.append(
                .init(
                    from: TargetContentIdentifier(from), to: TargetContentIdentifier(to),
                    kind: hasKinds ? kinds[number] : note.hasPrefix("prefix") ? .prefix : .move, note: note))
        }
        switch reader.number() {
        case 0: redirection.end = .content
        case 1: redirection.end = .deleted(note: reader.text() ?? "")
        case 2: redirection.end = .loop
        default: return nil
        }
        if let identifier = reader.text() {
            guard let made = reader.signed() else { return nil }
            redirection.tombstone = .init(
                identifier: TargetContentIdentifier(identifier), made: made, reason: reader.text())
        }
        guard let older = reader.number(), older <= reader.rest else { return nil }
        for _ in 0..<older {
            guard let text = reader.text() else { return nil }
            redirection.olderIdentifiers.append(TargetContentIdentifier(text))
        }
        return redirection
    }
}

private struct EvidenceWriter {
    var bytes: [UInt8] = []

    private mutating func unsigned(_ value: UInt64) {
        var value = value
        while value > 127 {
            bytes.append(UInt8(truncatingIfNeeded: value) | 128)
            value >>= 7
        }
        bytes.append(UInt8(value))
    }

    mutating func number(_ value: Int) { unsigned(UInt64(max(0, value))) }

    /// Small numbers take few bytes whatever their sign.
    mutating func signed(_ value: Int64) { unsigned(UInt64(bitPattern: value << 1 ^ value >> 63)) }

    /// nil is not the empty text.
    mutating func text(_ text: String?) {
        number(text.map { $0.utf8.count + 1 } ?? 0)
        if let text { bytes.append(contentsOf: text.utf8) }
    }
}

private struct EvidenceReader {
    private let bytes: [UInt8]
    private var place = 0
    private(set) var hasFailed = false

    init(bytes: [UInt8]) { self.bytes = bytes }

    var rest: Int { bytes.count - place }

    mutating func byte() -> UInt8? {
        guard place < bytes.count else {
            hasFailed = true
            return nil
        }
        place += 1
        return bytes[place - 1]
    }

    private mutating func unsigned() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            guard let byte = byte() else { return nil }
            value |= UInt64(byte & 127) << UInt64(shift)
            if byte < 128 { return value }
        }
        hasFailed = true
        return nil
    }

    mutating func number() -> Int? {
        guard let value = unsigned() else { return nil }
        return Int(exactly: value)
    }

    mutating func signed() -> Int64? {
        unsigned().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
    }

    mutating func text() -> String? {
        guard let size = number(), size > 0 else { return nil }
        guard size - 1 <= rest else {
            hasFailed = true
            return nil
        }
        place += size - 1
        return String(decoding: bytes[(place - size + 1)..<place], as: UTF8.self)
    }
}
