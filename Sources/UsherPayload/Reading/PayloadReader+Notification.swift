import UsherJSON

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
            guard document.kind(aps) == .object else { throw wrongType(.apsType, aps, expected: "an object") }
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
        var bundle: String?
        if let element = members.bundle {
            bundle = try simulatorTargetBundle(element)
        } else if format == .simctl {
            warn(.simctlMissingBundle, root, "there is no \"Simulator Target Bundle\"")
        }
        return Content(carrier: .notification(notification), format: format, simulatorTargetBundle: bundle)
    }

    private func simulatorTargetBundle(_ element: JSONElement) throws(PayloadError) -> String {
        let bundle = try string(element, .simctlBundleType)
        guard !bundle.isEmpty else { throw failure(.simctlBundleEmpty, element, "the bundle identifier is empty") }
        return bundle
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
            guard let known = Self.members.key(member.key, in: document) else {
                warnUnknown(member, misspelt: .apsMisspeltTarget, unknown: .apsUnknownKey, target: "target-content-id")
                {
                    Self.members.suggestion(for: $0)
                }
                continue
            }
            if document.kind(value) == .null {
                warn(known == .targetContentID ? .targetNull : .apsNullMember, value)
                continue
            }
            switch known {
            case .alert:
                alert = value
                try readAlert(value, into: &notification)
            case .badge: notification.badge = try readBadge(value)
            case .sound: notification.sound = try readSound(value, .apsSoundType)
            case .threadID: notification.threadIdentifier = try string(value, .apsThreadIdType)
            case .category: notification.category = try string(value, .apsCategoryType)
            case .targetContentID: notification.targetContentIdentifier = try identifier(value)
            case .contentAvailable:
                notification.isContentAvailable = try flag(
                    value, type: .apsContentAvailableType, range: .apsContentAvailableRange)
            case .mutableContent:
                notification.isMutableContent = try flag(
                    value, type: .apsMutableContentType, range: .apsMutableContentRange)
            case .interruptionLevel: notification.interruptionLevel = try readInterruptionLevel(value)
            case .relevanceScore:
                relevanceScore = value
                notification.relevanceScore = try number(value, .apsRelevanceScoreType)
            case .filterCriteria: notification.filterCriteria = try string(value, .apsFilterCriteriaType)
            case .urlArguments: notification.urlArguments = try strings(value, .apsURLArgsType)
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
        case .timestamp: activity.timestamp = try number(value, .apsTimestampType)
        case .staleDate: activity.staleDate = try number(value, .apsStaleDateType)
        case .dismissalDate: activity.dismissalDate = try number(value, .apsDismissalDateType)
        case .contentState: activity.contentState = try object(value, .apsContentStateType)
        case .attributesType: activity.attributesType = try string(value, .apsAttributesTypeType)
        case .attributes: activity.attributes = try object(value, .apsAttributesType)
        case .inputPushToken:
            activity.requestsInputPushToken = try flag(
                value, type: .apsInputPushTokenType, range: .apsInputPushTokenRange)
        case .inputPushChannel: activity.inputPushChannel = try string(value, .apsInputPushChannelType)
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
        let text = try string(element, .apsInterruptionLevelType)
        let names = Notification.InterruptionLevel.allCases.map(\.rawValue)
        throw failure(
            .apsInterruptionLevelEnum, element, "\"\(Self.printable(text))\" is not an interruption level",
            help: NameSuggestion.closest(to: text, in: names).map { "did you mean \($0)?" })
    }

    private func readEvent(_ element: JSONElement) throws(PayloadError) -> Notification.LiveActivity.Event {
        let text = try string(element, .apsEventType)
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

    /// Warns about a member that is not defined: a misspelt target, or anything else.
    mutating func warnUnknown(
        _ member: JSONMember, misspelt: DiagnosticName, unknown: DiagnosticName, target: String,
        suggestion: (String) -> String?
    ) {
        guard takesWarnings else { return }
        let name = document.string(member.key) ?? ""
        if NameSuggestion.looksLikeTarget(document.stringBytes(member.key), loosely: true) {
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
