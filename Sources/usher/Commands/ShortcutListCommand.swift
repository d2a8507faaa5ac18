internal import UsherConfiguration
internal import UsherJSON
internal import UsherLog
internal import UsherScene

/// `usher shortcut list`: what shortcut items there are.
enum ShortcutListCommand {
    private static let app = Option("app", "ID", "only the shortcut items of this app")

    static let description = CommandDescription(
        "shortcut list", "the shortcut items that apps declare",
        options: [app],
        examples: [
            .init("usher shortcut list", "of every app"),
            .init("usher shortcut list --app example.clowntown --json", "of one app, as a JSON array"),
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
        let shortcuts = apps.flatMap { app in app.shortcuts.map { (app: app, shortcut: $0) } }
        if context.writesJSON {
            context.printArray(shortcuts) { entry, json in write(entry.shortcut, of: entry.app, to: &json) }
        } else if shortcuts.isEmpty {
            context.errors.note("no shortcut items: a manifest declares them as [[shortcuts]]")
        } else {
            let rows = shortcuts.map { entry in
                [
                    entry.shortcut.type, entry.shortcut.title, entry.app.id, entry.shortcut.target?.text ?? "-",
                    entry.shortcut.location.description,
                ].map { TerminalText.escape($0) }
            }
            context.output.write(TextTable.text([["type", "title", "app", "target", "declared at"]] + rows, indent: 3))
        }
        return .handled
    }

    /// With the property names of a shortcut item, so that an element can be dispatched as it is.
    private static func write(_ shortcut: ShortcutDefinition, of app: App, to json: inout JSONWriter) {
        json.beginObject()
        json.member("app", app.id)
        json.member("type", shortcut.type)
        json.member("localizedTitle", shortcut.title)
        json.member("localizedSubtitle", shortcut.subtitle)
        json.key("icon")
        if let icon = shortcut.icon {
            json.beginObject()
            json.member("symbolName", icon)
            json.endObject()
        } else {
            json.null()
        }
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
}
