internal import Glibc
internal import UsherActivation
internal import UsherJSON
internal import UsherSystem
internal import UsherText

/// `usher desktop install|remove`: the extension by which GNOME Shell reports its windows.
enum DesktopCommands {
    static let install = CommandDescription(
        "desktop install", "let a desktop report its windows to Usher", operands: [.init("gnome", .one)],
        discussion: [
            "Puts Usher's extension of GNOME Shell into $XDG_DATA_HOME/gnome-shell/extensions and enables it. Only the usherd",
            "beside this usher may use it. GNOME Shell reads extensions at login: the command says when one is needed. Again",
            "after an upgrade of Usher or of the shell; where nothing changed, nothing is written.",
        ],
        examples: [.init("usher desktop install gnome", "the extension for the shell that is installed")],
        run: runInstall)

    static let remove = CommandDescription(
        "desktop remove", "take back what usher desktop install has done", operands: [.init("gnome", .one)],
        discussion: ["Disables the extension, which takes effect at once, and removes its folder."],
        examples: [.init("usher desktop remove gnome", "GNOME Shell reports its windows no more")], run: runRemove)

    private static func runInstall(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        let shell = try GNOMEShell(arguments, context)
        let version = try shell.version()
        let files = try shell.files(for: version)
        var written: [String] = []
        for (path, bytes) in files where FileSystem.contents(of: path, limit: 1 << 20) != bytes {
            try NewFile.replace(path, with: bytes, mode: 0o644)
            written.append(path)
        }
        try shell.enable(true)
        // A shell that has read these files before needs no new login.
        let isLoaded = written.isEmpty && shell.isLoaded
        report(written, verb: "written", needsLogin: !isLoaded, context)
        if shell.isForbidden {
            context.errors.note(
                "GNOME Shell runs no extensions: gsettings set org.gnome.shell disable-user-extensions false")
        }
        context.errors.note(
            isLoaded
                ? "GNOME Shell has loaded the extension: usher doctor shows what works"
                : "next: log out and in, then usher doctor: GNOME Shell reads extensions at login")
    }

    private static func runRemove(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        let shell = try GNOMEShell(arguments, context)
        guard FileSystem.exists(shell.folder) else {
            report([], verb: "removed", needsLogin: false, context)
            return context.errors.note("the extension is not installed: nothing to remove")
        }
        try shell.enable(false)
        var removed: [String] = []
        for path in GNOMEShell.fileNames.map({ "\(shell.folder)/\($0)" }) where unsafe unlink(path) == 0 {
            removed.append(path)
        }
        guard unsafe rmdir(shell.folder) == 0 else {
            throw .cannot("remove \(shell.folder)", errno: errno)
        }
        report(removed, verb: "removed", needsLogin: false, context)
    }

    private static func report(_ paths: [String], verb: String, needsLogin: Bool, _ context: Context) {
        let answer: JSONValue = [verb: .array(paths.map { .string($0) }), "needs_login": .boolean(needsLogin)]
        let list = "\(verb):\n" + paths.map { "   \(Printable.escaped($0))\n" }.joined()
        context.print(answer, text: paths.isEmpty ? "nothing was \(verb)\n" : list)
        context.output.flush()
    }
}

/// GNOME Shell as it is installed here, and the extension in it.
private struct GNOMEShell {
    /// Of the extension.
    let folder: String
    private let environment: [String: String]

    static let fileNames = ["extension.js", "metadata.json"]
    private static let schema = "org.gnome.shell"
    private static let bus = "org.gnome.Shell"
    /// In milliseconds, for one program.
    private static let patience = 20_000

    init(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        let name = arguments.operands[0]
        guard name.hasSameBytes(as: "gnome") else { throw .unknown("desktop", name, among: ["gnome"]) }
        environment = context.environment
        guard let folder = ShellExtension.userFolder(environment) else {
            throw .usage(
                "there is no home folder for extensions of GNOME Shell", help: "set $HOME", code: .usageMissing)
        }
        self.folder = folder
    }

    /// The first number of its version.
    func version() throws(CommandFailure) -> Int {
        guard let text = run("gnome-shell", ["--version"]),
            let number = text.split(separator: " ").last?.split(separator: ".").first.flatMap({ Int($0) })
        else {
            throw .usage(
                "GNOME Shell is not installed: the program gnome-shell does not tell its version", code: .usageMissing)
        }
        return number
    }

