import UsherJSON

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
    mutating func readAlert(
        _ element: JSONElement, into notification: inout Notification
    ) throws(PayloadError) {
        notification.alert = Notification.Alert()
        guard document.kind(element) == .object else {
            guard let body = document.string(element) else {
                throw wrongType(.apsAlertType, element, expected: "a string or an object")
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
            case .launchImage: notification.alert?.launchImage = try string(value, .apsAlertLaunchImageType)
            case .action: notification.alert?.action = try string(value, .apsAlertActionType)
            case .actionKey: notification.alert?.actionLocalizationKey = try string(value, .apsAlertActionLocKeyType)
            case .sound: notification.sound = try readSound(value, .apsAlertSoundType)
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
        case .title: try readNestedLocalization(value, 0, .apsAlertTitleType, into: &result)
        case .subtitle: try readNestedLocalization(value, 1, .apsAlertSubtitleType, into: &result)
        case .body: try readNestedLocalization(value, 2, .apsAlertBodyType, into: &result)
        case .titleKey: result.keys[0] = try string(value, .apsAlertTitleLocKeyType)
        case .subtitleKey: result.keys[1] = try string(value, .apsAlertSubtitleLocKeyType)
        case .bodyKey: result.keys[2] = try string(value, .apsAlertLocKeyType)
        case .titleArguments: try readArguments(value, 0, .apsAlertTitleLocArgsType, into: &result)
        case .subtitleArguments: try readArguments(value, 1, .apsAlertSubtitleLocArgsType, into: &result)
        case .bodyArguments: try readArguments(value, 2, .apsAlertLocArgsType, into: &result)
        case .launchImage, .action, .actionKey, .sound: break
        }
    }

    private func readArguments(
        _ value: JSONElement, _ text: Int, _ name: DiagnosticName, into result: inout Localizations
    ) throws(PayloadError) {
        result.arguments[text] = try strings(value, name)
        result.places[text] = value
    }

    /// Live Activities write `{"loc-key": …, "loc-args": […]}` in place of the text.
    private mutating func readNestedLocalization(
        _ value: JSONElement, _ text: Int, _ name: DiagnosticName, into result: inout Localizations
    ) throws(PayloadError) {
        guard document.kind(value) == .object else { throw wrongType(name, value, expected: "a string") }
        if let key = document.value("loc-key", in: value) {
            result.keys[text] = try string(key, .apsAlertLocKeyType)
        }
        if let arguments = document.value("loc-args", in: value) {
            try readArguments(arguments, text, .apsAlertLocArgsType, into: &result)
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
        if NameSuggestion.looksLikeTarget(document.stringBytes(member.key), loosely: false) {
            warn(
                .targetMisplaced, member.value, "\(name) is inside alert: it belongs into aps",
                help: "write {\"aps\":{\"target-content-id\": …}}")
            return
        }
        warn(
            .apsAlertUnknownKey, member.value, "\(name) is not defined here and is ignored",
            help: Self.alertMembers.suggestion(for: name).map { "did you mean \($0)?" })
    }

    /// Reads a sound: a file name, or for critical alerts an object.
    mutating func readSound(
        _ element: JSONElement, _ name: DiagnosticName
    ) throws(PayloadError) -> Notification.Sound {
        if let file = document.string(element) { return Notification.Sound(name: file) }
        guard document.kind(element) == .object else {
            throw wrongType(name, element, expected: "a string or an object")
        }
        var sound = Notification.Sound()
        var next = document.firstMember(element)
        while let member = next {
            next = document.nextMember(member, in: element)
            let value = member.value
            guard let known = Self.soundMembers.key(member.key, in: document) else {
                warn(.apsSoundUnknownKey, value)
                continue
            }
            if document.kind(value) == .null {
                warn(.apsNullMember, value)
                continue
            }
            switch known {
            case .name: sound.name = try string(value, .apsSoundNameType)
            case .critical:
                sound.isCritical = try flag(value, type: .apsSoundCriticalType, range: .apsSoundCriticalRange)
            case .volume:
                let volume = try number(value, .apsSoundVolumeType)
                guard (0...1).contains(volume) else {
                    throw failure(.apsSoundVolumeRange, value, "volume is \(volume), outside 0…1")
                }
                sound.volume = volume
            }
        }
        return sound
    }
}
