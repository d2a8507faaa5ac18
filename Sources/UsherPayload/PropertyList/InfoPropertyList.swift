public import UsherJSON
internal import UsherScene
internal import UsherText

/// What an app's Info.plist says about shortcut items, user activities, URL schemes, its version and its windows.
///
/// The property list is given as a tree (dictionaries as objects, dates and data as text), so that the file format does
/// not matter here. All errors are reported, not only the first; an item with an error is left out.
///
/// Apple: UIApplicationShortcutItems, NSUserActivityTypes. `UIApplicationShortcutItemTargetContentIdentifier` is an
/// extension: Apple documents no key for the target of a static item.
public struct InfoPropertyList: Sendable {
    /// `UIApplicationShortcutItems`, in order.
    public private(set) var shortcutItems: [ShortcutItem] = []
    /// `NSUserActivityTypes`, in order.
    public private(set) var activityTypes: [String] = []
    /// `CFBundleShortVersionString`.
    public private(set) var version: String?
    /// `CFBundleURLTypes`: their `CFBundleURLSchemes`, in order.
    public private(set) var schemes: [String] = []
    /// `UIApplicationSceneManifest`: its `UIApplicationSupportsMultipleScenes`.
    public private(set) var supportsMultipleScenes: Bool?
    /// The members of the root that are read.
    public static let used = [
        "UIApplicationShortcutItems", "NSUserActivityTypes", "CFBundleShortVersionString", "CFBundleURLTypes",
        "UIApplicationSceneManifest",
    ]
    /// Their pointers are key paths such as `/UIApplicationShortcutItems/0/UIApplicationShortcutItemType`.
    public private(set) var errors: [PayloadError] = []
    public private(set) var warnings: [PayloadError] = []

    private enum Key: String, CaseIterable {
        case type = "UIApplicationShortcutItemType"
        case title = "UIApplicationShortcutItemTitle"
        case subtitle = "UIApplicationShortcutItemSubtitle"
        case iconType = "UIApplicationShortcutItemIconType"
        case iconFile = "UIApplicationShortcutItemIconFile"
        case iconSymbolName = "UIApplicationShortcutItemIconSymbolName"
        case userInfo = "UIApplicationShortcutItemUserInfo"
        case target = "UIApplicationShortcutItemTargetContentIdentifier"
    }

    public init(reading tree: JSONValue) {
        guard tree.members != nil else {
            errors.append(PayloadError(.memberType, "the property list is \(tree.kind.phrase), not a dictionary"))
            return
        }
        if let items = tree["UIApplicationShortcutItems"] { readItems(items) }
        if let types = tree["NSUserActivityTypes"] { readActivityTypes(types) }
        if let version = tree["CFBundleShortVersionString"] {
            self.version = text(version, "/CFBundleShortVersionString")
        }
        if let types = tree["CFBundleURLTypes"] { readSchemes(types) }
        if let manifest = tree["UIApplicationSceneManifest"] { readScenes(manifest) }
    }

    /// nil, and an error, where it is no string.
    private mutating func text(_ value: JSONValue, _ pointer: String) -> String? {
        if value.string == nil { refuse("the value", value, "a string", pointer) }
        return value.string
    }

    private mutating func refuse(
        _ what: String, _ value: JSONValue, _ expected: String, _ pointer: String, help: String? = nil
    ) {
        errors.append(
            PayloadError(
                .memberType, "\(what) is \(value.kind.phrase), not \(expected)", pointer: pointer, help: help))
    }

    private mutating func readSchemes(_ value: JSONValue) {
        let pointer = "/CFBundleURLTypes"
        guard let types = value.elements else { return refuse("the value", value, "an array", pointer) }
        for (index, type) in types.enumerated() {
            let place = "\(pointer)/\(index)/CFBundleURLSchemes"
            guard let names = type["CFBundleURLSchemes"] else { continue }
            guard let elements = names.elements else {
                refuse("the value", names, "an array", place)
                continue
            }
            for (number, name) in elements.enumerated() {
                if let scheme = text(name, "\(place)/\(number)") { schemes.append(scheme) }
            }
        }
    }

    private mutating func readScenes(_ value: JSONValue) {
        guard let member = value["UIApplicationSupportsMultipleScenes"] else { return }
        supportsMultipleScenes = member.boolean
        if member.boolean == nil {
            let pointer = "/UIApplicationSceneManifest/UIApplicationSupportsMultipleScenes"
            refuse("the value", member, "a boolean", pointer)
        }
    }

