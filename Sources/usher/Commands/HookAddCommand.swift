internal import Glibc
internal import UsherConfiguration
internal import UsherEngine
internal import UsherHook
internal import UsherJSON
internal import UsherOperation
internal import UsherSystem
internal import UsherText

/// `usher hook add`: writes a hook for a sender that is known, with its secret, and says what is to be entered there.
enum HookAddCommand {
    private static let name = Option("as", "NAME", "the name of the hook (the sender's)")
    private static let path = Option("path", "PATH", "the last part of its URL (the name)")
    private static let app = Option("app", "ID", "the app whose windows show what comes")
    private static let target = Option("target", "TEMPLATE", "the target, instead of the one for this sender")
    private static let secret = Option("secret-file", "FILE|-", "the secret, instead of making one")
    private static let url = Option("url", "BASE", "where senders reach usherd (public-url, else where it listens)")
    private static let wait = Option("wait", optional: "SECONDS", "wait for the first request (600 seconds)")

    static let description = CommandDescription(
        "hook add", "write a hook for a sender, and say what to enter there",
        operands: [.init("SENDER")], options: [name, path, app, target, secret, url, wait],
        discussion: [
            "SENDER is \(HookTemplate.all.prefix(8).map(\.name).joined(separator: ", ")),",
            "\(HookTemplate.all.dropFirst(8).map(\.name).joined(separator: ", ")).",
            "Writes hooks/NAME.toml and hooks/NAME.secret in the configuration, and never replaces a file. The secret is made;",
            "where the sender gives one, it is asked for on a terminal. With --wait, status 1: the first request was",
            "refused, or none came.",
        ],
        examples: [
            .init("usher hook add github --as team-github --app example.reviews", "issues and pull requests of GitHub")
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let sender = arguments.operands[0]
        guard let template = HookTemplate.named(sender) else {
            throw .unknown(
                "sender", sender, among: HookTemplate.all.map(\.name), otherwise: "usher help hook add lists them")
        }
        var hook = try NewHook(
            template, name: arguments.value(name) ?? sender, path: arguments.value(path), context)
        hook.url = try base(arguments.value(url), hook.settings, context) + "/hooks/" + hook.path
        var requests = HookRequests(in: try context.stateFolder())
        let seconds = try patience(arguments, context)
        let secret = try self.secret(template, arguments.value(self.secret), context)
        requests.skip()
        try hook.write(app: arguments.value(app), target: arguments.value(target), secret: secret, context)
        if let daemon = try context.daemon(ofAnyConfiguration: true), !daemon.hello.isOnDemand {
            if case .failure(let error) = daemon.answer(Reload()) {
                context.errors.warning(
                    "usherd could not read its configuration again: \(error.message)", help: error.help)
            }
        }
        if template.signsURL, hook.settings.server.publicURL == nil {
            context.errors.warning(
                "this sender signs its URL, which usherd does not know behind a proxy",
                help: "in usher.toml, [server]: public-url = \"https://hooks.example\"")
        }
        // On a terminal only: elsewhere it would end in a file or a log.
        let shown = ProcessEnvironment.isTerminal(1) ? secret : "the line in \(hook.secretFile)"
        let fields = template.fields.map { field in
            (field: field.name, value: ["{url}": hook.url, "{secret}": shown][field.value] ?? field.value)
        }
        if !context.writesJSON { context.output.write(hook.text(fields, style: context.style)) }
        var first: HookRequestRecord?
        if let seconds {
            context.output.flush()
            first = try firstRequest(of: hook, &requests, seconds: seconds, context)
        }
        if context.writesJSON {
            context.printJSON { hook.write(fields, first, to: &$0) }
        } else if let first {
            context.output.write(HookRequestText.text(first, style: context.style))
        } else if seconds != nil {
            context.errors.note("no request came; usher hook log --follow shows the next one")
        }
        guard seconds != nil else { return .handled }
        return first.map { $0.error == nil } == true ? .handled : .finding
    }

    /// Where senders reach the daemon, without a slash at the end.
    private static func base(
        _ given: String?, _ settings: Settings, _ context: Context
    ) throws(CommandFailure) -> String {
        if let given {
            guard let url = PublicURL(given) else {
                throw .usage(
                    "--url cannot be \(QuotedText.text(given))", help: "scheme, host and port: https://hooks.example")
            }
            return url.origin
        }
        if let url = settings.server.publicURL { return url.origin }
        let scheme = settings.server.certificate == nil ? "http" : "https"
        if let address = settings.server.listen.first { return "\(scheme)://\(address)" }
        context.errors.note(
            "the URL is a guess: [server] has neither `public-url` nor `listen`; --url says where usherd is reached")
        return "http://127.0.0.1:8484"
    }

    /// How many seconds to wait for the first request; nil where nothing waits.
    private static func patience(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> Int? {
        guard let text = arguments.value(wait) else { return nil }
        let seconds = text.isEmpty ? 600 : try arguments.number(wait, in: 1...86_400)
        guard let daemon = try context.daemon(ofAnyConfiguration: true), !daemon.hello.isOnDemand else {
            throw .usage(
                "usherd does not run for this state folder, so that no request can come",
                help: "usher serve starts it; without --wait the hook is written all the same", code: .usageMissing)
        }
        return seconds
    }

    private static func firstRequest(
        of hook: NewHook, _ requests: inout HookRequests, seconds: Int, _ context: Context
    ) throws(CommandFailure) -> HookRequestRecord? {
        let signals = try StoreWatch.openSignals()
        context.errors.note("waiting for the first request, at most \(seconds) seconds")
        let end = Deadline(in: .seconds(seconds))
        var watch = try StoreWatch(database: requests.file)
        while true {
            try watch.begin()
            if let first = requests.next().first(where: { $0.isAbout(hook.name) || $0.isAbout(hook.path) }) {
                return first
            }
            guard case .changed = watch.wait(signals: signals, output: 1, until: end) else { return nil }
        }
    }

    // MARK: Secret

    private static func secret(
        _ template: HookTemplate, _ file: String?, _ context: Context
    ) throws(CommandFailure) -> String {
        if let file {
            let bytes = try InputFile(file).readAll(limit: 64 << 10)
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .usage("the secret is not UTF-8", code: .usageFile)
            }
            return try checked(text)
        }
        switch template.secret {
        case .made: return Hexadecimal.encode(random())
        case .madeForStandard: return "whsec_" + Base64.encode(random())
        case .given(let what):
            guard ProcessEnvironment.isTerminal(0), ProcessEnvironment.isTerminal(2) else {
                throw .usage(
                    "the secret comes from \(template.name), and is not given: nothing was written",
                    help: "--secret-file FILE, or - for standard input: \(what)")
            }
            context.errors.write("\(what): ")
            return try checked(HiddenLine.read() ?? "")
        }
    }

    private static func checked(_ text: String) throws(CommandFailure) -> String {
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw .usage("the secret is empty: nothing was written", code: .usageFile)
        }
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    /// 32 bytes of the system's generator.
    private static func random() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).flatMap { _ in
            let word = generator.next()
            return (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        }
    }
}