    /// Paths and contents. The code base for this version; extensions before GNOME Shell 45 are no ECMAScript modules.
    func files(for version: Int) throws(CommandFailure) -> [(path: String, bytes: [UInt8])] {
        guard let program = OwnProgram.path, let source = BrowserInstallCommand.extensionFolder(beside: program),
            let daemon = FilePath.resolved(OwnProgram.sibling("usherd"))
        else {
            throw .usage(
                "the extension of GNOME Shell is not beside this usher, or usherd is not",
                help: "make install puts it into PREFIX/share/usher/Extension/gnome", code: .usageMissing)
        }
        let place = "\(source)/gnome/\(version < 45 ? 43 : 45)"
        guard let head = FileSystem.contents(of: "\(place)/head.js", limit: 1 << 20),
            let body = FileSystem.contents(of: "\(source)/gnome/windows.js", limit: 1 << 20),
            let metadata = FileSystem.contents(of: "\(place)/metadata.json", limit: 65_536),
            case .object(var members)? = try? JSONValue(parsing: metadata)
        else { throw .usage("the extension of GNOME Shell in \(source)/gnome cannot be read", code: .usageMissing) }
        let versions = members.first { $0.name == "shell-version" }?.value.elements?.compactMap(\.string) ?? []
        guard versions.contains(String(version)) else {
            throw .usage(
                "the extension is for GNOME Shell \(versions.joined(separator: ", ")), not for \(version)",
                code: .usageMissing)
        }
        for place in members.indices where members[place].name == "usherd" { members[place].value = .string(daemon) }
        return [
            ("\(folder)/extension.js", head + body),
            ("\(folder)/metadata.json", Array((JSONValue.object(members).text() + "\n").utf8)),
        ]
    }

    /// The running shell has loaded the extension and runs it.
    var isLoaded: Bool {
        let call = ["call", "--session", "--dest", Self.bus, "--object-path", "/org/gnome/Shell", "--method"]
        let info = run("gdbus", call + [Self.bus + ".Extensions.GetExtensionInfo", ShellExtension.uuid])
        // ExtensionState.ENABLED
        return info?.contains("'state': <1.0>") ?? false
    }

    var isForbidden: Bool { run("gsettings", ["get", Self.schema, "disable-user-extensions"]) == "true\n" }

    /// Through the settings: `gnome-extensions enable` knows only what the shell has loaded already.
    func enable(_ isOn: Bool) throws(CommandFailure) {
        try change("enabled-extensions", contains: isOn)
        try change("disabled-extensions", contains: false)
    }

    private func change(_ key: String, contains isIn: Bool) throws(CommandFailure) {
        guard let text = run("gsettings", ["get", Self.schema, key]) else { throw cannotSet(key) }
        let now = Self.strings(text)
        guard now.contains(ShellExtension.uuid) != isIn else { return }
        let new = now.filter { $0 != ShellExtension.uuid } + (isIn ? [ShellExtension.uuid] : [])
        let value = "[" + new.map { "'\($0)'" }.joined(separator: ", ") + "]"
        guard run("gsettings", ["set", Self.schema, key, value]) != nil,
            let after = run("gsettings", ["get", Self.schema, key]),
            Self.strings(after).contains(ShellExtension.uuid) == isIn
        else { throw cannotSet(key) }
    }

    private func cannotSet(_ key: String) -> CommandFailure {
        .usage(
            "the setting \(key) of GNOME Shell cannot be changed with gsettings",
            help: "run this within the session; is the Debian package libglib2.0-bin installed?", code: .usageMissing)
    }

    /// The texts of an array as gsettings prints it: `['one', 'two']` or `@as []`. UUIDs of extensions hold no quotes.
    private static func strings(_ text: String) -> [String] {
        text.split(separator: "'", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    /// What a program prints; nil where it fails, or is not there.
    private func run(_ program: String, _ arguments: [String]) -> String? {
        guard let path = ProgramLocator(path: environment["PATH"]).locate(program) else { return nil }
        var request = SpawnRequest(
            program: path, arguments: [program] + arguments,
            environment: environment.map { EnvironmentVariable($0.key, $0.value) }, captureLimit: 65_536)
        request.errors = .discarded
        guard let result = try? Spawner.run(request, timeLimit: Self.patience), result.end == .exited(0) else {
            return nil
        }
        return String(decoding: result.output, as: UTF8.self)
    }
}
