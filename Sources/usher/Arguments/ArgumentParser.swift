internal import UsherNotes
internal import UsherOperation
internal import UsherSystem
internal import UsherText

/// A command line, understood: what to do.
enum Invocation: Sendable {
    case run(CommandDescription, Arguments)
    /// `-h`, `--help`, `help [COMMAND]`.
    case help(path: [String])
    case version
    /// No command at all, or the first word of several commands.
    case incomplete(path: [String])
}

/// Reads a command line by the command table.
///
/// Options stand anywhere, as `--name value` or `--name=value`; `--` ends them; `-` is an operand. A value may begin with
/// a dash unless it is an option itself, which then has to be joined with `=`.
struct ArgumentParser {
    private let words: [String]
    private var next = 0
    private var path: [String] = []
    private var options: [(name: String, value: String)] = []
    private var operands: [String] = []
    private var optionsHaveEnded = false

    init(_ words: [String]) { self.words = words }

    static func parse(_ words: [String]) throws(CommandFailure) -> Invocation {
        var parser = ArgumentParser(words)
        do throws(CommandFailure) {
            return try parser.parse()
        } catch {
            // A line that asks for help shows it, whatever is wrong with the rest of it.
            let options = words.prefix { $0 != "--" }
            guard options.contains(where: { ["-h", "--help"].contains($0) }) else { throw error }
            return .help(path: parser.path)
        }
    }

    private mutating func parse() throws(CommandFailure) -> Invocation {
        while next < words.count {
            let word = words[next]
            next += 1
            if optionsHaveEnded || word == "-" || !word.utf8.starts(with: "-".utf8) {
                try readWord(word)
            } else if word == "--" {
                optionsHaveEnded = true
                // What follows is text, whatever it looks like.
                if next < words.count, let command = CommandTable.command(withoutWord: path) { path = command.path }
            } else {
                try readOption(word)
            }
        }
        if options.contains(where: { $0.name == Option.help.name }) { return .help(path: path) }
        if path.isEmpty, options.contains(where: { $0.name == Option.version.name }) { return .version }
        guard let command = CommandTable.command(path) else { return .incomplete(path: path) }
        let isOverview = operands.isEmpty && options.contains { $0.name == HelpCommand.all.name }
        if command.path == HelpCommand.description.path, !isOverview { return try help() }
        try check(command)
        try checkState(of: command)
        return .run(command, Arguments(options: options, operands: operands))
    }

    // MARK: Words

    /// A word that is no option: the command's next word, else an operand.
    private mutating func readWord(_ word: String) throws(CommandFailure) {
        guard CommandTable.command(path) == nil else {
            operands.append(word)
            return
        }
        guard CommandTable.knows(word, after: path) else {
            let known = CommandTable.words(after: path)
            let group = path.joined(separator: " ")
            if let command = CommandTable.command(withoutWord: path) {
                try checkOperand(word, instead: known, of: group)
                path = command.path
                operands.append(word)
                return
            }
            throw .unknown(
                path.isEmpty ? "command" : "command \(group)", word, among: known,
                replacement: CommandTable.replacements[(path + [word]).joined(separator: " ")],
                otherwise: path.isEmpty ? "usher help --all lists the commands" : nil, code: .controlCommand)
        }
        path.append(word)
    }

    /// Refuses one word that stands where a command could, and is close to one.
    private func checkOperand(_ word: String, instead known: [String], of group: String) throws(CommandFailure) {
        guard !word.unicodeScalars.contains(where: { $0.properties.isWhitespace }),
            let close = Spelling.closest(to: word, among: known, isStrict: true)
        else { return }
        throw .refusal(
            .noteSubcommand, "there is no command \(group) \(QuotedText.text(word))",
            help: "did you mean usher \(group) \(close)? As a text: usher \(group) -- \(word)")
    }

    private mutating func readOption(_ word: String) throws(CommandFailure) {
        if word == "-h" {
            options.append((Option.help.name, ""))
            return
        }
        guard word.utf8.starts(with: "--".utf8) else {
            throw .usage(
                "there is no option \(QuotedText.text(word))",
                help: "options have long names; an operand that begins with a dash goes after --")
        }
        let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = option(named: name) else { throw unknownOption(name) }
        let joined = parts.count > 1 ? String(parts[1]) : nil
        guard option.takesValue else {
            if joined != nil, option.kind == .flag { throw .usage("--\(name) takes no value") }
            if !option.isRepeatable, options.contains(where: { $0.name == name }) {
                throw .usage("--\(name) is given twice")
            }
            options.append((name, joined ?? ""))
            return
        }
        let value: String
        if let joined { value = joined } else { value = try separateValue(of: option) }
        try check(value, of: option)
        if !option.isRepeatable, options.contains(where: { $0.name == name }) {
            throw .usage("--\(name) is given twice")
        }
        options.append((name, value))
    }

