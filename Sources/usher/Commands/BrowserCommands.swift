internal import Glibc
internal import UsherActivities
internal import UsherControl
internal import UsherJSON
internal import UsherOperation
internal import UsherSystem
internal import UsherText

/// `usher browser install`: tells browsers which program their extension may start.
enum BrowserInstallCommand {
    private static let extensionID = Option(
        "extension-id", "ID", "another extension that may start it: one that you have built yourself",
        isRepeatable: true)
    private static let profile = Option(
        "profile", "DIR", "only for the browser that is started with --user-data-dir DIR, or with DIR as its home")

    static let description = CommandDescription(
        "browser install", "let the extension in your browsers start usher",
        operands: [.init("BROWSER", .any, of: .browsers)], options: [extensionID, profile],
        discussion: [
            "Browsers: \(BrowserKind.all.map(\.name).joined(separator: ", ")). Without one: all that have been run here.",
            "It writes a native messaging manifest for each, and one script, which starts this usher with this state",
            "folder. Say it again when either has moved. The extension itself is put in by you: Documentation/Browser.md.",
        ],
        examples: [
            .init("usher browser install", "for every browser that has a folder here"),
            .init("usher browser install firefox chromium", "for these two"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        let state = FilePath.absolute(try context.stateFolder())
        let script = "\(state)/browser-host"
        guard let program = OwnProgram.path else {
            throw .usage("this program cannot be found", help: "is /proc there?", code: .usageMissing)
        }
        let host = NativeHost(script: script, extensions: arguments.values(extensionID))
        for id in host.extensions where id.utf8.contains(where: { $0 < 0x21 || $0 == UInt8(ascii: "/") || $0 > 0x7E }) {
            throw .usage("\(QuotedText.text(id)) is no identifier of an extension")
        }
        let browsers = try chosen(arguments, context)
        try NewFile.replace(script, with: NativeHost.script(program: program, state: state), mode: 0o700)
        var written = [script]
        for browser in browsers {
            let folder = arguments.value(profile).map(FilePath.absolute) ?? browser.folder(context.environment) ?? ""
            let path = NativeHost.fileName(in: "\(folder)/\(browser.hosts)")
            try NewFile.replace(path, with: host.manifest(for: browser.family), mode: 0o600)
            written.append(path)
        }
        let answer: JSONValue = ["written": .array(written.map { .string($0) })]
        context.print(answer, text: "written:\n" + written.map { "   \($0)\n" }.joined())
        context.output.flush()
        let place = extensionFolder(beside: program).map { " from \($0)" } ?? ""
        context.errors.note("next: put the extension into the browser\(place), then usher browser status")
    }

    /// Where `make install` puts it, or where it is in the repository that this program was built in.
    static func extensionFolder(beside program: String) -> String? {
        let folder = program.split(separator: "/").dropLast()
        for (up, rest) in [(1, "share/usher/Extension"), (3, "Extension")] {
            let path = "/" + (folder.dropLast(up).map(String.init) + [rest]).joined(separator: "/")
            if unsafe access(path + "/manifest.json", R_OK) == 0 { return path }
        }
        return nil
    }

    private static func chosen(
        _ arguments: Arguments, _ context: Context
    ) throws(CommandFailure) -> [BrowserKind] {
        var browsers: [BrowserKind] = []
        for name in arguments.operands {
            guard let browser = BrowserKind.all.first(where: { $0.name.hasSameBytes(as: name) }) else {
                throw .unknown("browser", name, among: BrowserKind.all.map(\.name))
            }
            browsers.append(browser)
        }
        if arguments.has(profile), browsers.count != 1 {
            throw .usage("--profile is one browser's", help: "usher browser install chromium --profile DIR")
        }
        if browsers.isEmpty {
            browsers = BrowserKind.all.filter { browser in
                browser.folder(context.environment).map { unsafe access($0, F_OK) == 0 } ?? false
            }
        }
        guard !browsers.isEmpty else {
            throw .usage(
                "no browser has been run here yet", help: "name one: usher browser install firefox, for example",
                code: .usageMissing)
        }
        guard arguments.has(profile) || browsers.allSatisfy({ $0.folder(context.environment) != nil }) else {
            throw .usage(
                "there is no home folder", help: "set $HOME, or name a folder with --profile", code: .usageMissing)
        }
        return browsers
    }
}

/// `usher browser status`: which browsers may start usher, and which speak with usherd now.
enum BrowserStatusCommand {
    static let description = CommandDescription(
        "browser status", "which browsers are set up, and which are connected",
        discussion: ["Exit status 1: none is connected."],
        examples: [.init("usher browser status", "what is missing, browser by browser")],
        run: run)

    /// What a browser's manifest is worth.
    private enum Setup: String {
        case missing
        case ready
        /// Another program's, or its script is not there any more.
        case broken
    }

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let state = FilePath.absolute(try context.stateFolder())
        let rows = BrowserKind.all.compactMap { browser -> (name: String, setup: Setup, path: String)? in
            guard let folder = browser.folder(context.environment) else { return nil }
            let path = NativeHost.fileName(in: "\(folder)/\(browser.hosts)")
            let setup = setup(at: path)
            // Of browsers that were never run here there is nothing to tell.
            guard unsafe setup != .missing || access(folder, F_OK) == 0 else { return nil }
            return (browser.name, setup, path)
        }
        let connected = BrowserRoll.ask(state: state)
        if context.writesJSON {
            let browsers = rows.map { row -> JSONValue in
                ["browser": .string(row.name), "manifest": .string(row.setup.rawValue), "path": .string(row.path)]
            }
            let answer: JSONValue = [
                "browsers": .array(browsers), "usherd": .boolean(connected != nil),
                "connected": .array(connected ?? []),
            ]
            context.print(json: answer)
        } else {
            context.output.write(
                TextTable.text(rows.map { [$0.name, $0.setup.rawValue, Printable.escaped($0.path)] }))
            for client in connected ?? [] { context.output.write(line(client)) }
        }
        context.output.flush()
        if connected == nil {
            context.errors.note("usherd does not run, or takes no browsers: none is connected; usher serve starts it")
        } else if connected?.isEmpty == true {
            context.errors.note(
                rows.isEmpty
                    ? "nothing is set up: usher browser install, then the extension (Documentation/Browser.md)"
                    : "no browser is connected: does it run, and is the extension switched on in it?")
        }
        return connected?.isEmpty == false ? .handled : .finding
    }

    private static func setup(at path: String) -> Setup {
        guard let bytes = FileSystem.contents(of: path, limit: 65_536) else { return .missing }
        guard let manifest = try? HostManifest(reading: bytes), manifest.name == NativeHost.name,
            unsafe access(manifest.path, X_OK) == 0
        else { return .broken }
        return .ready
    }

    /// `firefox: connected, version 128.0, 2 windows, 14 tabs`.
    private static func line(_ client: JSONValue) -> String {
        func text(_ name: String) -> String { client[name]?.string ?? client[name]?.numberText ?? "?" }
        return Printable.escaped(
            "\(text("client")): connected, version \(text("version")), \(text("windows")) windows, \(text("tabs")) tabs"
        )
            + "\n"
    }
}

/// `usher browser host`: what a browser starts to reach usherd.
enum BrowserHostCommand {
    static let description = CommandDescription(
        "browser host", "pass messages on between a browser and usherd",
        // The browser names its extension.
        operands: [.init("EXTENSION", .any)],
        discussion: [
            "Browsers start it, by the manifest that usher browser install writes. It waits for usherd, and ends with",
            "the browser.",
        ],
        examples: [.init("usher browser host --help", "this text: without a browser there is nothing to pass on")],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        guard !ProcessEnvironment.isTerminal(0) else {
            throw .usage(
                "there is no browser at the other end", help: "usher browser install registers it with browsers",
                code: .usageMissing)
        }
        var relay = BrowserRelay(state: FilePath.absolute(try context.stateFolder()))
        switch relay.run() {
        case .finished: return .handled
        case .failed(let reason): throw CommandFailure(.finding, reason)
        }
    }
}

/// `usher browser pause|resume`: whether the pages in front become activities.
enum BrowserPauseCommands {
    static let pause = CommandDescription(
        "browser pause", "keep the pages in front from becoming activities", operands: [.init("DURATION", .optional)],
        discussion: [
            "Until usher browser resume, or for a time: 90s, 30m, 2h, 1d. The pages in front now are activities no more.",
            "Which pages become activities is said by `pages` and `deny` in the table [browser] of usher.toml.",
        ],
        examples: [
            .init("usher browser pause 30m", "for half an hour"), .init("usher browser pause", "until it is resumed"),
        ],
        run: runPause)

