internal import UsherConfiguration
internal import UsherJSON
internal import UsherPayload
internal import UsherScene
internal import UsherStore

/// `usher scene connect`: makes a window known, or many at once.
enum SceneConnectCommand {
    private static let app = Option("app", "ID", "the app; may be left out where there is only one")
    private static let scene = Option("scene", "NAME", "the scene configuration, as the manifest names it")
    private static let target = Option("target", "ID", "the content it shows")
    private static let session = Option("session", "ID", "its id; by default the scene's name and a number")
    private static let handle = Option("handle", "TEXT", "its window, in the words of its window system (@3 in tmux)")
    private static let title = Option("title", "TEXT", "what it shows, for people")
    private static let from = Option("from", "FILE|-", "connect a window for every JSON line of a file instead")
    static let can = Option("can", "TEXT", "what it can show; by default what the manifest says")
    static let prefers = Option("prefers", "TEXT", "what should come to it; by default what the manifest says")

    static let description = CommandDescription(
        "scene connect", "make an open window known",
        options: [app, scene, target, session, can, prefers, handle, title, from],
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

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        if let path = arguments.value(from) {
            let others = [app, scene, target, session, can, prefers, handle, title]
            if let other = others.first(where: { arguments.has($0) }) {
                throw .usage("--from and --\(other.name) do not go together", help: "write it into the lines")
            }
            return try connectAll(from: path, context)
        }
        var request = SessionRequest(
            app: arguments.value(app), scene: arguments.value(scene), target: arguments.value(target),
            session: arguments.value(session), can: arguments.value(can), prefers: arguments.value(prefers),
            handle: arguments.value(handle), title: arguments.value(title))
        let configuration = try context.loadConfiguration().configuration
        if let id = request.session {
            // Nothing is made before everything is known to be right.
            let store = try context.openStore(.readOnly)
            request.complete(from: try context.storing { () throws(StoreError) in try store.session(id: id) })
        }
        var parsed = ConditionTexts()
        var (new, warnings) = try request.session(in: configuration, parsed: &parsed)
        for warning in warnings { context.errors.warning(warning, help: "give --target, or --can and --prefers") }
        if new.handle != nil { new.handleServer = try context.windowServer(of: new.handle) }
        let store = try context.openStore(.readWrite)
        defer { store.close() }
        let made = try context.storing { () throws(StoreError) in try store.connect([new]) }
        for session in made { context.print(session) }
        return .handled
    }

    // MARK: In bulk

    private static func connectAll(from path: String, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let configuration = try context.loadConfiguration().configuration
        let input = try InputFile(path)
        var sessions: [Store.NewSession] = []
        let known = Dictionary(
            try context.sessions(in: try context.openStore(.readOnly)).sessions.map { (Array($0.id.utf8), $0) },
            uniquingKeysWith: { first, _ in first })
        var server: String??
        var parsed = ConditionTexts()
        var problems = 0
        var warnings = 0
        try input.forEachLine { (line, number) throws(CommandFailure) in
            do throws(CommandFailure) {
                var request = try SessionRequest(line: line)
                if let id = request.session { request.complete(from: known[Array(id.utf8)]) }
                var (session, notes) = try request.session(in: configuration, parsed: &parsed)
                if session.handle != nil {
                    if server == nil { server = .some(try context.windowServer(of: session.handle)) }
                    session.handleServer = server ?? nil
                }
                sessions.append(session)
                for note in notes where warnings < 20 {
                    context.errors.warning("\(input.name):\(number): \(note)")
                    warnings += 1
                }
            } catch {
                problems += 1
                guard problems <= 20 else { return }
                var failure = error
                failure.message = "\(input.name):\(number): \(error.message)"
                context.errors.report(failure)
            }
        }
        guard problems == 0 else {
            throw .usage(
                "\(problems == 1 ? "one line" : "\(problems) lines") of \(input.name) cannot be used: nothing was done")
        }
        if sessions.isEmpty { context.errors.note("\(input.name) has no lines: no window was connected") }
        let store = try context.openStore(.readWrite)
        defer { store.close() }
        let made = try context.storing { () throws(StoreError) in try store.connect(sessions) }
        context.print(made)
        return .handled
    }
}

extension SessionRequest {
    private static let members = ["app", "scene", "target", "session", "can", "prefers", "handle", "title"]

    /// A line of `scene connect --from`.
    init(line: Result<[UInt8], PayloadError>) throws(CommandFailure) {
        let bytes: [UInt8]
        switch line {
        case .success(let line): bytes = line
        case .failure(let error): throw .payload(error, .usage)
        }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw .usage("\(error.message) at byte \(error.offset)")
        }
        guard let members = value.members else { throw .usage("the line is \(value.kind.phrase), not an object") }
        var texts: [String: String] = [:]
        for member in members {
            guard SessionRequest.members.contains(member.name) else {
                throw .unknown("member", member.name, among: SessionRequest.members)
            }
            switch member.value {
            case .string(let text): texts[member.name] = text
            case .null: break
            default: throw .usage("\(member.name) is \(member.value.kind.phrase), not a string")
            }
        }
        self.init(
            app: texts["app"], scene: texts["scene"], target: texts["target"], session: texts["session"],
            can: texts["can"], prefers: texts["prefers"], handle: texts["handle"], title: texts["title"])
    }
}