    private mutating func separateValue(of option: Option) throws(CommandFailure) -> String {
        guard next < words.count else {
            throw .usage("--\(option.name) needs a value", help: "\(option.synopsis): \(option.summary)")
        }
        let value = words[next]
        if value == "--" || (value.utf8.starts(with: "--".utf8) && isOption(value)) {
            throw .usage(
                "--\(option.name) needs a value, and \(value) is an option",
                help: "where that is the value: --\(option.name)=\(value)")
        }
        next += 1
        return value
    }

    private func isOption(_ word: String) -> Bool {
        let name = word.dropFirst(2).prefix { $0 != "=" }
        return option(named: String(name)) != nil
    }

    private func check(_ value: String, of option: Option) throws(CommandFailure) {
        if case .choice(let words) = option.kind, !words.contains(value), !option.refused.contains(value) {
            let close = Spelling.closest(to: value, among: words).map { "did you mean \($0)?" }
            throw .usage(
                "--\(option.name) cannot be \(QuotedText.text(value))",
                help: close ?? "it is one of \(words.joined(separator: ", "))")
        }
        if value.isEmpty, option == .config || option == .state {
            throw .usage("--\(option.name) needs a path", help: option.summary)
        }
    }

    /// Refuses what a list is to be restricted to, where it is taken for the folder of the store.
    private func checkState(of command: CommandDescription) throws(CommandFailure) {
        guard let folder = options.last(where: { $0.name == Option.state.name })?.value,
            let only = command.options.first(where: { $0.name == "only" }), case .choice(let words) = only.kind,
            words.contains(folder), !FileSystem.exists(folder + "/usher.db")
        else { return }
        throw .usage(
            "--state is the folder of usher.db, and there is none in \(QuotedText.text(folder))",
            help: "did you mean --only \(folder)?")
    }

    // MARK: Options

    /// The option of that name: the command's own, or, while the command is not known yet, any command's.
    private func option(named name: String) -> Option? {
        if let option = Option.global.first(where: { $0.name == name }) { return option }
        // The table is not made for a line without a command.
        if !path.isEmpty, let command = CommandTable.command(path) { return command.options.first { $0.name == name } }
        return CommandTable.option(named: name)
    }

    private func unknownOption(_ name: String) -> CommandFailure {
        let command = CommandTable.command(path)
        let options = command?.options ?? CommandTable.commands(in: path).flatMap(\.options)
        let known = (Option.global + options).map { "--\($0.name)" }
        let what = command.map { "usher \($0.name) has no option" } ?? "there is no option"
        let close = Spelling.closest(to: "--\(name)", among: known).map { "did you mean \($0)?" }
        let help = command.map { "usher help \($0.name)" } ?? "usher help"
        return .usage("\(what) \(QuotedText.text("--" + name))", help: close ?? "\(help) lists the options")
    }

    /// What could not be judged before the command was known, and the number of operands.
    private func check(_ command: CommandDescription) throws(CommandFailure) {
        let known = Option.global + command.options
        for (name, _) in options where !known.contains(where: { $0.name == name }) {
            throw unknownOption(name)
        }
        let count = command.operandCount
        if operands.count < count.least {
            let missing = command.operands.filter { $0.count == .one || $0.count == .atLeastOne }[operands.count]
            throw .usage(
                "usher \(command.name) needs \(missing.name)", help: "usage: \(HelpText.synopsis(of: command))")
        }
        if let most = count.most, operands.count > most {
            throw .usage(
                most == 0
                    ? "usher \(command.name) takes no operand, and there is \(QuotedText.text(operands[0]))"
                    : "there is one operand too many: \(QuotedText.text(operands[most]))",
                help: most == 0 && command.options.contains { $0.name == "target" }
                    ? "did you mean --target \(operands[0])?" : "usage: \(HelpText.synopsis(of: command))")
        }
    }

    /// `help` takes the words of a command, or an error code.
    private func help() throws(CommandFailure) -> Invocation {
        if operands.count == 1, ErrorHelp.text(of: operands[0]) != nil {
            return .run(HelpCommand.description, Arguments(options: options, operands: operands))
        }
        var path: [String] = []
        for word in operands {
            let known = CommandTable.words(after: path)
            guard known.contains(word) else {
                let name = (path + [word]).joined(separator: " ")
                throw .unknown(
                    "command", name, among: known.map { (path + [$0]).joined(separator: " ") },
                    replacement: CommandTable.replacements[name], code: .controlCommand)
            }
            path.append(word)
        }
        return .help(path: path)
    }
}
