/// A command line that is being typed, up to the cursor: what its last word is to be.
struct CompletedLine {
    enum Place {
        /// A word of a command, after the words in `path`.
        case command
        /// The value of an option.
        case value(Option)
        /// An option.
        case option
        case operand(CommandDescription.Operand)
        /// Nothing is known about it.
        case text
    }

    private(set) var path: [String] = []
    private(set) var options: [(name: String, value: String)] = []
    private(set) var operands: [String] = []
    private(set) var place = Place.text
    /// `--app=` where the value stands behind the option's name in one word.
    private(set) var prefix = ""
    /// What is there of the last word, without `prefix`.
    private(set) var current: String
    /// Whether its quotation mark is open.
    let isQuoted: Bool

    /// - Parameter home: what `~/` stands for.
    init(_ line: String, home: String?) {
        let words = ShellWords(line, home: home)
        current = words.last
        isQuoted = words.isQuoted
        var pending: Option?
        var haveEnded = false
        // The first one is the program.
        for word in words.complete.dropFirst() {
            if let option = pending {
                options.append((option.name, word))
                pending = nil
            } else if word == "--", !haveEnded {
                haveEnded = true
                if let command = CommandTable.command(withoutWord: path) { path = command.path }
            } else if !haveEnded, word.utf8.starts(with: "--".utf8) {
                let (name, value) = CompletedLine.parts(of: word)
                if let value {
                    options.append((name, value))
                } else if let option = option(named: name), option.takesValue {
                    pending = option
                } else {
                    options.append((name, ""))
                }
            } else if CommandTable.command(path) != nil {
                operands.append(word)
            } else if CommandTable.knows(word, after: path) {
                path.append(word)
            } else {
                // A mistake, or the text of a note.
                return
            }
        }
        guard !words.complete.isEmpty else { return }
        if let pending {
            place = .value(pending)
        } else if !haveEnded, current.utf8.starts(with: "-".utf8) {
            place = .option
            let (name, value) = CompletedLine.parts(of: current)
            guard let value else { return }
            guard let option = option(named: name), option.takesValue else {
                place = .text
                return
            }
            (place, prefix, current) = (.value(option), "--\(name)=", value)
        } else if let command = CommandTable.command(path) {
            place = operand(of: command).map { .operand($0) } ?? .text
        } else if !haveEnded {
            place = .command
        }
    }

    /// The options that can stand here.
    var knownOptions: [Option] {
        let own = CommandTable.command(path)?.options ?? (path.isEmpty ? [Option.version] : [])
        return (own + Option.global).filter { option in
            option.isRepeatable || !options.contains { $0.name == option.name }
        }
    }

    private func option(named name: String) -> Option? {
        (Option.global + (CommandTable.command(path)?.options ?? [])).first { $0.name == name }
            ?? CommandTable.option(named: name)
    }

    /// The operand that comes next.
    private func operand(of command: CommandDescription) -> CommandDescription.Operand? {
        if operands.count < command.operands.count { return command.operands[operands.count] }
        return command.operands.last { $0.count == .any || $0.count == .atLeastOne }
    }

    private static func parts(of word: String) -> (name: String, value: String?) {
        let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (parts.first.map(String.init) ?? "", parts.count > 1 ? String(parts[1]) : nil)
    }
}

/// The words of a shell's line: blanks separate them; `\`, `'` and `"` quote. Nothing else is expanded.
struct ShellWords {
    /// Those with a blank after them.
    private(set) var complete: [String] = []
    /// The last one, maybe empty.
    private(set) var last = ""
    /// Whether a quotation mark is open at the end.
    private(set) var isQuoted = false

    init(_ line: String, home: String?) {
        var quote: Unicode.Scalar?
        var (isEscaped, isWord, isTilde) = (false, false, false)
        func finished(_ word: String) -> String {
            guard isTilde, let home, word == "~" || word.utf8.starts(with: "~/".utf8) else { return word }
            return home + word.dropFirst()
        }
        for scalar in line.unicodeScalars {
            if isEscaped {
                isEscaped = false
                if quote == "\"", !"$`\"\\\n".unicodeScalars.contains(scalar) { last += "\\" }
                last.unicodeScalars.append(scalar)
            } else if scalar == "\\", quote != "'" {
                (isEscaped, isWord) = (true, true)
            } else if let open = quote {
                if scalar == open { quote = nil } else { last.unicodeScalars.append(scalar) }
            } else if scalar == "'" || scalar == "\"" {
                (quote, isWord) = (scalar, true)
            } else if scalar == " " || scalar == "\t" || scalar == "\n" {
                if isWord { complete.append(finished(last)) }
                (last, isWord, isTilde) = ("", false, false)
            } else {
                if !isWord { isTilde = scalar == "~" }
                isWord = true
                last.unicodeScalars.append(scalar)
            }
        }
        isQuoted = quote != nil
    }
}
