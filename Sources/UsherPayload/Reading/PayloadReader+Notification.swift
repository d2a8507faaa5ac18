import UsherJSON
internal import UsherText

// The aps dictionary. Apple: Generating a remote notification.

extension PayloadReader {
    private enum Member: String, CaseIterable, Sendable {
        case alert, badge, sound, category, timestamp, event, attributes
        case threadID = "thread-id"
        case contentAvailable = "content-available"
        case mutableContent = "mutable-content"
        case targetContentID = "target-content-id"
        case interruptionLevel = "interruption-level"
        case relevanceScore = "relevance-score"
        case filterCriteria = "filter-criteria"
        case staleDate = "stale-date"
        case contentState = "content-state"
        case dismissalDate = "dismissal-date"
        case attributesType = "attributes-type"
        case inputPushToken = "input-push-token"
        case inputPushChannel = "input-push-channel"
        case urlArguments = "url-args"
    }

    private static let members = MemberTable<Member>()
    private static let interruptionLevels = MemberTable<Notification.InterruptionLevel>()

    /// Reads a notification: the whole payload, aps and what stands beside it.
    mutating func readNotification(
        _ root: JSONElement, _ members: RootMembers, _ format: PayloadFormat, pushType: String?
    ) throws(PayloadError) -> Content {
        try judgeSize(
            format == .apns && root == document.root ? document.range.count : document.textRange(root).count,
            pushType: pushType)
        var notification = Notification()
        if let aps = members.aps {
            guard document.kind(aps) == .object else { throw wrongType(aps, .apsType, expected: "an object") }
            try readAps(aps, into: &notification, pushType: pushType)
        } else if format == .simctl {
            throw failure(.apsMissing, root, "a simctl payload must have an aps dictionary")
        } else {
            notification.hasAps = false
            warn(.apsMissing, root, "the payload has no aps dictionary")
        }
        if let misplaced = members.misplacedTarget, notification.targetContentIdentifier == nil {
            warnMisplacedTarget(misplaced)
        }
        if let misplaced = members.misplaced, let aps = members.aps { warnMisplaced(misplaced, aps) }
        var bundle: String?
        if let element = members.bundle {
            bundle = try simulatorTargetBundle(element)
        } else if format == .simctl {
            warn(.simctlMissingBundle, root, "there is no \"Simulator Target Bundle\"")
        }
        return (.notification(Shared(notification)), format, bundle)
    }

    private func simulatorTargetBundle(_ element: JSONElement) throws(PayloadError) -> String {
        let bundle = try string(element)
        guard !bundle.isEmpty else { throw failure(.memberEmpty, element, "the bundle identifier is empty") }
        return bundle
    }

    /// A member of aps that stands beside it: the app gets it as its own data. One that is in both places is meant so.
    private mutating func warnMisplaced(_ member: JSONMember, _ aps: JSONElement) {
        let sent = document.string(member.key) ?? ""
        let name = Self.members.key(member.key, in: document)?.rawValue ?? Self.members.suggestion(for: sent) ?? sent
        guard document.value(name, in: aps) == nil else { return }
        warn(
            .apsMisplaced, member.value, "\(sent) is beside aps, where it shows nothing",
            help: sent == name ? "move it into aps" : "write \(name) inside aps")
    }

    private mutating func warnMisplacedTarget(_ member: JSONMember) {
        let name = Self.printable(document.string(member.key) ?? "")
        warn(
            .targetMisplaced, member.value, "\(name) is not where Apple reads it: it belongs inside aps",
            help: "write {\"aps\":{\"target-content-id\": …}}")
    }

