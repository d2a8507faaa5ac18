public import UsherJSON
public import UsherOperation
public import UsherPayload
public import UsherScene
internal import UsherStore
internal import UsherText

private let appHelp = "the app's id"

/// The declared items of apps, then the dynamic ones.
public struct ShortcutList: PerformedCall {
    public var app: String?

    public init() {}
    public init(app: String?) { self.app = app }

    public typealias Answer = [ShortcutAnswer]
    public static let name = "shortcut.list"
    public static let operation = Operation<Self>(
        "the shortcut items that apps declare, then the dynamic ones", .read, [Field("app", \.app, "of this app only")],
        http: [HTTPForm(.get, "/v1/shortcuts", refusals: [404])])

    public func perform(in context: OperationContext) throws(ControlError) -> [ShortcutAnswer] {
        var configuration = context.configuration
        configuration.replaceDynamicShortcuts(try context.storing(try context.store.dynamicShortcuts()))
        let apps = try app.map { (name) throws(ControlError) in [try configuration.shortcutApp(name)] }
        let items = (apps ?? configuration.manifestApps).flatMap { app in
            app.shortcuts.map { ShortcutAnswer($0, of: app.id) }
        }
        return items.filter { !$0.isDynamic } + items.filter(\.isDynamic)
    }
}

/// Replaces all dynamic items of an app.
public struct ShortcutSet: PerformedCall {
    public var app = ""
    public var items: [ShortcutArgument] = []

    public init() {}
    public init(app: String, _ items: [ShortcutArgument]) { (self.app, self.items) = (app, items) }

    public typealias Answer = [ShortcutAnswer]
    public static let name = "shortcut.set"
    public static let operation = Operation<Self>(
        "replaces all dynamic shortcut items of an app; none removes them", .edit,
        [Field("app", \.app, appHelp), Field("items", \.items, "the shortcut items", isRequired: true)],
        http: [HTTPForm(.put, "/v1/shortcuts", refusals: [404, 409], query: ["app"], body: .list("items"))])

    public func perform(in context: OperationContext) throws(ControlError) -> [ShortcutAnswer] {
        let app = try context.configuration.shortcutApp(app)
        let new = try ShortcutArgument.definitions(items, for: app)
        return try context.changeShortcuts(of: app) { _ in .success(new) }
    }
}

/// Adds dynamic items to those of an app; one of the same type is replaced in its place.
public struct ShortcutAdd: PerformedCall {
    public var app = ""
    public var items: [ShortcutArgument] = []

    public init() {}
    public init(app: String, _ items: [ShortcutArgument]) { (self.app, self.items) = (app, items) }

    public typealias Answer = [ShortcutAnswer]
    public static let name = "shortcut.add"
    public static let operation = Operation<Self>(
        "adds dynamic shortcut items to an app; one of the same type is replaced in its place", .edit,
        [Field("app", \.app, appHelp), Field("items", \.items, "the shortcut items", isRequired: true)],
        http: [
            HTTPForm(
                .post, "/v1/shortcuts", refusals: [404, 409], query: ["app"], body: .list("items"),
                made: .init([], ""))
        ])

    public func perform(in context: OperationContext) throws(ControlError) -> [ShortcutAnswer] {
        let app = try context.configuration.shortcutApp(app)
        let new = try ShortcutArgument.definitions(items, for: app)
        return try context.changeShortcuts(of: app) { known in
            var items = known
            for item in new {
                if let place = items.firstIndex(where: { $0.type.hasSameBytes(as: item.type) }) {
                    items[place] = item
                } else {
                    items.append(item)
                }
            }
            return items.count > ShortcutArgument.most ? .failure(.tooManyShortcuts(items.count)) : .success(items)
        }
    }
}

/// Removes one dynamic item.
public struct ShortcutRemove: PerformedCall {
    public var type = ""
    public var app: String?

    public init() {}
    public init(_ type: String, app: String? = nil) { (self.type, self.app) = (type, app) }

    public typealias Answer = [ShortcutAnswer]
    public static let name = "shortcut.remove"
    public static let operation = Operation<Self>(
        "removes a dynamic shortcut item", .edit,
        [
            Field("type", \.type, "the item's type"),
            Field("app", \.app, "the app that has it; may be left out where only one has"),
        ],
        http: [HTTPForm(.delete, "/v1/shortcuts/{type}", refusals: [409])])

    public func perform(in context: OperationContext) throws(ControlError) -> [ShortcutAnswer] {
        let type = type
        let app = try owner(in: context)
        return try context.changeShortcuts(of: app) { known in
            .success(known.filter { !$0.type.hasSameBytes(as: type) })
        }
    }

    /// The app that has the item.
    private func owner(in context: OperationContext) throws(ControlError) -> App {
        var configuration = context.configuration
        configuration.replaceDynamicShortcuts(try context.storing(try context.store.dynamicShortcuts()))
        let named = try app.map { (name) throws(ControlError) in [try configuration.shortcutApp(name)] }
        let apps = named ?? configuration.manifestApps
        let owners = apps.filter { app in
            app.shortcuts.contains { $0.isDynamic && $0.type.hasSameBytes(as: type) }
        }
        if owners.count > 1 {
            throw ControlError(
                .ambiguousApp,
                "\(owners.map(\.id).joined(separator: " and ")) have the shortcut item \(QuotedText.text(type))",
                at: "/app", help: "name the app")
        }
        if let owner = owners.first { return owner }
        if let app = apps.first(where: { app in app.shortcuts.contains { $0.type.hasSameBytes(as: type) } }) {
            throw .staticShortcut(type, of: app, at: "/type")
        }
        let known = apps.flatMap { $0.shortcuts.filter(\.isDynamic).map(\.type) }
        throw .unknown(
            .shortcutUnknownType, "dynamic shortcut item", type, among: known, at: "/type",
            otherwise: "usher shortcut list shows them")
    }
}

