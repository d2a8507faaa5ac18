internal import Glibc
internal import UsherConfiguration
internal import UsherJSON
internal import UsherScene
internal import UsherSystem

/// `usher help [COMMAND|CODE]`. The parser makes it the same as `usher COMMAND --help`, except for an error code and `--all`.
enum HelpCommand {
    static let description = CommandDescription(
        "help", "what a command does, with examples",
        operands: [.init("COMMAND|CODE", .any, of: .commands)],
        options: [all],
        examples: [
            .init("usher help", "the main commands"),
            .init("usher help --all", "every command"),
            .init("usher help scene connect", "one command, the same as usher scene connect --help"),
            .init("usher help U2001", "an error code, also of an earlier version"),
        ],
        run: { (arguments, context) throws(CommandFailure) -> Void in
            context.output.write(
                arguments.operands.first.flatMap(ErrorHelp.text)
                    ?? HelpText.everything(style: context.style))
        })
    static let all = Option(flag: "all", "every command")
}

/// `usher version`, `usher --version`.
enum VersionCommand {
    static let description = CommandDescription(
        "version", "the version of this program",
        examples: [.init("usher version", "print it")],
        run: { (_, context) throws(CommandFailure) -> Void in context.output.write("usher \(UsherVersion.text)\n") })
}

/// `usher completion`: what a shell needs to complete command lines.
enum CompletionCommand {
    static let description = CommandDescription(
        "completion", "a script that completes usher's command lines in a shell",
        operands: [.init("bash|zsh|fish"), .init("LINE", .optional)],
        discussion: [
            "bash: usher completion bash > ~/.local/share/bash-completion/completions/usher",
            "zsh: usher completion zsh > a folder of $fpath, as _usher",
            "fish: usher completion fish > ~/.config/fish/completions/usher.fish",
            "With LINE, a line up to the cursor, it is what the script asks: `files` if names of files are meant, too, else",
            "`words`; then a candidate a line. Apps, sessions, shortcut items and other values are those of the configuration",
            "and the store that the line names. Nothing is written or started, and after a second there is no answer.",
        ],
        examples: [
            .init("usher completion bash", "the script for bash"),
            .init("usher completion fish 'usher open --config Config --app '", "the apps that could follow"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        let name = arguments.operands[0]
        guard let shell = CompletingShell(rawValue: name) else {
            throw .unknown("completion for", name, among: CompletingShell.allCases.map(\.rawValue))
        }
        guard arguments.operands.count > 1 else { return context.output.write(shell.script) }
        giveUpAfterASecond()
        context.output.write(shell.answer(Completions(arguments.operands[1])))
    }
}

/// Nobody waits longer for a completion: what hangs, a network's file system or a stopped engine, has none.
private func giveUpAfterASecond() {
    _ = signal(SIGALRM) { _ in _exit(0) }
    alarm(1)
}

/// `usher init`: a first configuration that works.
enum InitCommand {
    static let description = CommandDescription(
        "init", "write a first configuration that works",
        discussion: [
            "Writes into --config, else $USHER_CONFIG, else $XDG_CONFIG_HOME/usher. Never replaces a file."
        ],
        examples: [
            .init("usher init", "into the usual folder"),
            .init("usher init --config ./usher-config", "into a folder of your choice"),
        ],
        run: run)

    private static func run(_: Arguments, _ context: Context) throws(CommandFailure) {
        guard
            let folder = context.configurationOption
                ?? ConfigurationPaths.userConfiguration(environment: context.environment)
        else {
            throw .usage(
                "there is no folder for the configuration", help: "set $HOME, $USHER_CONFIG or --config",
                code: .usageMissing)
        }
        let files = InitialConfiguration.files.map { (path: "\(folder)/\($0.path)", text: $0.text) }
        if let existing = files.first(where: { FileSystem.exists($0.path) }) {
            throw .usage(
                "\(existing.path) is there already: nothing was written",
                help: "usher check says whether it works; --config names another folder", code: .usageFile)
        }
        if let manifest = existingManifest(in: folder) {
            throw .usage(
                "there is a configuration already, with \(manifest): nothing was written",
                help: "usher check says whether it works; --config names another folder", code: .usageFile)
        }
        for file in files { try NewFile.write(file.text, to: file.path) }
        let answer: JSONValue = ["config": .string(folder), "written": .array(files.map { .string($0.path) })]
        context.print(answer, text: "written:\n" + files.map { "   \($0.path)\n" }.joined())
        context.output.flush()
        let option = context.configurationOption.map { " --config \($0)" } ?? ""
        context.errors.note("next: usher check\(option), then put your own programs into \(files.last?.path ?? folder)")
    }

    /// A manifest of any other name: what is there is the user's, and two configurations in one make neither.
    private static func existingManifest(in folder: String) -> String? {
        guard FileSystem.exists("\(folder)/apps") else { return nil }
        let loaded = ConfigurationLoader.load(path: folder)
        return loaded.files.first.map { "\(folder)/\($0)" }
    }
}
