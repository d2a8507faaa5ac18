internal import UsherJSON
internal import UsherOperation
internal import UsherPayload

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
        let request = SessionRequest(
            app: arguments.value(app), scene: arguments.value(scene), target: arguments.value(target),
            session: arguments.value(session), can: arguments.value(can), prefers: arguments.value(prefers),
            handle: arguments.value(handle), title: arguments.value(title))
        let door = try SessionDoor(context)
        switch try door.connect([request]) {
        case .success(let connected):
            for warning in connected.warnings {
                context.errors.warning(warning.message, help: "give --target, or --can and --prefers")
            }
            door.printEach(connected)
            return .handled
        case .failure(let error): throw CommandFailure(error.problems.first?.error ?? error)
        }
    }

    // MARK: In bulk

    private static func connectAll(from path: String, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let door = try SessionDoor(context)
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
        let result = try door.connect(requests, checks: count > 0)
        func number(of index: Int) -> Int { numbers.indices.contains(index) ? numbers[index] : 0 }
        var warnings: [(index: Int, message: String)] = []
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
                "\(count == 1 ? "one line" : "\(count) lines") of \(input.name) cannot be used: nothing was done")
        }
        if requests.isEmpty { context.errors.note("\(input.name) has no lines: no window was connected") }
        door.print(connected)
        return .handled
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
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw .usage("\(error.message) at byte \(error.offset)")
        }
        guard value.kind == .object else { throw .usage("the line is \(value.kind.phrase), not an object") }
        do throws(ControlError) {
            try self.init(reading: value)
        } catch {
            throw CommandFailure(error)
        }
    }
}