    private mutating func readAps(
        _ aps: JSONElement, into notification: inout Notification, pushType: String?
    ) throws(PayloadError) {
        var relevanceScore: JSONElement?
        var alert: JSONElement?
        var next = document.firstMember(aps)
        while let member = next {
            next = document.nextMember(member, in: aps)
            let value = member.value
            guard
                let known = known(
                    member, in: Self.members, target: .targetContentID, misspelt: .apsMisspeltTarget,
                    unknown: .apsUnknownKey, null: .apsNullMember)
            else { continue }
            switch known {
            case .alert:
                alert = value
                try readAlert(value, into: &notification)
            case .badge: notification.badge = try readBadge(value)
            case .sound: notification.sound = try readSound(value)
            case .threadID: notification.threadIdentifier = try string(value, .apsThreadIdType)
            case .category: notification.category = try string(value)
            case .targetContentID: notification.targetContentIdentifier = try identifier(value)
            case .contentAvailable:
                notification.isContentAvailable = try flag(value, type: .apsContentAvailableType)
            case .mutableContent:
                notification.isMutableContent = try flag(value)
            case .interruptionLevel: notification.interruptionLevel = try readInterruptionLevel(value)
            case .relevanceScore:
                relevanceScore = value
                notification.relevanceScore = try number(value)
            case .filterCriteria: notification.filterCriteria = try string(value)
            case .urlArguments: notification.urlArguments = try strings(value)
            case .staleDate, .contentState, .timestamp, .event, .dismissalDate, .attributesType, .attributes,
                .inputPushToken, .inputPushChannel:
                var activity = notification.liveActivity ?? Notification.LiveActivity()
                try readLiveActivity(known, value, into: &activity)
                notification.liveActivity = activity
            }
        }
        if let relevanceScore { try judgeRelevance(relevanceScore, of: notification, pushType: pushType) }
        if notification.liveActivity?.event == .start { warnIncompleteStart(aps, notification) }
        if pushType == "background", let shown = alert, notification.isDisplayable {
            warn(.apsBackgroundWithAlert, shown)
        }
    }

    private mutating func readLiveActivity(
        _ member: Member, _ value: JSONElement, into activity: inout Notification.LiveActivity
    ) throws(PayloadError) {
        switch member {
        case .event: activity.event = try readEvent(value)
        case .timestamp: activity.timestamp = try number(value)
        case .staleDate: activity.staleDate = try number(value)
        case .dismissalDate: activity.dismissalDate = try number(value)
        case .contentState: activity.contentState = try object(value)
        case .attributesType: activity.attributesType = try string(value)
        case .attributes: activity.attributes = try object(value)
        case .inputPushToken:
            activity.requestsInputPushToken = try flag(value)
        case .inputPushChannel: activity.inputPushChannel = try string(value)
        default: break
        }
    }

    private func readBadge(_ element: JSONElement) throws(PayloadError) -> Int {
        guard document.kind(element) == .number else {
            _ = try number(element, .apsBadgeType)
            return 0
        }
        guard let badge = document.int64(element), badge >= 0 else {
            throw failure(
                .apsBadgeRange, element,
                "badge is \(Self.printable(document.numberText(element) ?? "")), not a whole number from 0")
        }
        return Int(badge)
    }

    private func readInterruptionLevel(
        _ element: JSONElement
    ) throws(PayloadError) -> Notification.InterruptionLevel {
        if let level = Self.interruptionLevels.key(element, in: document) { return level }
        let text = try string(element)
        let names = Notification.InterruptionLevel.allCases.map(\.rawValue)
        throw failure(
            .memberValue, element, "\"\(Self.printable(text))\" is not an interruption level",
            help: NameSpelling.closest(to: text, in: names).map { "did you mean \($0)?" }
                ?? "send \(names.joined(separator: ", "))")
    }

    private func readEvent(_ element: JSONElement) throws(PayloadError) -> Notification.LiveActivity.Event {
        let text = try string(element)
        guard let event = Notification.LiveActivity.Event(rawValue: text) else {
            throw failure(
                .apsEventEnum, element, "\"\(Self.printable(text))\" is not an event of a Live Activity")
        }
        return event
    }

    /// Live Activities rank among each other with any number; everything else with 0…1.
    private func judgeRelevance(
        _ element: JSONElement, of notification: Notification, pushType: String?
    ) throws(PayloadError) {
        if let activity = notification.liveActivity, activity.event != nil || activity.contentState != nil { return }
        guard pushType != "liveactivity", let score = notification.relevanceScore else { return }
        guard (0...1).contains(score) else {
            throw failure(
                .apsRelevanceScoreRange, element,
                "relevance-score is \(Self.printable(document.numberText(element) ?? "")), outside 0…1")
        }
    }