    static let resume = CommandDescription(
        "browser resume", "let the pages in front become activities again",
        examples: [.init("usher browser resume", "ends a pause")], run: runResume)

    private static func runPause(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        var pause = PagePause(isPaused: true)
        if let text = arguments.operands.first {
            guard let seconds = DurationText.seconds(text), (1...365 * 86_400).contains(seconds) else {
                throw .refusal(
                    .controlArgument, "\(QuotedText.text(text)) is no duration from 1 second to 365 days",
                    help: "a number and s, m, h or d: usher browser pause 30m")
            }
            pause.until = Instant(microseconds: Instant.now.microseconds + seconds * 1_000_000)
        }
        let path = PagePause.path(FilePath.absolute(try context.stateFolder()))
        try NewFile.replace(path, with: pause.json.text() + "\n", mode: 0o600)
        try report(pause, context)
    }

    private static func runResume(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        try NewFile.remove(PagePause.path(FilePath.absolute(try context.stateFolder())))
        try report(PagePause(isPaused: false), context)
    }

    private static func report(_ pause: PagePause, _ context: Context) throws(CommandFailure) {
        BrowserPauseNotice.send(state: FilePath.absolute(try context.stateFolder()))
        let until = pause.until.map { " until \($0.text)" } ?? ""
        context.print(pause.json, text: pause.isPaused ? "paused\(until)\n" : "not paused\n")
        context.output.flush()
    }
}

/// What a browser reads about the host.
private struct HostManifest: AnswerRecord {
    var name = ""
    var path = ""

    static let fields: [Field<Self>] = [Field(always: "name", \.name), Field(always: "path", \.path)]
}
