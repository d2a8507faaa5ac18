internal import UsherActivation
internal import UsherConfiguration
internal import UsherJSON
internal import UsherLog
internal import UsherScene
internal import UsherText

/// `usher shortcut list`: what shortcut items there are.
enum ShortcutListCommand {
    private static let app = Option("app", "ID", "only the shortcut items of this app")
    private static let menu = Option(flag: "menu", "a line each, for dmenu, rofi and their like")

    static let description = CommandDescription(
        "shortcut list", "the shortcut items of apps: declared, or actions of their desktop entries",
        options: [app, menu],
        discussion: [
            "Actions of a desktop entry that a manifest names (`launch = { desktop = … }`) are shortcut items as well; their",
            "type is ENTRY:ACTION. As a menu:",
            "usher shortcut list --menu | dmenu -i -l 20 | usher shortcut perform --from-menu -",
        ],
        examples: [
            .init("usher shortcut list", "of every app"),
            .init("usher shortcut list --app example.clowntown --json", "of one app, as a JSON array"),
            .init("usher shortcut list --menu", "to choose from"),
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let configuration = try context.loadConfiguration().configuration
        var apps = configuration.manifestApps
        if let name = arguments.value(app) {
            apps = apps.filter { $0.id == name || $0.topics.contains(name) }
            if apps.isEmpty { throw .unknown("app", name, among: configuration.manifestApps.map(\.id)) }
        }
        let items = items(of: apps, context)
        if arguments.has(menu) {
            context.output.write(ShortcutMenu(items).lines.map { $0.text + "\n" }.joined())
        } else if context.writesJSON {
            context.printArray(items) { item, json in
                switch item {
                case .declared(let app, let shortcut): write(shortcut, of: app, to: &json)
                case .desktop(let shortcut): write(shortcut, to: &json)
                }
            }
        } else if items.isEmpty {
            context.errors.note("no shortcut items: a manifest declares them as [[shortcuts]]")
        } else {
            let rows = items.map { item in row(of: item).map { TerminalText.escape($0) } }
            context.output.write(TextTable.text([["type", "title", "app", "target", "declared at"]] + rows, indent: 3))
        }
        return .handled
    }

    /// Those that manifests declare, and those of desktop entries; an entry that cannot be read is told of.
    static func items(of apps: [App], _ context: Context) -> [ShortcutMenu.Item] {
        let declared = apps.flatMap { app in app.shortcuts.map { ShortcutMenu.Item.declared(app, $0) } }
        let (found, failures) = DesktopShortcut.all(apps, context)
        for failure in failures {
            context.errors.warning("\(failure.message) [\(failure.code)]", help: failure.help)
        }
        return declared + found.map { .desktop($0) }
    }

    private static func row(of item: ShortcutMenu.Item) -> [String] {
        switch item {
        case .declared(let app, let shortcut):
            [
                shortcut.type, shortcut.title, app.id, shortcut.target?.text ?? "-", shortcut.location.description,
            ]
        case .desktop(let shortcut):
            [shortcut.type, shortcut.action.name, shortcut.app.id, "-", shortcut.entry.path ?? "-"]
        }
    }

    /// With the property names of a shortcut item, so that an element can be dispatched as it is.
    private static func write(_ shortcut: ShortcutDefinition, of app: App, to json: inout JSONWriter) {
        json.beginObject()
        json.member("app", app.id)
        json.member("type", shortcut.type)
        json.member("localizedTitle", shortcut.title)
        json.member("localizedSubtitle", shortcut.subtitle)
        writeIcon(shortcut.icon, to: &json)
        json.member("targetContentIdentifier", shortcut.target?.text)
        json.key("userInfo")
        if let text = shortcut.userInfo, let value = try? JSONValue(parsing: Array(text.utf8)) {
            json.value(value)
        } else {
            json.null()
        }
        json.member("at", shortcut.location.description)
        json.endObject()
    }

    /// The same, with `desktopEntry`: this one is performed by its type, and is no payload.
    private static func write(_ shortcut: DesktopShortcut, to json: inout JSONWriter) {
        json.beginObject()
        json.member("app", shortcut.app.id)
        json.member("type", shortcut.type)
        json.member("localizedTitle", shortcut.action.name)
        json.member("localizedSubtitle", shortcut.entry.name)
        writeIcon(shortcut.action.icon ?? shortcut.entry.icon, to: &json)
        json.member("desktopEntry", shortcut.entry.id)
        json.member("at", shortcut.entry.path)
        json.endObject()
    }

    private static func writeIcon(_ icon: String?, to json: inout JSONWriter) {
        json.key("icon")
        guard let icon else { return json.null() }
        json.beginObject()
        json.member("symbolName", icon)
        json.endObject()
    }
}