    private mutating func warnIncompleteStart(_ aps: JSONElement, _ notification: Notification) {
        var missing: [String] = []
        if notification.liveActivity?.attributesType == nil { missing.append("attributes-type") }
        if notification.liveActivity?.attributes == nil { missing.append("attributes") }
        if notification.alert == nil { missing.append("alert") }
        guard !missing.isEmpty else { return }
        warn(.apsEventStartIncomplete, aps, "event is start, but there is no \(missing.joined(separator: ", "))")
    }

    /// The key of a member; nil with a warning where it is not defined, is misspelt or null.
    mutating func known<Key: Equatable>(
        _ member: JSONMember, in table: MemberTable<Key>, target: Key, misspelt: PayloadCode,
        unknown: PayloadCode, null: PayloadCode
    ) -> Key? {
        guard let key = table.key(member.key, in: document) else {
            warnUnknown(member, misspelt: misspelt, unknown: unknown, target: target.rawValue) {
                table.suggestion(for: $0)
            }
            return nil
        }
        guard document.kind(member.value) != .null else {
            warn(null, member.value)
            return nil
        }
        return key
    }

    private mutating func warnUnknown(
        _ member: JSONMember, misspelt: PayloadCode, unknown: PayloadCode, target: String,
        suggestion: (String) -> String?
    ) {
        guard takesWarnings else { return }
        let name = document.string(member.key) ?? ""
        if NameSpelling.looksLikeTarget(document.stringBytes(member.key), loosely: true) {
            warn(
                misspelt, member.value, "you sent \(Self.printable(name)), the key is \(target)",
                help: "write \(target)")
            return
        }
        warn(
            unknown, member.value, "\(Self.printable(name)) is not defined here and is ignored",
            help: suggestion(name).map { "did you mean \($0)?" })
    }
}

// MARK: - Alert

// The alert and the sound, in all their shapes.

extension PayloadReader {
    private enum AlertMember: String, CaseIterable, Sendable {
        case title, subtitle, body, action, sound
        case launchImage = "launch-image"
        case titleKey = "title-loc-key"
        case titleArguments = "title-loc-args"
        case subtitleKey = "subtitle-loc-key"
        case subtitleArguments = "subtitle-loc-args"
        case bodyKey = "loc-key"
        case bodyArguments = "loc-args"
        case actionKey = "action-loc-key"
    }

    private enum SoundMember: String, CaseIterable, Sendable {
        case critical, name, volume
    }

    private static let alertMembers = MemberTable<AlertMember>()
    private static let soundMembers = MemberTable<SoundMember>()

    /// Keys and arguments of the three texts, in the order title, subtitle, body.
    private struct Localizations {
        var keys: [String?] = [nil, nil, nil]
        var arguments: [[String]?] = [nil, nil, nil]
        var places: [JSONElement?] = [nil, nil, nil]

        func localization(_ text: Int) -> Notification.Localization? {
            keys[text].map { Notification.Localization(key: $0, arguments: arguments[text] ?? []) }
        }
    }

    /// Reads an alert: a string is the body. Those of Live Activities may have the notification's sound inside.
    private mutating func readAlert(
        _ element: JSONElement, into notification: inout Notification
    ) throws(PayloadError) {
        notification.alert = Notification.Alert()
        guard document.kind(element) == .object else {
            guard let body = document.string(element) else {
                throw wrongType(element, .apsAlertType, expected: "a string or an object")
            }
            notification.alert?.body = body
            return
        }
        var localizations: Localizations?
        var next = document.firstMember(element)
        while let member = next {
            next = document.nextMember(member, in: element)
            let value = member.value
            guard let known = Self.alertMembers.key(member.key, in: document) else {
                warnUnknownAlertMember(member)
                continue
            }
            if document.kind(value) == .null {
                warn(.apsNullMember, value)
                continue
            }
            let isText = document.kind(value) == .string
            switch known {
            case .title where isText: notification.alert?.title = document.string(value)
            case .subtitle where isText: notification.alert?.subtitle = document.string(value)
            case .body where isText: notification.alert?.body = document.string(value)
            case .launchImage: notification.alert?.launchImage = try string(value)
            case .action: notification.alert?.action = try string(value)
            case .actionKey: notification.alert?.actionLocalizationKey = try string(value)
            case .sound: notification.sound = try readSound(value)
            default:
                var some = localizations ?? Localizations()
                try readLocalization(known, value, into: &some)
                localizations = some
            }
        }
        if let localizations { finish(localizations, into: &notification) }
    }

