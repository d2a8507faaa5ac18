internal import UsherActivation
internal import UsherConfiguration
internal import UsherJSON
internal import UsherScene
internal import UsherText

/// `usher shortcut perform`: what tapping a shortcut item does.
enum ShortcutPerformCommand {
    private static let app = Option("app", "ID", "the app that declares it, where several do")
    private static let chosen = Option("from-menu", "FILE|-", "instead of TYPE: the line that was chosen in a menu")

    static let description = CommandDescription(
        "shortcut perform", "do what tapping a shortcut item does",
        operands: [.init("TYPE", .optional)], options: [app, chosen],
        discussion: [
            "TYPE is one that a manifest declares, or ENTRY:ACTION, an action of a desktop entry that a manifest names.",
            "A launcher's activation token (XDG_ACTIVATION_TOKEN, DESKTOP_STARTUP_ID) is for the window that comes forward.",
            "As a menu: usher shortcut list --menu | dmenu -i -l 20 | usher shortcut perform --from-menu -",
        ],
        examples: [
            .init("usher shortcut perform order-crusty --config Config", "orders Crusty"),
            .init(
                "usher shortcut list --menu --config Config | head -n 1 | usher shortcut perform --from-menu - --config Config",
                "head stands for dmenu or rofi -dmenu"),
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let daemon = try context.daemon()
        let loaded: LoadedConfiguration
        if let daemon {
            loaded = try context.loadConfiguration(of: daemon)
        } else {
            loaded = try context.loadConfiguration()
        }
        var apps = loaded.configuration.manifestApps
        if let id = arguments.value(app) {
            guard let named = loaded.configuration.app(id: id) else {
                throw .unknown("app", id, among: apps.map(\.id))
            }
            apps = [named]
        }
        let item: ShortcutMenu.Item
        if let file = arguments.value(chosen) {
            guard arguments.operands.isEmpty else { throw .usage("a TYPE and --from-menu are two ways to say it") }
            guard let line = try chosenLine(file) else {
                context.errors.note("nothing was chosen")
                return .finding
            }
            let menu = ShortcutMenu(ShortcutListCommand.items(of: apps, context))
            guard let found = menu.item(line) else {
                throw .unknown(
                    "line", line, among: menu.lines.map(\.text), otherwise: "usher shortcut list --menu shows them all")
            }
            item = found
        } else if let type = arguments.operands.first {
            item = try self.item(type, apps, context)
        } else {
            throw .usage("which shortcut item?", help: "usher shortcut list shows what there is")
        }
        switch item {
        case .desktop(let shortcut): return try shortcut.perform(context)
        case .declared(let app, let shortcut):
            var line = JSONWriter(escaping: .minimal)
            line.beginObject()
            line.beginObject("shortcutItem")
            line.member("type", shortcut.type)
            line.endObject()
            line.member("app", app.id)
            line.endObject()
            let engine = if let daemon { daemon } else { try context.engine() }
            return try DaemonDispatching(context, engine, source: "shortcut").run(line.bytes)
        }
    }

    /// Who declares it; desktop entries are asked where nobody does.
    private static func item(_ type: String, _ apps: [App], _ context: Context) throws(CommandFailure)
        -> ShortcutMenu.Item
    {
        let declared = apps.flatMap { app in
            app.shortcuts.filter { $0.type.utf8.elementsEqual(type.utf8) }.prefix(1).map { (app: app, item: $0) }
        }
        if let only = declared.first {
            try requireOne(declared.map(\.app), type)
            return .declared(only.app, only.item)
        }
        var known = apps.flatMap { $0.shortcuts.map(\.type) }
        if type.utf8.contains(UInt8(ascii: ":")) {
            let (found, failures) = DesktopShortcut.all(apps, context)
            for failure in failures {
                context.errors.warning("\(failure.message) [\(failure.code)]", help: failure.help)
            }
            let matching = found.filter { $0.type.utf8.elementsEqual(type.utf8) }
            if let only = matching.first {
                // Whichever app names the entry, the same is started.
                return .desktop(only)
            }
            known += found.map(\.type)
        }
        throw .unknown("shortcut", type, among: known, otherwise: "usher shortcut list shows what there is")
    }

    private static func requireOne(_ apps: [App], _ type: String) throws(CommandFailure) {
        guard apps.count > 1 else { return }
        throw .usage(
            "\(apps.map(\.id).joined(separator: " and ")) declare the shortcut \(QuotedText.text(type))",
            help: "name one with --app")
    }

    /// The first line; nil where there is none, as when a menu is left.
    private static func chosenLine(_ file: String) throws(CommandFailure) -> String? {
        let bytes = try InputFile(file).readAll(limit: 64 * 1024)
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}