/// A line of the terminal that is not shown while it is typed.
private enum HiddenLine {
    static func read() -> String? {
        var shown = termios()
        guard unsafe tcgetattr(0, &shown) == 0 else { return readLine() }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        unsafe tcsetattr(0, TCSANOW, &hidden)
        defer {
            unsafe tcsetattr(0, TCSANOW, &shown)
            _ = FileOutput.write([0x0A], to: 2)
        }
        return readLine()
    }
}

/// A hook that is about to be written.
private struct NewHook {
    let template: HookTemplate
    let name: String
    let path: String
    let settings: Settings
    var url = ""

    private let configuration: String
    private var folder: String { configuration + "/hooks" }
    var file: String { "\(folder)/\(name).toml" }
    var secretFile: String { "\(folder)/\(name).secret" }

    /// Throws where there is something of that name already; nothing is written yet.
    init(_ template: HookTemplate, name: String, path: String?, _ context: Context) throws(CommandFailure) {
        for (word, what) in [(name, "name"), (path ?? name, "path")] {
            let isPlain = word.utf8.allSatisfy { $0.isASCIILetterOrDigit || ".-_".utf8.contains($0) }
            guard isPlain, (1...64).contains(word.utf8.count), word.utf8.first != UInt8(ascii: ".") else {
                throw .usage(
                    "\(QuotedText.text(word)) cannot be the \(what) of a hook",
                    help: "up to 64 letters, digits, `.`, `-` and `_`, and no `.` at the beginning")
            }
        }
        self.template = template
        self.name = name
        self.path = path ?? name
        configuration = try context.configurationPath()
        guard (try? FileSystem.kind(of: configuration)) == .folder else {
            throw .usage(
                "the configuration at \(configuration) is no folder, so that no hook can be written into it",
                help: "usher init writes a first one")
        }
        settings = try context.loadConfiguration().settings
        if let hook = settings.hook(named: name) {
            throw .usage(
                "there is a hook \(name) already, at \(hook.location): nothing was written",
                help: "--as NAME: another one")
        }
        for file in [file, secretFile] where FileSystem.exists(file) {
            throw .usage(
                "\(file) is there already: nothing was written", help: "--as NAME gives the hook another name",
                code: .usageFile)
        }
    }

    /// Writes both files; where the configuration is not right with them, they are removed again.
    func write(app: String?, target: String?, secret: String, _ context: Context) throws(CommandFailure) {
        let text = template.text(hook: name, path: path == name ? nil : path, app: app, target: target)
        try NewFile.attempt { () throws(FileSystem.WriteFailure) in
            try FileSystem.makeFolder(folder, mode: 0o755)
            try FileSystem.create(secretFile, Array((secret + "\n").utf8), mode: 0o600)
        }
        do throws(CommandFailure) {
            try NewFile.write(text, to: file)
            _ = try context.loadConfiguration()
        } catch {
            unsafe unlink(file)
            unsafe unlink(secretFile)
            throw error
        }
    }

    // MARK: Output

    func text(_ fields: [(field: String, value: String)], style: TerminalStyle) -> String {
        var text = "written:\n   \(Printable.escaped(file))\n   \(Printable.escaped(secretFile))\n"
        text += "enter at the sender:\n"
        text += TextTable.text(
            fields.map { [$0.field, style.emphasise(Printable.escaped($0.value))] }, indent: 3, widest: 80)
        return text
    }

    func write(
        _ fields: [(field: String, value: String)], _ first: HookRequestRecord?, to json: inout JSONWriter
    ) {
        json.beginObject()
        json.member("hook", name)
        json.member("path", path)
        json.member("url", url)
        json.member("file", file)
        json.member("secret_file", secretFile)
        json.beginArray("enter")
        for (field, value) in fields {
            json.beginObject()
            json.member("field", field)
            json.member("value", value)
            json.endObject()
        }
        json.endArray()
        if let first {
            json.beginObject("first_request")
            json.member("time", first.time.text)
            json.member("status", first.status)
            json.key("error")
            first.error.write(to: &json)
            json.endObject()
        } else {
            json.nullMember("first_request")
        }
        json.endObject()
    }
}