    private mutating func readLocalization(
        _ member: AlertMember, _ value: JSONElement, into result: inout Localizations
    ) throws(PayloadError) {
        switch member {
        case .title: try readNestedLocalization(value, 0, into: &result)
        case .subtitle: try readNestedLocalization(value, 1, into: &result)
        case .body: try readNestedLocalization(value, 2, into: &result)
        case .titleKey: result.keys[0] = try string(value)
        case .subtitleKey: result.keys[1] = try string(value)
        case .bodyKey: result.keys[2] = try string(value)
        case .titleArguments: try readArguments(value, 0, into: &result)
        case .subtitleArguments: try readArguments(value, 1, into: &result)
        case .bodyArguments: try readArguments(value, 2, into: &result)
        case .launchImage, .action, .actionKey, .sound: break
        }
    }

    private func readArguments(
        _ value: JSONElement, _ text: Int, into result: inout Localizations
    ) throws(PayloadError) {
        result.arguments[text] = try strings(value)
        result.places[text] = value
    }

    /// Live Activities write `{"loc-key": …, "loc-args": […]}` in place of the text.
    private mutating func readNestedLocalization(
        _ value: JSONElement, _ text: Int, into result: inout Localizations
    ) throws(PayloadError) {
        guard document.kind(value) == .object else { throw wrongType(value, expected: "a string") }
        if let key = document.value("loc-key", in: value) {
            result.keys[text] = try string(key)
        }
        if let arguments = document.value("loc-args", in: value) {
            try readArguments(arguments, text, into: &result)
        }
    }

    private mutating func finish(_ localizations: Localizations, into notification: inout Notification) {
        notification.alert?.titleLocalization = localizations.localization(0)
        notification.alert?.subtitleLocalization = localizations.localization(1)
        notification.alert?.bodyLocalization = localizations.localization(2)
        for text in 0..<3 where localizations.keys[text] == nil {
            if let place = localizations.places[text] { warn(.apsAlertArgsWithoutKey, place) }
        }
    }

    private mutating func warnUnknownAlertMember(_ member: JSONMember) {
        guard takesWarnings else { return }
        let name = Self.printable(document.string(member.key) ?? "")
        if NameSpelling.looksLikeTarget(document.stringBytes(member.key), loosely: false) {
            warn(
                .targetMisplaced, member.value, "\(name) is inside alert: it belongs into aps",
                help: "write {\"aps\":{\"target-content-id\": …}}")
            return
        }
        warn(
            .apsUnknownKey, member.value, "\(name) is not defined here and is ignored",
            help: Self.alertMembers.suggestion(for: name).map { "did you mean \($0)?" })
    }

    /// Reads a sound: a file name, or for critical alerts an object.
    private mutating func readSound(_ element: JSONElement) throws(PayloadError) -> Notification.Sound {
        if let file = document.string(element) { return Notification.Sound(name: file) }
        guard document.kind(element) == .object else {
            throw wrongType(element, expected: "a string or an object")
        }
        var sound = Notification.Sound()
        var next = document.firstMember(element)
        while let member = next {
            next = document.nextMember(member, in: element)
            let value = member.value
            guard let known = Self.soundMembers.key(member.key, in: document) else {
                warn(.apsUnknownKey, value)
                continue
            }
            if document.kind(value) == .null {
                warn(.apsNullMember, value)
                continue
            }
            switch known {
            case .name: sound.name = try string(value)
            case .critical:
                sound.isCritical = try flag(value)
            case .volume:
                let volume = try number(value)
                guard (0...1).contains(volume) else {
                    throw failure(.apsSoundVolumeRange, value, "volume is \(volume), outside 0…1")
                }
                sound.volume = volume
            }
        }
        return sound
    }
}
