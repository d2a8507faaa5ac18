internal import UsherConfiguration
internal import UsherJSON
internal import UsherScene

/// `usher open`: the window for one target.
enum OpenCommand {
    private static let app = Option("app", "ID", "the app, where no app owns the target")

    static let description = CommandDescription(
        "open", "show a target in its window",
        operands: [.init("TARGET")], options: [app],
        discussion: [
            "The activation token of a launcher that calls it (XDG_ACTIVATION_TOKEN, DESKTOP_STARTUP_ID) is for that window."
        ],
        examples: [
            .init(
                "usher open https://clowntown.example/clowns/crusty --config Config", "launches or focuses the window")
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let target = arguments.operands[0]
        let engine = try context.engine()
        if target.utf8.starts(with: (App.notesScheme + ":").utf8) {
            try context.checkNote(target, in: try context.loadConfiguration(of: engine), by: engine)
        }
        let app = arguments.value(app).map { [JSONValue.Member("app", .string($0))] } ?? []
        return try DaemonDispatching(context, engine, source: "open").run(
            .object([.init("url", .string(target))] + app))
    }
}
