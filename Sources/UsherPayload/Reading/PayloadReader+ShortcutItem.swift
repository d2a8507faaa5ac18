import UsherJSON

// Shortcut items, in Apple's property names.

extension PayloadReader {
    private enum Member: String, CaseIterable, Sendable {
        case type, localizedTitle, localizedSubtitle, icon, userInfo, targetContentIdentifier
    }

    private static let members = MemberTable<Member>()

    mutating func readShortcutItem(_ element: JSONElement) throws(PayloadError) -> ShortcutItem {
        var item = ShortcutItem(type: "")
        var hasType = false
        var next = document.firstMember(element)
        while let member = next {
            next = document.nextMember(member, in: element)
            let value = member.value
            guard let known = Self.members.key(member.key, in: document) else {
                warnUnknown(
                    member, misspelt: .shortcutMisspeltTarget, unknown: .shortcutUnknownKey,
                    target: "targetContentIdentifier"
                ) { Self.members.suggestion(for: $0) }
                continue
            }
            if document.kind(value) == .null {
                warn(known == .targetContentIdentifier ? .targetNull : .shortcutNullMember, value)
                continue
            }
            switch known {
            case .type:
                item.type = try string(value, .shortcutTypeType)
                guard !item.type.isEmpty else {
                    throw failure(.shortcutTypeEmpty, value, "the shortcut item's type is empty")
                }
                hasType = true
            case .localizedTitle: item.localizedTitle = try string(value, .shortcutLocalizedTitleType)
            case .localizedSubtitle: item.localizedSubtitle = try string(value, .shortcutLocalizedSubtitleType)
            case .icon: item.icon = try readIcon(value)
            case .userInfo: item.userInfo = try object(value, .shortcutUserInfoType)
            case .targetContentIdentifier: item.targetContentIdentifier = try identifier(value)
            }
        }
        guard hasType else {
            throw failure(.shortcutTypeMissing, element, "the shortcut item has no type")
        }
        return item
    }

    private mutating func readIcon(_ element: JSONElement) throws(PayloadError) -> ShortcutItem.Icon? {
        guard document.kind(element) == .object else {
            throw wrongType(.shortcutIconType, element, expected: "an object")
        }
        var icons: [ShortcutItem.Icon] = []
        if let name = document.value("symbolName", in: element) {
            icons.append(.symbolName(try string(name, .shortcutIconType)))
        }
        if let name = document.value("templateImageName", in: element) {
            icons.append(.templateImageName(try string(name, .shortcutIconType)))
        }
        if let name = document.value("type", in: element) {
            icons.append(.type(try string(name, .shortcutIconType)))
        }
        guard let icon = icons.first else {
            throw failure(.shortcutIconType, element, "icon has neither symbolName, templateImageName nor type")
        }
        if icons.count > 1 { warn(.shortcutIconAmbiguous, element) }
        return icon
    }
}
