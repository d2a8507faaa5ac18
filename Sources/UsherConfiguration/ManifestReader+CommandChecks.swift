import UsherScene
internal import UsherSystem
internal import UsherText

extension ManifestReader {
    mutating func checkArguments(_ arguments: [Placed<String>]) {
        var isAfterDashes = false
        let script = shellScript(in: arguments)
        for (index, argument) in arguments.enumerated() {
            if index > 0 { checkPlaceholders(in: argument) }
            let placeholders = Placeholders.occurrences(in: argument.value)
            if index == script, let first = placeholders.first(where: { Placeholders.fromSender.contains($0.name) }) {
                reader.report(
                    .shellPlaceholder,
                    at: reader.region(ofBytes: first.offset, count: first.count, inStringAt: argument.region),
                    "a sender's text must not become part of a shell script",
                    help: "hand it over as an argument: \"…\\\"$1\\\"…\", \"--\", \"{\(first.name)}\"")
            } else if index > 0, !isAfterDashes, let only = placeholders.first,
                only.count == argument.value.utf8.count, Placeholders.fromSender.contains(only.name)
            {
                reader.warn(
                    .dashRule, at: argument.region,
                    "values that begin with `-` will be refused here, as they could pass for options",
                    help: "if the program knows `--`, put it before: \"--\", \"{\(only.name)}\"")
            }
            if argument.value == "--" { isAfterDashes = true }
        }
    }

    /// The index of the argument that a shell would run as a script.
    private func shellScript(in arguments: [Placed<String>]) -> Int? {
        let shells: Set<String> = ["sh", "bash", "dash", "zsh", "ksh", "mksh", "fish", "ash", "busybox"]
        guard let program = arguments.first, shells.contains(FilePath.lastComponent(of: program.value)) else {
            return nil
        }
        let option = arguments.indices.dropFirst().first { index in
            let text = arguments[index].value
            return text.hasPrefix("-") && !text.hasPrefix("--") && text.utf8.last == UInt8(ascii: "c")
        }
        guard let option, option + 1 < arguments.count else { return nil }
        return option + 1
    }

    mutating func checkPlaceholders(in text: Placed<String>) {
        for placeholder in Placeholders.occurrences(in: text.value)
        where !Command.placeholders.contains(placeholder.name) {
            let help: String
            if let meant = Suggestion.closest(to: placeholder.name, among: Command.placeholders) {
                help = "did you mean `{\(meant)}`?"
            } else if placeholder.offset > 0,
                Array(text.value.utf8)[placeholder.offset - 1] == UInt8(ascii: "$")
            {
                help = "no shell reads this, so variables are not expanded; the program finds them in its environment"
            } else {
                help = "there are " + Command.placeholders.map { "{\($0)}" }.joined(separator: ", ")
            }
            reader.report(
                .unknownPlaceholder,
                at: reader.region(ofBytes: placeholder.offset, count: placeholder.count, inStringAt: text.region),
                "there is no placeholder `{\(placeholder.name)}`", help: help)
        }
    }

    /// - Parameters:
    ///   - path: where the program is: as it is written, or absolute.
    ///   - key: of the command that it begins.
    mutating func checkProgram(_ path: String, at program: Placed<String>, of key: String) {
        switch programs.find(path) {
        case .found: break
        case .notFound:
            let help: String
            if let list = listHelp(for: program.value, of: key) {
                help = list
            } else if path.utf8.contains(UInt8(ascii: "/")) {
                help = "there is no file \(path)"
            } else {
                help = "install it, or name it by its path, relative to the manifest's folder"
            }
            reader.warn(
                .commandNotFound, at: program.region,
                "the program \(TOMLText.quoted(program.value)) is not found", help: help)
        case .notExecutable(let path):
            reader.warn(
                .commandNotFound, at: program.region,
                "the program \(TOMLText.quoted(program.value)) cannot be run",
                help: "if it is meant, make it executable: chmod +x \(path)")
        }
    }

    /// For a whole command that was written as one word; nil where it does not begin with a program.
    func listHelp(for text: String, of key: String) -> String? {
        let words = text.split(separator: " ").map(String.init)
        guard let first = words.first, words.count > 1 else { return nil }
        let path = first.utf8.contains(UInt8(ascii: "/")) ? FilePath.resolve(first, from: folder) : first
        guard case .found = programs.find(path) else { return nil }
        return "a command is a list of words: \(key) = [\(words.map(TOMLText.quoted).joined(separator: ", "))]"
    }

    /// tmux takes `:` and `.` in a session's name for separators.
    mutating func checkSessionName(_ name: Placed<String>) -> Bool {
        let isPlain = name.value.unicodeScalars.allSatisfy { scalar in
            scalar.value > 0x20 && scalar.value != 0x7F && scalar != ":" && scalar != "." && scalar != "{"
                && scalar != "#" && scalar != "$" && scalar != "@" && scalar != "%" && scalar != "="
        }
        if isPlain, !name.value.hasPrefix("-") { return true }
        reader.report(
            .invalidValue, at: name.region, "\(TOMLText.quoted(name.value)) cannot be the name of a tmux session",
            help: "a name has letters, digits, `-` and `_`, and no placeholders")
        return false
    }

    mutating func checkVariableName(_ name: String, at region: SourceRegion) -> Bool {
        let isName =
            !name.isEmpty
            && name.utf8.enumerated().allSatisfy { index, byte in
                switch byte {
                case 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
                case 0x30...0x39: index > 0
                default: false
                }
            }
        guard isName else {
            reader.report(
                .invalidValue, at: region, "\(TOMLText.quoted(name)) is not the name of a variable",
                help: "names have letters, digits and `_`")
            return false
        }
        guard !name.hasPrefix("USHER_") else {
            reader.report(
                .invalidValue, at: region, "variables that begin with USHER_ are set by Usher itself",
                help: "choose another name")
            return false
        }
        return true
    }

    /// Whether an element of `tmux-keys` is a key name, `<Enter>`; an unknown one is reported.
    mutating func checkKeyName(_ key: Placed<String>) -> Bool {
        guard key.value.hasPrefix("<"), key.value.hasSuffix(">"), key.value.utf8.count > 2 else { return false }
        let name = String(key.value.dropFirst().dropLast())
        guard !name.utf8.contains(UInt8(ascii: "<")), !name.utf8.contains(UInt8(ascii: " ")) else { return false }
        var base = Substring(name)
        while base.count > 2, ["C-", "M-", "S-"].contains(base.prefix(2)) { base = base.dropFirst(2) }
        if TmuxKeys.names.contains(String(base)) || (base.count == 1 && base.count < name.count) { return true }
        let help: String
        if let meant = Suggestion.closest(to: name, among: TmuxKeys.names) {
            help = "did you mean \"<\(meant)>\"?"
        } else {
            help = "text is typed as it is; a key stands in < >, such as \"<Enter>\" or \"<C-c>\""
        }
        reader.report(.unknownKeyName, at: key.region, "tmux knows no key `\(name)`", help: help)
        return true
    }
}

/// The names that tmux gives to keys, tmux(1), "KEY BINDINGS".
private enum TmuxKeys {
    static let names: [String] =
        [
            "Enter", "Escape", "Tab", "BTab", "Space", "BSpace", "Up", "Down", "Left", "Right", "Home", "End", "PageUp",
            "PageDown", "PgUp", "PgDn", "PPage", "NPage", "Insert", "Delete", "IC", "DC",
        ] + (1...12).map { "F\($0)" }
}
