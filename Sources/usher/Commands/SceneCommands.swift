internal import Glibc
internal import UsherActivation
internal import UsherConfiguration
internal import UsherEngine
internal import UsherJSON
internal import UsherOperation
internal import UsherPayload
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// `usher scene list`: the sessions of the store.
enum SceneListCommand {
    private static let app = Option("app", "ID", "only the windows of this app")
    private static let all = Option(flag: "all", "windows whose app or scene is not configured now, too")

    static let description = CommandDescription(
        "scene list", "the sessions of windows, first the one that was used last",
        options: [app, all],
        examples: [
            .init("usher scene list", "every window, of every app"),
            .init("usher scene list --app example.clowntown --json", "one app's, as a JSON array"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        let daemon = try context.daemon()
        let scenes: [(app: String, scene: String)]
        let (app, all) = (arguments.value(app), arguments.has(all))
        if let daemon {
            let sessions = try daemon.call(SceneList(app: app, all: all))
            scenes = sessions.map { ($0.app, $0.scene) }
            context.print(sessions: sessions)
            if !all, !context.writesJSON {
                tell(ofHidden: try daemon.call(SceneList(app: app, all: true)).count - sessions.count, context)
            }
        } else {
            let found = try stored(context, app: app)
            let sessions = all ? found.all : found.configured
            scenes = sessions.map { ($0.app, $0.scene) }
            // There can be 100,000: they are written one by one.
            if context.writesJSON {
                context.printArray(sessions) { session, json in SessionAnswer(session).write(to: &json) }
            } else {
                context.print(sessions: sessions.map { SessionAnswer($0) })
                tell(ofHidden: found.all.count - sessions.count, context)
            }
        }
        if let path = daemon?.hello.configuration ?? (try? context.configurationPath()) {
            warnOfRemovedScenes(scenes, configuration: path, context)
        }
    }

    private static func tell(ofHidden count: Int, _ context: Context) {
        guard count > 0 else { return }
        context.errors.note(
            "\(count == 1 ? "one window" : "\(count) windows") of scenes that are not configured now: --all shows "
                + (count == 1 ? "it" : "them"))
    }

    /// A session stays in the store when its scene is taken out of the manifest or given another name.
    private static func warnOfRemovedScenes(
        _ sessions: [(app: String, scene: String)], configuration path: String, _ context: Context
    ) {
        guard let configuration = context.presentConfiguration(path) else { return }
        var warned: Set<String> = []
        for (id, scene) in sessions {
            // Of an app that is unknown here nothing is dispatched, and it may be another configuration's.
            guard let app = configuration.app(id: id), app.scene(named: scene) == nil,
                warned.insert("\(id) \(scene)").inserted
            else { continue }
            context.errors.warning(
                "the manifest of \(id) has no scene \(QuotedText.text(scene)) any more: no request goes to windows of it",
                help:
                    "they are back when the scene is; usher scene connect makes such a window known as one of another scene,"
                    + " scene close ends its session"
            )
        }
    }

    /// Every session, from the daemon or from the store.
    static func sessions(_ context: Context) throws(CommandFailure) -> [SessionAnswer] {
        if let daemon = try context.daemon() { return try daemon.call(SceneList(app: nil)) }
        return try stored(context, app: nil).configured.map { SessionAnswer($0) }
    }

    /// The sessions of the store, first the one that was used last. Conditions that this version cannot read are warned about.
    private static func stored(
        _ context: Context, app: String?
    ) throws(CommandFailure) -> (all: [SceneSession], configured: [SceneSession]) {
        let store = try context.openStore(.readOnly)
        defer { store.close() }
        let configuration = (try? context.configurationPath()).flatMap(context.presentConfiguration)
        let sessions = try context.sessions(in: store, app: app, configuration).sorted(by: SceneSession.precedes)
        return (sessions, configuration.map { known in sessions.filter { known.hasScene(of: $0) } } ?? sessions)
    }
}

/// `usher scene connect`: makes a window known, or many at once.
enum SceneConnectCommand {
    private static let app = Option("app", "ID", "the app; may be left out where there is only one")
    private static let scene = Option("scene", "NAME", "the scene configuration, as the manifest names it")
    private static let target = Option("target", "ID", "the content it shows")
    private static let session = Option("session", "ID", "its id; by default the scene's name and a number")
    private static let handle = Option("handle", "TEXT", "its window, in the words of its window system (@3 in tmux)")
    private static let terminal = Option(
        flag: "terminal", "its window is this terminal: the tmux pane, else the place of the process that leads it")
    private static let title = Option("title", "TEXT", "what it shows, for people")
    private static let from = Option("from", "FILE|-", "connect a window for every JSON line of a file instead")
    static let can = Option("can", "TEXT", "what it can show; by default what the manifest says")
    static let prefers = Option("prefers", "TEXT", "what should come to it; by default what the manifest says")

    static let description = CommandDescription(
        "scene connect", "make an open window known",
        options: [app, scene, target, session, can, prefers, handle, terminal, title, from],
        discussion: [
            "Prints the session. A session that is known already is connected again: it keeps its id and its age.",
            "Conditions may use $TARGET and the parameters of the scene's target template ($CLOWN).",
            "Lines of --from: {\"app\", \"scene\", \"target\", \"session\", \"can\", \"prefers\", \"handle\"}; all of them are",
            "connected, or, where one has a mistake, none.",
        ],
        examples: [
            .init("usher scene connect --app example.clowntown --scene main", "a window that anything can go to"),
            .init(
                "usher scene connect --app example.clowntown --scene clown"
                    + " --target https://clowntown.example/clowns/crusty",
                "a window that shows Crusty: what is about Crusty comes to it"),
            .init(
                "echo '{\"app\":\"example.clowntown\",\"scene\":\"main\"}' | usher scene connect --from -",
                "one window a line"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        if let path = arguments.value(from) {
            let others = [app, scene, target, session, can, prefers, handle, terminal, title]
            if let other = others.first(where: { arguments.has($0) }) {
                throw .usage("--from and --\(other.name) do not go together", help: "write it into the lines")
            }
            return try connectAll(from: path, context)
        }
        var request = SessionRequest(
            app: arguments.value(app), scene: arguments.value(scene), target: arguments.value(target),
            session: arguments.value(session), can: arguments.value(can), prefers: arguments.value(prefers),
            handle: arguments.value(handle), title: arguments.value(title))
        if arguments.has(terminal) {
            if arguments.has(handle) { throw .usage("--handle and --terminal do not go together") }
            guard let place = try context.activator(isDryRun: true).handle(atPlaceOf: getpid()) else {
                throw .refusal(
                    .sceneTerminal, "this is no terminal that could be the window of a session",
                    help: "run the command in the terminal, or name its window: --handle")
            }
            (request.handle, request.handleServer) = (place.handle, place.server)
        }
        switch try context.service().answer(SceneConnect(try context.completed([request]))) {
        case .success(let connected):
            for warning in connected.warnings {
                context.errors.warning(warning.message, help: "give --target, or --can and --prefers")
            }
            for session in connected.sessions { context.print(session: session) }
        case .failure(let error): throw CommandFailure(error.problems.first?.error ?? error)
        }
    }

    // MARK: In bulk

    private static func connectAll(from path: String, _ context: Context) throws(CommandFailure) {
        let input = try InputFile(path)
        var requests: [SessionRequest] = []
        /// The line of each request.
        var numbers: [Int] = []
        var problems: [(number: Int, failure: CommandFailure)] = []
        var count = 0
        try input.forEachLine { (line, number) throws(CommandFailure) in
            do throws(CommandFailure) {
                requests.append(try SessionRequest(line: line))
                numbers.append(number)
            } catch {
                count += 1
                if count <= shown { problems.append((number, error)) }
            }
        }
        // Also where lines cannot be read: all mistakes are named in one run.
        let call = SceneConnect(try context.completed(requests), checks: count > 0)
        let result = try context.service().answer(call)
        func number(of index: Int) -> Int { numbers.indices.contains(index) ? numbers[index] : 0 }
        var warnings: [SessionListAnswer.Warning] = []
        switch result {
        case .success(let connected): warnings = connected.warnings
        case .failure(let error):
            guard !error.problems.isEmpty else { throw CommandFailure(error) }
            count += error.problemCount
            problems += error.problems.map { (number(of: $0.index), CommandFailure($0.error)) }
        }
        for warning in warnings.prefix(shown) {
            context.errors.warning("\(input.name):\(number(of: warning.index)): \(warning.message)")
        }
        for (number, error) in problems.sorted(by: { $0.number < $1.number }).prefix(shown) {
            var failure = error
            failure.message = "\(input.name):\(number): \(failure.message)"
            context.errors.report(failure)
        }
        guard count == 0, case .success(let connected) = result else {
            throw .usage(
                "\(count == 1 ? "one line" : "\(count) lines") of \(input.name) cannot be used: nothing was done",
                code: .usageFile)
        }
        if requests.isEmpty { context.errors.note("\(input.name) has no lines: no window was connected") }
        context.print(sessions: connected.sessions)
    }

    /// How many mistakes, and warnings, are shown.
    private static let shown = 20
}

extension SessionRequest {
    /// A line of `scene connect --from`.
    init(line: Result<[UInt8], PayloadError>) throws(CommandFailure) {
        let bytes: [UInt8]
        switch line {
        case .success(let line): bytes = line
        case .failure(let error): throw .payload(error, .usage)
        }
        let value = try Result { () throws(JSONError) in try JSONValue(parsing: bytes) }
            .mapError { CommandFailure.usage("\($0.message) at byte \($0.offset)", code: .usageFile) }.get()
        guard value.kind == .object else {
            throw .usage("the line is \(value.kind.phrase), not an object", code: .usageFile)
        }
        self = try CommandFailure.attempt { () throws(ControlError) in try SessionRequest(reading: value) }
    }
}

/// `usher scene update|activate|disconnect|close`: what a window shows now, and what became of it.
enum SceneStateCommand {
    static let update = change(
        SceneUpdate.self,
        discussion: ["Conditions may use $TARGET, the content that the session was made for. What is not given stays."],
        examples: [
            .init(
                "usher scene update clown-1 --prefers 'SELF == \"https://clowntown.example/clowns/bozo\"'",
                "it shows Bozo now")
        ])

    static let activate = change(
        SceneActivate.self, hidden: ["handle", "title"],
        examples: [.init("usher scene activate clown-1", "the user looks at this window")])

    static let disconnect = change(
        SceneDisconnect.self, hidden: ["handle", "title"],
        examples: [.init("usher scene disconnect clown-1", "its program ended; the session and its conditions stay")])

    private static func change<C: SceneChange>(
        _ type: C.Type, hidden: [String] = [], discussion: @autoclosure @escaping @Sendable () -> [String] = [],
        examples: @autoclosure @escaping @Sendable () -> [CommandDescription.Example]
    ) -> CommandDescription {
        CommandDescription(
            type, operands: [("session", .init("SESSION"))], hidden: hidden + ["handle_server"],
            discussion: discussion(), examples: examples(),
            prepare: { (call, context) throws(CommandFailure) in
                call.update.handleServer = try context.windowServer(of: call.update.handle)
            },
            show: { answer, _, context in context.print(session: answer.session) })
    }

    static let close = CommandDescription(
        "scene close", "the user closed a window: its session ends",
        operands: [.init("SESSION")], options: [SceneConnectCommand.can, SceneConnectCommand.prefers, window],
        discussion: [
            "Conditions are taken as everywhere, and go with the session. With --window its window is closed, as its user",
            "would: one that asks something, and is open after 5 seconds, stays, and so does its session (status 1).",
        ],
        examples: [.init("usher scene close clown-1", "nothing comes to it any more")],
        run: { (arguments, context) throws(CommandFailure) -> ExitStatus in
            let call = SceneClose(arguments.operands[0], closesWindow: arguments.has(window))
            let answer = try context.service().call(call)
            context.print(session: answer.session)
            guard answer.window == .open else { return .handled }
            context.errors.note("the window is still open after 5 seconds: does it ask something?")
            return .finding
        })

    private static let window = Option(flag: "window", "closes the window; the session stays while the window does")
}

/// `usher scene windows`: the windows of the window systems, with or without a session.
enum SceneWindowsCommand {
    static let description = CommandDescription(
        "scene windows", "every window of the desktop, of tmux and of browsers, known to Usher or not",
        discussion: [
            "What `focus` of a manifest can say about a window: its class, instance, app id, title, browser and tabs; and",
            "the session whose window it is, if any.",
        ],
        examples: [
            .init("usher scene windows", "a table"),
            .init("usher scene windows --json", "with process, session, workspace and tabs"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        let windows = try answer(context).windows
        let owners = owners(context)
        if context.writesJSON {
            return context.print(json: windows.map { OwnedWindow(window: $0, session: owners[$0.handle]) })
        }
        guard !windows.isEmpty else {
            return context.errors.note("no windows: usher doctor says which window systems are there")
        }
        let rows = windows.map { window in
            [
                window.handle, window.windowClass, window.appID, owners[window.handle], window.activation?.rawValue,
                window.group, window.title,
            ]
        }
        let head = ["window", "class", "app id", "session", "seen", "place", "title"]
        context.output.write(TextTable.text(escaping: [head] + rows, indent: 3))
    }

    /// The session of each window, by the window's handle; empty where the store cannot be read.
    static func owners(_ context: Context) -> [String: String] {
        let open = (try? SceneListCommand.sessions(context)) ?? []
        let pairs = open.compactMap { session -> (String, String)? in
            guard session.state != .disconnected, let handle = session.handle else { return nil }
            return (handle, session.id)
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// What the daemon sees, or this process.
    static func answer(_ context: Context) throws(CommandFailure) -> WindowsAnswer {
        if let daemon = try context.daemon() { return try daemon.call(SceneWindows()) }
        return WindowsAnswer(context.windowSystems(context.environment).0)
    }
}

/// A window, and the session whose it is.
private struct OwnedWindow: FieldValue {
    var window: WindowList.Window
    var session: String?

    static var shape: ValueShape { WindowList.Window.shape }

    static func read(_ value: JSONValue, _ name: String, at place: String) throws(ControlError) -> OwnedWindow {
        OwnedWindow(window: try .read(value, name, at: place))
    }

    func write(to json: inout JSONWriter) {
        json.value(
            .object((window.jsonValue.members ?? []) + [.init("session", session.map(JSONValue.string) ?? .null)]))
    }
}

/// `usher scene pick`: point at a window, get the lines of a manifest that mean it.
enum ScenePickCommand {
    private static let seconds = Option("seconds", "N", "how long to wait for it (30)")
    private static let format = Option(
        "format", oneOf: ["toml", "json"], "lines for a manifest, or the window; toml on a terminal, else json")

    static let description = CommandDescription(
        "scene pick", "point at a window: prints the `focus` of a manifest that matches it",
        options: [seconds, format],
        discussion: [
            "On X11 the next click chooses the window, and Escape none; on sway the next window that takes the keyboard is",
            "meant. Says when other windows are the same by these lines. They go into the file of an app, apps/NAME.toml,",
            "into the [[scenes]] whose windows they are to describe.",
        ],
        examples: [
            .init("usher scene pick", "lines for a manifest, to go on from"),
            .init("usher scene pick --format toml >>mail.toml", "at the end of a manifest"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let limit = try arguments.number(seconds, in: 1...3600) ?? 30
        let desktop = context.windowSystems(context.environment).1
        guard desktop.isAvailable else {
            throw .usage(
                "there is no desktop here whose windows could be pointed at",
                help: "\(DesktopName.variables.joined(separator: ", ")): one of them says where it is",
                code: .usageMissing)
        }
        context.errors.note("point at a window")
        let found: WindowList.Window?
        let all: WindowList
        do throws(ActivationFailure) {
            found = try desktop.pick(until: Deadline(inMilliseconds: limit * 1000))
            all = (try? desktop.windows()) ?? WindowList(server: nil, windows: [])
        } catch {
            throw .usage(error.message, help: error.help, code: error.code)
        }
        guard let window = found else {
            context.errors.note("no window was chosen")
            return .finding
        }
        if arguments.value(format) ?? (context.writesJSON ? "json" : "toml") == "json" {
            context.print(json: window)
            if arguments.value(format) == nil, !context.asksForJSON {
                context.errors.note("this is JSON: --format toml writes lines for a manifest")
            }
        } else {
            let alike = all.windows.filter { $0.handle != window.handle && isAlike($0, window) }
            let owner = SceneWindowsCommand.owners(context)[window.handle]
            context.output.write(manifest(of: window, alike: alike, owner: owner))
            context.errors.note(
                "these lines go to the end of an app's manifest, \(folder(context))/NAME.toml; into a scene that it has, the "
                    + "`focus` alone")
        }
        return .handled
    }

    /// Where manifests are.
    private static func folder(_ context: Context) -> String {
        ((try? context.configurationPath()) ?? "~/.config/usher") + "/apps"
    }

    private static func isAlike(_ one: WindowList.Window, _ other: WindowList.Window) -> Bool {
        one.windowClass == other.windowClass && one.instance == other.instance && one.appID == other.appID
    }

    private static func manifest(of window: WindowList.Window, alike: [WindowList.Window], owner: String?) -> String {
        var rules: [String] = []
        if let id = window.appID {
            rules.append("app-id = \(pattern(id))")
        } else {
            if let name = window.windowClass { rules.append("class = \(pattern(name))") }
            if let name = window.instance, name != window.windowClass { rules.append("instance = \(pattern(name))") }
        }
        let isAmbiguous = !alike.isEmpty
        if isAmbiguous || rules.isEmpty { rules.append("title = \(pattern(window.title))") }
        var text = "# \(Printable.escaped(window.title)) (\(window.handle))\n"
        if let owner {
            text += "# it is the window of the session \(Printable.escaped(owner)) already: usher scene list\n"
        }
        let same = alike.count { $0.title == window.title }
        if same > 0 {
            text +=
                "# \(same) more look the same by these lines: usher scene connect --handle connects the right one\n"
        } else if isAmbiguous {
            text += "# \(alike.count) more of this class: the title tells them apart, as long as it stays\n"
        }
        return text + "[[scenes]]\nname = \"main\"\nfocus = { \(rules.joined(separator: ", ")) }\n"
    }

    /// As a TOML string in which nothing stands for anything else; a control character is any character.
    private static func pattern(_ text: String) -> String {
        let scalars = WindowRule.literal(text).unicodeScalars.map { scalar -> Unicode.Scalar in
            scalar.value < 0x20 || scalar.value == 0x7F ? "?" : scalar
        }
        return "\"" + String(String.UnicodeScalarView(scalars)) + "\""
    }
}