    /// The elements of an array with their pointers; none, and an error, where it is no array.
    private mutating func elements(
        of value: JSONValue, _ name: String
    ) -> [(index: Int, place: String, element: JSONValue)] {
        guard let elements = value.elements else {
            refuse(name, value, "an array", "/\(name)", help: "make it an array")
            return []
        }
        return elements.enumerated().map { ($0, "/\(name)/\($0)", $1) }
    }

    private mutating func readItems(_ value: JSONValue) {
        let items = elements(of: value, "UIApplicationShortcutItems")
        for (index, place, element) in items {
            guard let members = element.members else {
                refuse("item \(index)", element, "a dictionary", place, help: "make it a dictionary")
                continue
            }
            if let item = readItem(members, place) { append(item, place) }
        }
    }

    private mutating func append(_ item: ShortcutItem, _ place: String) {
        if shortcutItems.contains(where: { $0.type.hasSameBytes(as: item.type) }) {
            warnings.append(
                PayloadError(
                    .plistShortcutItemDuplicateType, "there is an item of type \(item.type) already",
                    pointer: place))
        }
        shortcutItems.append(item)
    }

    private mutating func readItem(_ members: [JSONValue.Member], _ place: String) -> ShortcutItem? {
        let before = errors.count
        var item = ShortcutItem(type: "")
        var hasType = false
        var hasTitle = false
        for member in members {
            let pointer = JSONPointer.child(member.name, of: place)
            guard let key = Key(rawValue: member.name) else {
                warnUnknown(member.name, pointer)
                continue
            }
            if key == .type { hasType = true }
            if key == .title { hasTitle = true }
            if key == .userInfo {
                guard member.value.members != nil else {
                    refuse(member.name, member.value, "a dictionary", pointer)
                    continue
                }
                item.userInfo = Array(member.value.text(escaping: .minimal).utf8)[...]
                continue
            }
            guard let text = member.value.string else {
                refuse(member.name, member.value, "a string", pointer)
                continue
            }
            set(key, text, in: &item, pointer)
        }
        if !hasType {
            errors.append(
                PayloadError(
                    .memberMissing, "the item has no type", pointer: place, help: "add \(Key.type.rawValue)"))
        }
        if !hasTitle {
            errors.append(
                PayloadError(
                    .memberMissing, "the item has no title", pointer: place, help: "add \(Key.title.rawValue)"))
        }
        return errors.count == before ? item : nil
    }

    private mutating func set(_ key: Key, _ text: String, in item: inout ShortcutItem, _ pointer: String) {
        switch key {
        case .type:
            item.type = text
            if text.isEmpty {
                errors.append(PayloadError(.memberEmpty, "the item's type is empty", pointer: pointer))
            }
        case .title: item.localizedTitle = text
        case .subtitle: item.localizedSubtitle = text
        // Apple: a symbol name goes before a file, and a file before a type.
        case .iconSymbolName: item.icon = .symbolName(text)
        case .iconFile:
            if case .symbolName = item.icon { break }
            item.icon = .templateImageName(text)
        case .iconType: item.icon = item.icon ?? .type(text)
        case .userInfo: break
        case .target: setTarget(text, in: &item, pointer)
        }
    }

    private mutating func setTarget(_ text: String, in item: inout ShortcutItem, _ pointer: String) {
        if text.isEmpty {
            errors.append(PayloadError(.targetEmpty, "the target identifier is empty", pointer: pointer))
        } else if text.utf8.contains(0) {
            errors.append(PayloadError(.targetNul, "the target identifier contains a NUL", pointer: pointer))
        } else if text.utf8.count > PayloadReader.identifierLimit {
            let message = "the target identifier has \(text.utf8.count) bytes"
            errors.append(PayloadError(.targetTooLong, message, pointer: pointer))
        } else {
            item.targetContentIdentifier = text
        }
    }

    private mutating func warnUnknown(_ name: String, _ pointer: String) {
        let suggestion = NameSpelling.closest(to: name, in: Key.allCases.map(\.rawValue))
        warnings.append(
            PayloadError(
                .memberUnknown, "\(PayloadReader.printable(name)) is not defined and is ignored",
                pointer: pointer, help: suggestion.map { "did you mean \($0)?" }))
    }

    private mutating func readActivityTypes(_ value: JSONValue) {
        for (index, place, element) in elements(of: value, "NSUserActivityTypes") {
            guard let type = element.string else {
                refuse("entry \(index)", element, "a string", place)
                continue
            }
            if type.isEmpty {
                errors.append(PayloadError(.memberEmpty, "entry \(index) is empty", pointer: place))
            } else {
                activityTypes.append(type)
            }
        }
    }
}