/// A shortcut item as it was given; it is read when the app is known.
public struct ShortcutArgument: RecordValue {
    /// The most dynamic items of an app, and the longest, in bytes of JSON without white space.
    static let (most, longest) = (100, 16 * 1024)

    public var json = JSONValue.null

    public init() {}
    public init(_ json: JSONValue) { self.json = json }

    public init(reading value: JSONValue?, at place: String) throws(ControlError) { json = value ?? .null }

    public func write(to json: inout JSONWriter) { json.value(self.json) }

    public static let fields: [Field<Self>] = [
        member("type", .text, "what it is asked for by", isRequired: true),
        member("localizedTitle", .text, "shown", isRequired: true), member("localizedSubtitle", .text, "shown below"),
        member("icon", .json, "an object with symbolName, templateImageName or type"),
        member("userInfo", .json, "an object for the app"),
        member("targetContentIdentifier", .text, "what it is about"),
        member("target-content-id", .text, "the same, as manifests spell it"),
    ]

    private static func member(
        _ name: String, _ kind: ValueShape.Kind, _ help: String, isRequired: Bool = false
    ) -> Field<Self> {
        Field(
            FieldDescription(name: name, help: help, shape: ValueShape(kind), isRequired: isRequired),
            read: { _, _ in }, write: { _, _ in })
    }

    /// The items of one call for an app.
    static func definitions(
        _ items: [ShortcutArgument], for app: App
    ) throws(ControlError) -> [ShortcutDefinition] {
        guard items.count <= most else { throw .tooManyShortcuts(items.count) }
        var definitions: [ShortcutDefinition] = []
        for (index, item) in items.enumerated() {
            let place = "/items/\(index)"
            let definition = try item.definition(at: place)
            if definitions.contains(where: { $0.type.hasSameBytes(as: definition.type) }) {
                throw ControlError(
                    .shortcutDuplicate, "two items have the type \(QuotedText.text(definition.type))",
                    at: place + "/type", help: "give each item a type of its own")
            }
            if app.shortcuts.contains(where: { !$0.isDynamic && $0.type.hasSameBytes(as: definition.type) }) {
                throw .staticShortcut(definition.type, of: app, at: place + "/type")
            }
            definitions.append(definition)
        }
        return definitions
    }

    private func definition(at place: String) throws(ControlError) -> ShortcutDefinition {
        let text = Array(json.text(escaping: .minimal).utf8)
        guard text.count <= ShortcutArgument.longest else {
            throw ControlError(
                .shortcutTooLarge, "the item has \(text.count) bytes; an item has at most \(ShortcutArgument.longest)",
                at: place, help: "put less into its userInfo")
        }
        let payload = try Result { () throws(PayloadError) in try read(text) }.mapError { error in
            ControlError(error.code, error.message, at: place + error.pointer, help: error.help)
        }.get()
        guard case .shortcutItem(let item) = payload.carrier, let title = item.localizedTitle, !title.isEmpty else {
            throw ControlError(
                .shortcutNoTitle, "the shortcut item has no title", at: place + "/localizedTitle",
                help: "add \"localizedTitle\"")
        }
        return ShortcutDefinition(item, at: nil)
    }

    private func read(_ text: [UInt8]) throws(PayloadError) -> Payload {
        var reader = PayloadReader(format: .shortcut)
        return try reader.read(text)
    }

    /// Of members that an item does not have, with the nearest that it has. Empty for an item that is refused.
    public var warnings: [PayloadError] {
        (try? read(Array(json.text(escaping: .minimal).utf8)))?.warnings ?? []
    }
}

extension DiagnosticCode {
    /// There is no such item.
    public static var shortcutUnknownType: DiagnosticCode { PayloadCode.shortcutUnknownType.code }
}

extension OperationContext {
    /// Replaces the dynamic items of an app by what `change` makes of them; these, afterwards.
    fileprivate func changeShortcuts(
        of app: App,
        _ change: @escaping @Sendable ([ShortcutDefinition]) -> Result<[ShortcutDefinition], ControlError>
    ) throws(ControlError) -> [ShortcutAnswer] {
        try storing(try store.changeShortcuts(of: app.id, change)).get().map { ShortcutAnswer($0, of: app.id) }
    }
}

extension Configuration {
    /// An app that can have shortcut items.
    fileprivate func shortcutApp(_ name: String) throws(ControlError) -> App {
        if let app = manifestApp(named: name) { return app }
        throw .unknown(.noApp, "app", name, among: manifestApps.map(\.id), at: "/app")
    }
}

extension ControlError {
    fileprivate static func tooManyShortcuts(_ count: Int) -> ControlError {
        ControlError(
            .shortcutTooMany, "\(count) dynamic shortcut items; an app has at most \(ShortcutArgument.most)",
            at: "/items",
            help: "remove some first: usher shortcut remove TYPE")
    }

    fileprivate static func staticShortcut(_ type: String, of app: App, at place: String) -> ControlError {
        let item = app.shortcuts.first { !$0.isDynamic && $0.type.hasSameBytes(as: type) }
        let location = item?.location.map { ", at \($0)" } ?? ""
        return ControlError(
            .shortcutStatic, "\(app.id) declares the shortcut item \(QuotedText.text(type))\(location)", at: place,
            help: "give the dynamic item another type, or change the manifest")
    }
}
