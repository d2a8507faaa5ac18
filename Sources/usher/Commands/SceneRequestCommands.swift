internal import UsherEngine
internal import UsherLog
internal import UsherOperation

/// `usher scene focus|new`: what is asked of windows by themselves. Each is a delivery.
enum SceneRequestCommands {
    private static let app = Option("app", "ID", "the app")
    private static let scene = Option("scene", "NAME", "the scene; else the one that opens for the target")
    private static let target = Option("target", "ID", "the content it is to show")

    static let focus = CommandDescription(
        "scene focus", "bring the window of a session forward",
        operands: [.init("SESSION")],
        discussion: [
            "Prints the record. One that is disconnected is launched again. The window is shown nothing (`show`)."
        ],
        examples: [.init("usher scene focus clown-1", "it is in front, and that is verified")],
        run: { (arguments, context) throws(CommandFailure) -> ExitStatus in
            try run(SceneFocus(arguments.operands[0], token: context.token, parent: parent(context)), context)
        })

    static let new = CommandDescription(
        "scene new", "make a new window of an app",
        options: [app, scene, target],
        discussion: [
            "Prints the record. Always a new window, whatever is open: of --scene, else of the scene whose `opens` fits the",
            "target, else of the first scene without `opens`.",
        ],
        examples: [
            .init("usher scene new --app example.clowntown --scene main --config Config", "one more main window")
        ],
        run: { (arguments, context) throws(CommandFailure) -> ExitStatus in
            guard let id = arguments.value(app) else {
                throw .usage("--app is missing: a window is one of an app", help: "usher check names the apps")
            }
            let call = SceneNew(
                app: id, scene: arguments.value(scene), target: arguments.value(target), token: context.token,
                parent: parent(context))
            return try run(call, context)
        })

    private static func run<C: PerformedCall>(
        _ call: C, _ context: Context
    ) throws(CommandFailure) -> ExitStatus where C.Answer == DecisionRecord {
        let record = try context.engine().call(call)
        context.print(record: record)
        return record.error == nil ? .handled : .finding
    }

    /// The delivery whose handler this is: the request does not wait behind it.
    private static func parent(_ context: Context) -> String? { context.environment["USHER_DELIVERY"] }
}
