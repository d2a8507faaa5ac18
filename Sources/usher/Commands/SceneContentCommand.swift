internal import UsherActivation
internal import UsherConfiguration
internal import UsherEngine
internal import UsherJSON
internal import UsherScene
internal import UsherText

/// `usher scene content`: what the `content` of the manifests reads from a window, or would read from a title.
enum SceneContentCommand {
    private static let title = Option("title", "TEXT", "a title, instead of a window that is there")
    private static let windowClass = Option("class", "C", "with --title: the class or app id of the window")
    private static let app = Option("app", "ID", "only scenes of this app")
    private static let scene = Option("scene", "NAME", "only scenes of this name, whatever their `focus` says")

    static let description = CommandDescription(
        "scene content", "the target that manifests read from a window that was opened by hand",
        operands: [.init("WINDOW", .optional)], options: [title, windowClass, app, scene],
        discussion: [
            "Tries the `content` of each scene; nothing is changed. WINDOW is a handle of `scene windows`, or a session.",
            "Scenes whose `focus` has another `class` take no part. `finding` says why a scene reads no target.",
            "Ends with status 1 where there is no target.",
        ],
        examples: [
            .init(
                "usher scene content --title /tmp/plan.pdf --class Zathura --config Config/ready/documents.toml",
                "what a window of this title shows")
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let window = arguments.operands.first
        guard (window == nil) != (arguments.value(title) == nil) else {
            throw .usage(
                window == nil ? "a window or --title is needed" : "a window and --title do not go together",
                help: "usher scene windows lists the windows")
        }
        if window != nil, arguments.has(windowClass) {
            throw .usage("--class goes with --title: a window has a class of its own")
        }
        let apps = try context.loadConfiguration().configuration.apps
        let chosen = arguments.value(app)
        if let chosen, !apps.contains(where: { $0.id.hasSameBytes(as: chosen) }) {
            throw .unknown("app", chosen, among: apps.map(\.id), code: .noApp)
        }
        let name = arguments.value(scene)
        if let name {
            let names = apps.filter { chosen == nil || $0.id == chosen }.flatMap { $0.scenes.map(\.name) }
            if !names.contains(where: { $0.hasSameBytes(as: name) }) {
                throw .unknown("scene", name, among: names, code: .sceneUnknown)
            }
        }
        let home = context.environment["HOME"]
        let content: WindowContent
        if let window {
            content = WindowContent(try find(window, context), home: home)
        } else {
            content = WindowContent(
                title: arguments.value(title) ?? "", windowClass: arguments.value(windowClass), home: home)
        }
        let readings = content.readings(in: apps, app: chosen, scene: name)
        if context.writesJSON {
            context.print(json: content.answer(readings))
        } else {
            show(readings, context)
        }
        return readings.contains { $0.target != nil } ? .handled : .finding
    }

    private static func find(_ name: String, _ context: Context) throws(CommandFailure) -> WindowList.Window {
        let windows = try SceneWindowsCommand.answer(context).windows
        let plain = name.hasPrefix("tmux:") ? String(name.dropFirst(5)) : name
        let handle = SceneWindowsCommand.owners(context).first { $0.value.hasSameBytes(as: name) }?.key ?? plain
        for window in windows {
            if window.handle == handle { return window }
            if let pane = window.pane(handle) { return pane }
        }
        throw .usage("there is no window \(QuotedText.text(name))", help: "usher scene windows lists them")
    }

    private static func show(_ readings: [WindowContent.Reading], _ context: Context) {
        guard !readings.isEmpty else {
            return context.errors.note("no scene that this window can belong to has a `content`")
        }
        let rows = readings.map { reading in
            [
                reading.scene, reading.app, reading.rule.source.name,
                reading.target?.text ?? reading.finding?.rawValue, reading.rule.location.description,
            ]
        }
        context.output.write(
            TextTable.text(escaping: [["scene", "app", "source", "target or finding", "at"]] + rows, indent: 3))
    }
}
