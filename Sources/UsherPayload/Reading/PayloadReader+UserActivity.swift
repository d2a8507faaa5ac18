import UsherJSON
internal import UsherScene
internal import UsherText

// User activities, in Apple's property names.

extension PayloadReader {
    private enum Member: String, CaseIterable, Sendable {
        case activityType, title, targetContentIdentifier, persistentIdentifier, webpageURL, userInfo
        case requiredUserInfoKeys, keywords, contentAttributeSet, expirationDate, needsSave, isEligibleForHandoff
        case isEligibleForSearch, isEligibleForPublicIndexing, isEligibleForPrediction, version
        case schemaVersion, mapItem
    }

    private static let members = MemberTable<Member>()

    mutating func readUserActivity(_ element: JSONElement) throws(PayloadError) -> UserActivity {
        var activity = UserActivity(activityType: "")
        var hasType = false
        var userInfo: JSONElement?
        var requiredKeys: JSONElement?
        var attributes: JSONElement?
        var mapItem: JSONElement?
        var next = document.firstMember(element)
        while let member = next {
            next = document.nextMember(member, in: element)
            let value = member.value
            guard
                let known = known(
                    member, in: Self.members, target: .targetContentIdentifier, misspelt: .targetMisspelt,
                    unknown: .memberUnknown, null: .memberNull)
            else { continue }
            if known == .activityType { hasType = true }
            if known == .userInfo { userInfo = value }
            if known == .requiredUserInfoKeys { requiredKeys = value }
            if known == .contentAttributeSet { attributes = value }
            if known == .mapItem { mapItem = value }
            try readMember(known, value, into: &activity)
        }
        guard hasType else {
            throw failure(
                .memberMissing, element, "the user activity has no activityType",
                help: "add \"activityType\", one of the app's NSUserActivityTypes")
        }
        try readAttributes(attributes, mapItem, into: &activity)
        if let requiredKeys { warnAbsentKeys(requiredKeys, activity, userInfo) }
        if activity.subject == nil {
            warn(
                .activityNoSubject, element,
                "the user activity has neither targetContentIdentifier, persistentIdentifier nor webpageURL")
        }
        return activity
    }

    private mutating func readMember(
        _ member: Member, _ value: JSONElement, into activity: inout UserActivity
    ) throws(PayloadError) {
        switch member {
        case .activityType:
            activity.activityType = try string(value)
            guard !activity.activityType.isEmpty else {
                throw failure(.memberEmpty, value, "activityType is empty")
            }
        case .title: activity.title = try string(value)
        case .targetContentIdentifier: activity.targetContentIdentifier = try identifier(value)
        case .persistentIdentifier:
            activity.persistentIdentifier = try identifier(value, type: .memberType)
        case .webpageURL: activity.webpageURL = try readWebpage(value)
        case .userInfo: activity.userInfo = try object(value)
        case .requiredUserInfoKeys:
            activity.requiredUserInfoKeys = try strings(value)
        case .keywords: activity.keywords = try strings(value)
        case .contentAttributeSet, .mapItem: break  // Read together.
        case .expirationDate: activity.expirationDate = try readExpirationDate(value)
        case .needsSave: activity.needsSave = try boolean(value)
        case .isEligibleForHandoff:
            activity.isEligibleForHandoff = try boolean(value)
        case .isEligibleForSearch:
            activity.isEligibleForSearch = try boolean(value)
        case .isEligibleForPublicIndexing:
            activity.isEligibleForPublicIndexing = try boolean(value)
        case .isEligibleForPrediction:
            activity.isEligibleForPrediction = try boolean(value)
        case .version:
            guard let version = document.string(value) ?? document.numberText(value) else {
                throw wrongType(value, expected: "a string")
            }
            activity.version = version
        case .schemaVersion:
            guard let number = document.int64(value), let version = Int(exactly: number), version >= 0 else {
                throw wrongType(value, expected: "a whole number from 0")
            }
            activity.schemaVersion = version
        }
    }

    /// What the activity is about: its attributes, and what a map item adds to them.
    private mutating func readAttributes(
        _ attributes: JSONElement?, _ mapItem: JSONElement?, into activity: inout UserActivity
    ) throws(PayloadError) {
        guard let place = attributes ?? mapItem else { return }
        do throws(ContentAttributes.Fault) {
            let read = try ContentAttributes(
                attributes.map { document.value($0) }, mapItem: mapItem.map { document.value($0) })
            activity.attributes = read
            activity.contentAttributeSet =
                mapItem == nil ? document.raw(place) : Array(read.json.text(escaping: .minimal).utf8)[...]
        } catch {
            let member = attributes.flatMap { attributes in
                error.member.flatMap { document.value($0, in: attributes) }
            }
            throw failure(error.code, member ?? place, error.message)
        }
    }

    private mutating func readWebpage(_ element: JSONElement) throws(PayloadError) -> String {
        let url = try identifier(element, type: .memberType)
        let start = url.utf8.prefix(8).map { $0.lowercasedASCII }
        guard start.starts(with: "http://".utf8) || start.starts(with: "https://".utf8) else {
            throw failure(
                .memberValue, element, "\"\(Self.printable(url))\" is not an http or https URL",
                help: "send an http or https URL")
        }
        return url
    }

