public import UsherJSON
public import UsherOperation
internal import UsherPayload
public import UsherScene

/// A shortcut item of an app, in the property names of one that is sent.
public struct ShortcutAnswer: AnswerRecord {
    public var app = ""
    public var type = ""
    public var localizedTitle = ""
    public var localizedSubtitle: String?
    public var icon: JSONValue?
    public var targetContentIdentifier: String?
    public var userInfo: JSONValue?
    public var isDynamic = false
    public var at: String?

    public init() {}

    public init(_ item: ShortcutDefinition, of app: String) {
        self.app = app
        type = item.type
        localizedTitle = item.title
        localizedSubtitle = item.subtitle
        icon = item.icon.map { icon in
            var json = JSONWriter(escaping: .minimal)
            icon.write(to: &json)
            return (try? JSONValue(parsing: json.bytes)) ?? .null
        }
        targetContentIdentifier = item.target?.text
        userInfo = item.userInfo.flatMap { try? JSONValue(parsing: Array($0.utf8), maximumDepth: 512) }
        isDynamic = item.isDynamic
        at = item.location?.description
    }

    /// The name of the icon, whatever it is a name of.
    public var iconName: String? { icon?.members?.first?.value.string }

    public static let schema: String? = "Shortcut"
    public static let summary = "A shortcut item of an app"
    public static let fields: [Field<Self>] = [
        Field(always: "app", \.app), Field(always: "type", \.type), Field(always: "localizedTitle", \.localizedTitle),
        Field(always: "localizedSubtitle", \.localizedSubtitle),
        Field(
            always: "icon", \.icon, "One of `symbolName`, `templateImageName` and `type`",
            ["type": ["object", "null"]]),
        Field(always: "targetContentIdentifier", \.targetContentIdentifier),
        Field(always: "userInfo", \.userInfo, "An object", ["type": ["object", "null"]]),
        Field(always: "dynamic", \.isDynamic, "Whether the app registered it at run time"),
        Field(always: "at", \.at, "FILE:LINE:COLUMN; null for a dynamic item"),
    ]
}
