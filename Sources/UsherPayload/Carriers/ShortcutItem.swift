public import UsherJSON
public import UsherScene

/// A quick action of an app, in Apple's property names (`UIApplicationShortcutItem`).
///
/// With `type` alone it stands for the item of that type in the app's manifest, or among its dynamic items.
public struct ShortcutItem: Sendable {
    public var type: String
    public var localizedTitle: String?
    public var localizedSubtitle: String?
    public var icon: ShortcutIcon?
    /// An object's bytes as sent.
    public var userInfo: ArraySlice<UInt8>?
    /// Which window to bring forward: opaque.
    public var targetContentIdentifier: String?
}

extension ShortcutItem {
    /// The whole item: what was sent, and of what is missing there, what the definition of its type says.
    public func completed(by definition: ShortcutDefinition?) -> ShortcutItem {
        guard let definition else { return self }
        var item = self
        item.localizedTitle = localizedTitle ?? definition.title
        item.localizedSubtitle = localizedSubtitle ?? definition.subtitle
        item.icon = icon ?? definition.icon
        item.userInfo = userInfo ?? definition.userInfo.map { Array($0.utf8)[...] }
        item.targetContentIdentifier = targetContentIdentifier ?? definition.target?.text
        return item
    }

    /// One JSON object with the members that have a value.
    public var jsonText: [UInt8] {
        var json = JSONWriter(escaping: .minimal)
        json.beginObject()
        json.member("type", type)
        if let localizedTitle { json.member("localizedTitle", localizedTitle) }
        if let localizedSubtitle { json.member("localizedSubtitle", localizedSubtitle) }
        if let icon {
            json.key("icon")
            icon.write(to: &json)
        }
        if let userInfo { json.member("userInfo", raw: userInfo) }
        if let targetContentIdentifier { json.member("targetContentIdentifier", targetContentIdentifier) }
        json.endObject()
        return json.bytes
    }
}

extension ShortcutIcon {
    /// Appends `{"symbolName"|"templateImageName"|"type": NAME}`.
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member(member, name)
        json.endObject()
    }
}

extension ShortcutDefinition {
    /// - Parameter place: where it is declared; nil for a dynamic item.
    public init(_ item: ShortcutItem, at place: SourceLocation?) {
        self.init(type: item.type, title: item.localizedTitle ?? "", location: place)
        subtitle = item.localizedSubtitle
        icon = item.icon
        target = item.targetContentIdentifier.map(TargetContentIdentifier.init)
        userInfo = item.userInfo.map { String(decoding: $0, as: UTF8.self) }
    }
}
