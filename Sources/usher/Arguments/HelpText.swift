internal import UsherText

/// The help, made from the command table.
enum HelpText {
    /// Of everything, of a group, or of one command.
    static func text(for path: [String], style: TerminalStyle) -> String {
        if let command = CommandTable.command(path), !path.isEmpty { return text(for: command, style) }
        return path.isEmpty ? overview(style) : group(path, style)
    }

    static func synopsis(of command: CommandDescription) -> String {
        var words = ["usher", command.name]
        if !command.options.isEmpty { words.append("[OPTION]...") }
        return (words + command.operands.map(\.synopsis)).joined(separator: " ")
    }

    /// The commands in one line: for a line without a command.
    static func brief(for path: [String], style: TerminalStyle) -> String {
        let calls = path.isEmpty ? CommandTable.main.flatMap(\.words) : CommandTable.words(after: path)
        let what = (["usher"] + path).joined(separator: " ")
        return """
            usage: \(what) COMMAND
              \(calls.joined(separator: ", "))
            \((["usher help"] + path).joined(separator: " ")) says what each one does\(path.isEmpty ? "; usher help --all lists the other commands" : "")

            """
    }

    /// Of every command.
    static func everything(style: TerminalStyle) -> String {
        overview(style, lists: section("commands", style) + rows(CommandTable.words(after: [])), hint: "")
    }

    private static func overview(_ style: TerminalStyle) -> String {
        let main = CommandTable.main.map { section($0.title, style) + rows($0.words) }.joined()
        let others = CommandTable.others.map { [$0.title + ":", $0.words.joined(separator: ", ")] }
        let lists = main + section("more", style) + TextTable.text(others, indent: 2)
        return overview(style, lists: lists, hint: "\nusher help --all says what each of these does\n")
    }

    private static func overview(_ style: TerminalStyle, lists: String, hint: String) -> String {
        var text = "usher shows every push, shortcut and link to its window, and says why that one.\n"
        text += section("usage", style) + "  usher COMMAND [OPTION]... [OPERAND]...\n"
        text += lists + hint
        text += section("options of every command", style) + options(Option.global)
        text += section("examples", style)
        text += examples([
            .init("usher init", "write a first configuration"),
            .init("usher check", "say what is wrong with it, and whether its route tests hold"),
            .init("usher help scene connect", "more about one command"),
        ])
        text += section("exit status", style)
        text +=
            "  0 handled; 1 a record has an error, or check has a finding; 2 usage or configuration, nothing was done\n"
        return text
    }

    /// A line for each first word of commands.
    private static func rows(_ words: [String]) -> String {
        TextTable.text(
            words.map { word in
                if let command = CommandTable.command([word]) { return [word, command.summary] }
                let summary = CommandTable.groups.first { $0.name == word }?.summary ?? ""
                return [word, "\(summary): \(CommandTable.words(after: [word]).joined(separator: ", "))"]
            }, indent: 2)
    }

    private static func group(_ path: [String], _ style: TerminalStyle) -> String {
        let name = path.joined(separator: " ")
        let summary = CommandTable.groups.first { $0.name == name }?.summary ?? ""
        let rows = CommandTable.commands(in: path).map { [synopsis(of: $0), $0.summary] }
        return "usher \(name): \(summary)\n" + section("commands", style) + TextTable.text(rows, indent: 2)
            + "\nusher help \(name) COMMAND says more about one of them\n"
    }

    private static func text(for command: CommandDescription, _ style: TerminalStyle) -> String {
        var text = "usher \(command.name): \(command.summary)\n"
        text += section("usage", style) + "  \(synopsis(of: command))\n"
        if !command.discussion.isEmpty {
            text += "\n" + command.discussion.map { $0.isEmpty ? "\n" : "\($0)\n" }.joined()
        }
        if let sibling = CommandTable.siblings[command.name] { text += "\n\(sibling)\n" }
        if !command.options.isEmpty { text += section("options", style) + options(command.options) }
        text += section("options of every command", style) + options(Option.global)
        if !command.examples.isEmpty { text += section("examples", style) + examples(command.examples) }
        return text
    }

    private static func section(_ name: String, _ style: TerminalStyle) -> String { "\n\(style.emphasise(name))\n" }

    private static func options(_ options: [Option]) -> String {
        TextTable.text(options.map { [$0.synopsis, $0.summary] }, indent: 2, widest: 36)
    }

    private static func examples(_ examples: [CommandDescription.Example]) -> String {
        examples.map { "  \($0.line)\n      \($0.purpose)\n" }.joined()
    }
}
