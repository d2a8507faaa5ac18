extension APNsPayload {
    /// The JSON text, checked for a push type.
    ///
    /// - Throws: ``BuildingError``: an empty identifier, a value out of its range, a custom member named `aps` or given
    ///   twice, a background push with something to show, or more bytes than ``APNsPushType/sizeLimit`` (and how many).
    public func body(for type: APNsPushType = .alert) throws(BuildingError) -> [UInt8] {
        try check(for: type)
        var aps: [PayloadValue.Member] = []
        if let alert { aps.append(.init("alert", alert.value)) }
        if let badge { aps.append(.init("badge", .integer(Int64(badge)))) }
        if let sound { aps.append(.init("sound", sound.value)) }
        if let threadIdentifier { aps.append(.init("thread-id", .string(threadIdentifier))) }
        if let category { aps.append(.init("category", .string(category))) }
        if isContentAvailable { aps.append(.init("content-available", 1)) }
        if isMutableContent { aps.append(.init("mutable-content", 1)) }
        if let targetContentIdentifier { aps.append(.init("target-content-id", .string(targetContentIdentifier))) }
        if let interruptionLevel { aps.append(.init("interruption-level", .string(interruptionLevel.rawValue))) }
        if let relevanceScore { aps.append(.init("relevance-score", .number(relevanceScore))) }
        if let filterCriteria { aps.append(.init("filter-criteria", .string(filterCriteria))) }
        let bytes = PayloadValue.object([.init("aps", .object(aps))] + custom).bytes
        guard bytes.count <= type.sizeLimit else { throw .tooLarge("payload", bytes.count, limit: type.sizeLimit) }
        return bytes
    }

    private func check(for type: APNsPushType) throws(BuildingError) {
        if let targetContentIdentifier {
            try BuildingError.check(target: targetContentIdentifier, at: "aps.target-content-id")
        }
        if let badge, badge < 0 { throw BuildingError(.value, "aps.badge", "is \(badge); 0 removes the badge") }
        if case .critical(_, let volume) = sound, !(0...1).contains(volume) {
            throw BuildingError(.value, "aps.sound.volume", "is \(volume), not from 0 to 1")
        }
        if let relevanceScore {
            guard relevanceScore.isFinite, type == .liveActivity || (0...1).contains(relevanceScore) else {
                throw BuildingError(.value, "aps.relevance-score", "is \(relevanceScore), not from 0 to 1")
            }
        }
        if case .named(let name) = sound, name.isEmpty { throw BuildingError(.value, "aps.sound", "is empty") }
        try alert?.check()
        if type == .background {
            guard isContentAvailable else {
                throw BuildingError(.conflict, "aps.content-available", "is what a background push is for")
            }
            guard alert == nil, badge == nil, sound == nil else {
                throw BuildingError(.conflict, "aps", "a background push has no alert, badge or sound")
            }
        }
        var names: Set<[UInt8]> = [Array("aps".utf8)]
        for member in custom where !names.insert(Array(member.name.utf8)).inserted {
            throw BuildingError(.member, member.name, "is there already: custom members stand beside aps, each once")
        }
    }
}

extension APNsPayload.Alert {
    fileprivate func check() throws(BuildingError) {
        for (place, text, key) in [
            ("title", title, localizedTitle?.key), ("subtitle", subtitle, localizedSubtitle?.key),
            ("body", body, localizedBody?.key),
        ] {
            if text != nil, key != nil {
                throw BuildingError(.conflict, "aps.alert.\(place)", "is given as text and as a key")
            }
            if key == "" { throw BuildingError(.value, "aps.alert.\(place)", "the key is empty") }
        }
    }

    fileprivate var value: PayloadValue {
        var members: [PayloadValue.Member] = []
        func add(_ name: String, _ text: String?) { if let text { members.append(.init(name, .string(text))) } }
        func add(_ prefix: String, _ text: APNsPayload.LocalizedText?) {
            guard let text else { return }
            members.append(.init(prefix + "loc-key", .string(text.key)))
            if !text.arguments.isEmpty {
                members.append(.init(prefix + "loc-args", .array(text.arguments.map { .string($0) })))
            }
        }
        add("title", title)
        add("title-", localizedTitle)
        add("subtitle", subtitle)
        add("subtitle-", localizedSubtitle)
        add("body", body)
        add("", localizedBody)
        add("launch-image", launchImage)
        return .object(members)
    }
}

extension APNsPayload.Sound {
    fileprivate var value: PayloadValue {
        switch self {
        case .default: "default"
        case .named(let name): .string(name)
        case .critical(let name, let volume): ["critical": 1, "name": .string(name), "volume": .number(volume)]
        }
    }
}
