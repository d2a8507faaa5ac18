internal import UsherConfiguration
internal import UsherJSON
internal import UsherScene

/// `usher shortcut perform`: what tapping a shortcut item does.
enum ShortcutPerformCommand {
    private static let app = Option("app", "ID", "the app that declares it, where several do")

    static let description = CommandDescription(
        "shortcut perform", "do what tapping a shortcut item does",
        operands: [.init("TYPE")], options: [app],
        examples: [.init("usher shortcut perform order-crusty --config Config", "orders Crusty")],
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
        let type = arguments.operands.first ?? ""
        var apps = loaded.configuration.manifestApps
        if let id = arguments.value(app) {
            guard let named = loaded.configuration.app(id: id) else {
                throw .unknown("app", id, among: apps.map(\.id))
            }
            apps = [named]
        }
        let declaring = apps.filter { $0.shortcuts.contains { $0.type == type } }
        guard let only = declaring.first else {
            throw .unknown(
                "shortcut", type, among: apps.flatMap { $0.shortcuts.map(\.type) },
                otherwise: "usher shortcut list shows what there is")
        }
        guard declaring.count == 1 else {
            throw .usage(
                "\(declaring.map(\.id).joined(separator: " and ")) declare the shortcut \(Quoted.text(type))",
                help: "name one with --app")
        }
        var line = JSONWriter(escaping: .minimal)
        line.beginObject()
        line.beginObject("shortcutItem")
        line.member("type", type)
        line.endObject()
        line.member("app", only.id)
        line.endObject()
        if let daemon { return try DaemonDispatching(context, daemon, source: "shortcut").run(line.bytes) }
        return try Dispatching(context, loaded, source: "shortcut").run(line.bytes)
    }
}