    private func readExpirationDate(_ element: JSONElement) throws(PayloadError) -> Double {
        if let seconds = document.double(element) { return seconds }
        guard let text = document.string(element) else {
            throw wrongType(element, expected: "a number or a string")
        }
        guard let seconds = InternetDate.secondsSince1970(text) else {
            throw failure(
                .memberValue, element, "\"\(Self.printable(text))\" is not a date and time",
                help: "send a date and time such as 2026-11-21T09:00:00Z")
        }
        return seconds
    }

    private mutating func warnAbsentKeys(
        _ place: JSONElement, _ activity: UserActivity, _ userInfo: JSONElement?
    ) {
        let names = userInfo.map { Set(document.members($0).map { document.stringBytes($0.key) }) } ?? []
        for key in activity.requiredUserInfoKeys where !names.contains(Array(key.utf8)[...]) {
            warn(
                .activityRequiredUserInfoKeysAbsent, place, "userInfo lacks the required key \(Self.printable(key))")
        }
    }
}

// MARK: - Shortcut item

// Shortcut items, in Apple's property names.

extension PayloadReader {
    private enum ItemMember: String, CaseIterable, Sendable {
        case type, localizedTitle, localizedSubtitle, icon, userInfo, targetContentIdentifier
        /// As manifests and `aps` spell it.
        case targetContentID = "target-content-id"
    }

    private static let itemMembers = MemberTable<ItemMember>()

    mutating func readShortcutItem(_ element: JSONElement) throws(PayloadError) -> ShortcutItem {
        var item = ShortcutItem(type: "")
        var hasType = false
        var next = document.firstMember(element)
        while let member = next {
            next = document.nextMember(member, in: element)
            let value = member.value
            guard
                let known = known(
                    member, in: Self.itemMembers, target: .targetContentIdentifier, misspelt: .targetMisspelt,
                    unknown: .memberUnknown, null: .memberNull)
            else { continue }
            switch known {
            case .type:
                item.type = try string(value)
                guard !item.type.isEmpty else {
                    throw failure(.memberEmpty, value, "the shortcut item's type is empty")
                }
                hasType = true
            case .localizedTitle: item.localizedTitle = try string(value)
            case .localizedSubtitle: item.localizedSubtitle = try string(value)
            case .icon: item.icon = try readIcon(value)
            case .userInfo: item.userInfo = try object(value)
            case .targetContentIdentifier, .targetContentID:
                let target = try identifier(value)
                if let other = item.targetContentIdentifier, !other.hasSameBytes(as: target) {
                    throw failure(
                        .shortcutTargetsDiffer, value,
                        "targetContentIdentifier and target-content-id are two different identifiers")
                }
                item.targetContentIdentifier = target
            }
        }
        guard hasType else {
            throw failure(
                .memberMissing, element, "the shortcut item has no type",
                help: "add \"type\", the one declared for the app")
        }
        return item
    }

    /// See `SceneRequest.jsonText`.
    func readSceneRequest(_ element: JSONElement) throws(PayloadError) -> SceneRequest {
        func text(_ name: String) -> String? { document.value(name, in: element).flatMap { document.string($0) } }
        if let session = text("focus") { return .focus(session: session) }
        if let terminal = document.value("terminal", in: element) { return .terminal(readTerminalRequest(terminal)) }
        guard let app = text("new") else {
            throw failure(.memberMissing, element, "the scene request names neither a session nor an app")
        }
        return .new(app: app, scene: text("scene"), target: text("target"))
    }

    private func readTerminalRequest(_ element: JSONElement) -> TerminalRequest {
        func text(_ name: String) -> String? { document.value(name, in: element).flatMap { document.string($0) } }
        var request = TerminalRequest()
        request.process = document.value("pid", in: element).flatMap { document.int64($0) }.flatMap { Int(exactly: $0) }
        (request.tty, request.pane, request.socket) = (text("tty"), text("pane"), text("socket"))
        request.detached = text("detached").flatMap(TerminalSettings.Detached.init)
        return request
    }

    private mutating func readIcon(_ element: JSONElement) throws(PayloadError) -> ShortcutIcon? {
        guard document.kind(element) == .object else {
            throw wrongType(element, expected: "an object")
        }
        var icons: [ShortcutIcon] = []
        if let name = document.value("symbolName", in: element) {
            icons.append(.symbolName(try string(name)))
        }
        if let name = document.value("templateImageName", in: element) {
            icons.append(.templateImageName(try string(name)))
        }
        if let name = document.value("type", in: element) {
            icons.append(.type(try string(name)))
        }
        guard let icon = icons.first else {
            throw failure(
                .memberType, element, "icon has neither symbolName, templateImageName nor type",
                help: "send {\"symbolName\":\"…\"}, {\"templateImageName\":\"…\"} or {\"type\":\"…\"}")
        }
        if icons.count > 1 { warn(.shortcutIconAmbiguous, element) }
        return icon
    }
}
