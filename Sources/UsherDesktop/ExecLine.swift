internal import UsherText

/// The value of `Exec`: the words of a command line, with places for what is filled in (Desktop Entry Specification 1.5,
/// the Exec key).
///
/// Words are split as GLib splits them, which is wider than the specification: apostrophes quote, and quotes may begin
/// within a word. No shell ever sees any of it.
struct ExecLine: Equatable {
    fileprivate struct Word: Equatable {
        enum Piece: Equatable {
            case text(String)
            /// The letter of a field code, one of `fFuUick`.
            case code(Unicode.Scalar)
        }

        var pieces: [Piece] = []
        /// Some of it stands in quotes, or was escaped.
        var isQuoted = false
        /// Where it begins, in characters from 1.
        var place: Int

        /// Nothing but this code, and what is filled in for it may be any number of words.
        var code: Unicode.Scalar? {
            guard pieces.count == 1, case .code(let code) = pieces[0] else { return nil }
            return code
        }

        /// The code in it for what the launch is about.
        var subject: Unicode.Scalar? {
            for case .code(let code) in pieces where "fFuU".unicodeScalars.contains(code) { return code }
            return nil
        }
    }

    private var words: [Word]

    /// Codes that once meant something, and are left out.
    private static let obsolete = "dDnNvm"
    /// What a backslash keeps its meaning before, within quotation marks.
    private static let escapable = "\"`$\\"

    init(_ text: String) throws(ExecProblem) {
        words = []
        var word: Word?
        var buffer = ""
        var quote: (mark: Unicode.Scalar, place: Int)?
        let scalars = Array(text.unicodeScalars)
        var index = 0

        func flush(_ word: inout Word?) {
            if !buffer.isEmpty { word?.pieces.append(.text(buffer)) }
            buffer = ""
        }
        while index < scalars.count {
            let scalar = scalars[index]
            let next = index + 1 < scalars.count ? scalars[index + 1] : nil
            let place = index + 1
            index += 1
            if quote == nil, scalar == " " || scalar == "\t" || scalar == "\n" {
                flush(&word)
                if let done = word { words.append(done) }
                word = nil
                continue
            }
            if word == nil {
                if scalar == "#" { throw ExecProblem(place, "a word begins with #, which is to be quoted") }
                word = Word(place: place)
            }
            switch (scalar, quote?.mark) {
            case ("'", "'"), ("\"", "\""): quote = nil
            case ("'", nil), ("\"", nil):
                quote = (scalar, place)
                word?.isQuoted = true
            case ("\\", nil), ("\\", "\""):
                guard let next else { throw ExecProblem(place, "it ends with a backslash") }
                word?.isQuoted = true
                if quote == nil || Self.escapable.unicodeScalars.contains(next) {
                    buffer.unicodeScalars.append(next)
                    index += 1
                } else {
                    buffer.unicodeScalars.append(scalar)
                }
            case ("%", _):
                guard let next else { throw ExecProblem(place, "it ends with %, which is written %%") }
                index += 1
                if next == "%" {
                    buffer.unicodeScalars.append("%")
                } else if "fFuUick".unicodeScalars.contains(next) {
                    flush(&word)
                    word?.pieces.append(.code(next))
                } else if !Self.obsolete.unicodeScalars.contains(next) {
                    throw ExecProblem(place, "%\(next) is no field code; a percent sign is written %%")
                } else if word?.pieces.isEmpty == true, buffer.isEmpty, word?.isQuoted == false,
                    index == scalars.count || scalars[index] == " "
                {
                    // It was a word of its own: there is none.
                    word = nil
                }
            default: buffer.unicodeScalars.append(scalar)
            }
        }
        if let quote { throw ExecProblem(quote.place, "the quotation that begins here does not end") }
        flush(&word)
        if let done = word { words.append(done) }
        try check()
    }

    /// The rules that hold whatever is filled in.
    private func check() throws(ExecProblem) {
        guard let program = words.first else { throw ExecProblem(1, "it is empty") }
        guard program.pieces.allSatisfy({ if case .text = $0 { true } else { false } }), !program.pieces.isEmpty else {
            throw ExecProblem(program.place, "the program is not named")
        }
        var subjects = 0
        for word in words {
            for case .code(let code) in word.pieces {
                if "fFuU".unicodeScalars.contains(code) { subjects += 1 }
                if "FUi".unicodeScalars.contains(code), word.code == nil {
                    throw ExecProblem(word.place, "%\(code) has to be a word of its own")
                }
            }
        }
        if subjects > 1 { throw ExecProblem(1, "it has more than one of %f, %F, %u and %U") }
    }
}

/// What is wrong with an `Exec`, and at which of its characters.
struct ExecProblem: Error, Equatable {
    var place: Int
    var message: String
    /// What to do about it, where the line itself is right.
    var help: String?

    init(_ place: Int, _ message: String, help: String? = nil) {
        self.place = place
        self.message = message
        self.help = help
    }

    var text: String { "Exec, character \(place): \(message)" }
}

// MARK: - Code

// Programs that take some of their words for code, or for programs to run. An address put there would be run.

/// A program that takes code: a shell, an interpreter, an editor with commands.
private struct Interpreter {
    /// Options of one letter, which may end a cluster (`-we`), and whose code may follow at once (`-eCODE`).
    var letters: String
    /// Long options, without the two hyphens.
    private var words: Set<String> = []
    /// Each operand is code, where one of those options was given.
    var takesCodeAfterwards = false
    /// The first operand is code, where none of those options was given.
    var takesCodeFirst = false

    /// By their names without a version.
    static let all: [String: Interpreter] = {
        var all: [String: Interpreter] = [:]
        func add(_ names: String, _ interpreter: Interpreter) {
            for name in names.split(separator: " ") { all[String(name)] = interpreter }
        }
        add(
            "sh bash dash zsh ksh mksh ash fish csh tcsh busybox",
            Interpreter(letters: "c", words: ["command", "init-command"]))
        add(
            "python pypy ipython gjs guile su runuser flock",
            Interpreter(letters: "c", words: ["command", "session-command"]))
        add("script", Interpreter(letters: "c", words: ["command"]))
        add("perl raku", Interpreter(letters: "eEMm"))
        add("ruby lua luajit Rscript osascript julia elixir erl", Interpreter(letters: "eE", words: ["eval", "print"]))
        add("node nodejs deno bun", Interpreter(letters: "ep", words: ["eval", "print"]))
        add("php", Interpreter(letters: "rBRE", words: ["run", "process-begin", "process-code", "process-end"]))
        add("emacs", Interpreter(letters: "", words: ["eval", "execute"]))
        add("emacsclient", Interpreter(letters: "e", words: ["eval"], takesCodeAfterwards: true))
        add(
            "vim vi nvim gvim view ex vim.basic vim.tiny vim.gtk",
            Interpreter(letters: "cS", words: ["cmd", "remote-send", "remote-expr"]))
        add("sed", Interpreter(letters: "ef", words: ["expression", "file"], takesCodeFirst: true))
        add("awk gawk mawk nawk", Interpreter(letters: "ef", words: ["source", "file"], takesCodeFirst: true))
        add("env", Interpreter(letters: "S", words: ["split-string"]))
        return all
    }()

    /// Whether a word is, or begins with, an option whose code follows.
    func isOption(_ word: String) -> Bool {
        if word.hasPrefix("--") {
            let name = word.dropFirst(2).prefix { $0 != "=" }
            return words.contains(String(name))
        }
        guard word.hasPrefix("-"), let last = word.last, let first = word.dropFirst().first else { return false }
        return letters.contains(last) || letters.contains(first) || words.contains(String(word.dropFirst()))
    }
}

/// A program that runs another one, which stands behind its own words.
private struct Runner {
    /// Options whose value is the next word.
    var values: Set<String> = []
    /// Words of its own before the program.
    var operands = 0
    /// The program stands behind one of these, and nowhere else.
    var marks: Set<String>?

    static let all: [String: Runner] = {
        var all: [String: Runner] = [:]
        func add(_ names: String, _ runner: Runner) {
            for name in names.split(separator: " ") { all[String(name)] = runner }
        }
        add(
            "nohup setsid time command exec dbus-run-session dbus-launch catchsegv unbuffer", Runner())
        add(
            "foot footclient",
            Runner(values: [
                "-T", "--title", "-a", "--app-id", "-c", "--config", "-t", "--term", "-D", "--working-directory", "-w",
                "-W", "-f", "--font", "-o", "--override",
            ]))
        add(
            "kitty",
            Runner(values: [
                "-T", "--title", "-c", "--config", "-d", "--directory", "-o", "--override", "--class", "--name",
                "--session",
            ]))
        add("xdg-terminal-exec x-terminal-emulator", Runner())
        add("env", Runner(values: ["-u", "--unset", "-C", "--chdir"]))
        add("nice", Runner(values: ["-n", "--adjustment"]))
        add("ionice", Runner(values: ["-c", "--class", "-n", "--classdata"]))
        add("timeout", Runner(values: ["-s", "--signal", "-k", "--kill-after"], operands: 1))
        add("stdbuf", Runner(values: ["-i", "-o", "-e", "--input", "--output", "--error"]))
        add("taskset chrt", Runner(operands: 1))
        add(
            "sudo doas",
            Runner(values: ["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-U", "-D", "-R", "-T", "--user", "--group"]))
        add("pkexec", Runner(values: ["--user"]))
        add("systemd-run", Runner(values: ["-p", "--property", "-u", "--unit", "-E", "--setenv", "--slice", "-M"]))
        add(
            "xterm uxterm urxvt rxvt st konsole alacritty lxterminal qterminal xfce4-terminal mate-terminal gnome-terminal terminator tilix"
                + " ptyxis kgx wezterm",
            Runner(marks: ["-e", "-x", "--", "--command", "--execute"]))
        return all
    }()
}

extension ExecLine {
    /// Why what is filled in here might be run: it stands where some program looks for code, or for a program. nil where
    /// nothing of that kind is known.
    ///
    /// - Parameter subject: the word; behind the last one, where files are appended.
    private func danger(at subject: Int) -> String? {
        let isAppended = subject == words.count
        let code = isAppended ? "a file" : "%\(words[subject].subject ?? "f")"
        if !isAppended, words[subject].isQuoted, words[subject].code == nil {
            return "\(code) stands in a quotation, where it might become part of commands"
        }
        let texts = words.map(\.literal)
        // The words before the code in its own word.
        let own = isAppended ? "" : words[subject].beginning
        if let runner = runnerWithoutProgram(texts, subject), own.isEmpty {
            return "\(code) is given to \(runner) as the program to run"
        }
        for place in 0..<subject {
            let name = Self.name(texts[place])
            if ["tmux", "screen", "watch"].contains(name), place + 1 <= subject, isProgram(place, texts) {
                return "\(code) is given to \(name), which may take it for a command"
            }
            if name == "ssh", isProgram(place, texts), operands(texts, place, subject) > 0 {
                return "\(code) is given to ssh as a command"
            }
            guard let interpreter = Interpreter.all[name] else { continue }
            let before = texts[(place + 1)..<subject]
            let given = before.contains { interpreter.isOption($0) }
            let follows = subject - place > 1 && own.isEmpty && interpreter.isOption(texts[subject - 1])
            let isShell = interpreter.letters == "c"
            let isInside =
                !own.isEmpty && (interpreter.isOption(own) || (own.hasPrefix("+") && interpreter.letters == "cS"))
            let isFirst = interpreter.takesCodeFirst && !given && operands(texts, place, subject) == 0
            if follows || isInside || isFirst || (interpreter.takesCodeAfterwards && given)
                // Shells take many options in one word.
                || (isShell && own.isEmpty && Self.isShellOption(texts[subject - 1]) && subject - place > 1)
            {
                return isShell && Self.shells.contains(name)
                    ? "\(code) is given to a shell as commands" : "\(code) is given to \(name) as code"
            }
        }
        return nil
    }

    private static let shells: Set<String> = [
        "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "busybox",
    ]

    private static func isShellOption(_ word: String) -> Bool {
        word.hasPrefix("-") && !word.hasPrefix("--") && word.contains("c")
    }

    /// The file name of a program, without the version that many have at the end.
    private static func name(_ word: String) -> String {
        var name = Substring(word.split(separator: "/").last ?? "")
        while let last = name.last, last.isNumber || last == "." || last == "-" { name = name.dropLast() }
        return String(name)
    }

    /// How many words between a program and a place are no options.
    private func operands(_ texts: [String], _ program: Int, _ end: Int) -> Int {
        texts[(program + 1)..<end].count { !$0.hasPrefix("-") }
    }

    /// Whether a word is where a program is named: at the beginning, or behind programs that run others.
    private func isProgram(_ place: Int, _ texts: [String]) -> Bool {
        place == 0 || runnerWithoutProgram(texts, place) != nil
    }

    /// The program that runs what stands at this place.
    private func runnerWithoutProgram(_ texts: [String], _ end: Int) -> String? {
        var program = 0
        while true {
            let name = Self.name(texts[program])
            guard let runner = Runner.all[name] else { return nil }
            var index = program + 1
            var operands = runner.operands
            if let marks = runner.marks {
                while index < end, !marks.contains(texts[index]) { index += 1 }
                guard index < end else { return nil }
                index += 1
            }
            while index < end {
                let word = texts[index]
                if runner.marks == nil, word.hasPrefix("-") {
                    index += runner.values.contains(word) ? 2 : 1
                } else if runner.marks == nil, word.contains("="), !word.contains("/") {
                    index += 1
                } else if operands > 0 {
                    operands -= 1
                    index += 1
                } else {
                    break
                }
            }
            guard index < end else { return index == end ? name : nil }
            program = index
        }
    }
}

extension ExecLine.Word {
    /// What it says without its codes.
    var literal: String {
        pieces.reduce(into: "") { text, piece in if case .text(let literal) = piece { text += literal } }
    }

    /// What stands before its first code.
    fileprivate var beginning: String {
        var text = ""
        for piece in pieces {
            guard case .text(let literal) = piece else { break }
            text += literal
        }
        return text
    }
}

// MARK: - Filling

/// What is filled in for field codes.
struct ExecFilling {
    /// Files and addresses that the launch is about: URIs, or absolute paths.
    var subjects: [String]
    var icon: String?
    var name: String
    var path: String
}

extension ExecLine {
    /// As many programs one launch starts.
    private static let mostCommands = 32

    /// The command lines: one, or where a program takes a single file or address, one for each.
    func commands(_ filling: ExecFilling) throws(ExecProblem) -> [[String]] {
        let subject = words.first { $0.subject != nil }
        let code = subject?.subject
        if !filling.subjects.isEmpty, let danger = danger(at: words.firstIndex { $0.subject != nil } ?? words.count) {
            throw ExecProblem(subject?.place ?? 1, danger)
        }
        // Without a code the program is given local files nevertheless, as other desktops do.
        let wantsFiles = code == nil || code == "f" || code == "F"
        var values: [String] = []
        for text in filling.subjects {
            let file = FileAddress.path(of: text)
            if wantsFiles, file == nil {
                throw ExecProblem(
                    subject?.place ?? 1,
                    code == nil
                        ? "it has none of %f, %F, %u and %U: its program can be given local files at most"
                        : "%\(code ?? "f") takes local files, and what is to be opened is none",
                    help: "leave {target} out of `desktop`, or name an entry whose Exec has %u or %U")
            }
            let value = file ?? text
            if value.utf8.first == UInt8(ascii: "-"), subject?.pieces.first.map({ $0 != .code(code ?? "f") }) != true {
                throw ExecProblem(subject?.place ?? 1, "what is to be opened begins with -, which reads as an option")
            }
            values.append(value)
        }
        guard code == "f" || code == "u" || code == nil, values.count > 1 else {
            return [command(values, filling, appending: code == nil)]
        }
        guard values.count <= Self.mostCommands else {
            throw ExecProblem(subject?.place ?? 1, "it would start its program \(values.count) times")
        }
        return values.map { command([$0], filling, appending: code == nil) }
    }

    private func command(_ values: [String], _ filling: ExecFilling, appending: Bool) -> [String] {
        var arguments: [String] = []
        for word in words {
            switch word.code {
            case "f", "F", "u", "U": arguments += values
            case "i":
                if let icon = filling.icon, !icon.isEmpty { arguments += ["--icon", icon] }
            default:
                arguments.append(
                    word.pieces.reduce(into: "") { text, piece in
                        switch piece {
                        case .text(let literal): text += literal
                        case .code("c"): text += filling.name
                        case .code("k"): text += filling.path
                        case .code: text += values.first ?? ""
                        }
                    })
            }
        }
        return appending ? arguments + values : arguments
    }
}

/// Addresses of local files (RFC 8089).
private enum FileAddress {
    /// The absolute path; nil of anything else.
    static func path(of text: String) -> String? {
        if text.utf8.first == UInt8(ascii: "/") { return text.utf8.contains(0) ? nil : text }
        var rest = Substring(text)
        guard rest.utf8.count > 5, rest.prefix(5).lowercased() == "file:" else { return nil }
        rest = rest.dropFirst(5)
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            guard let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
            let host = rest[..<slash].lowercased()
            guard host.isEmpty || host == "localhost" else { return nil }
            rest = rest[slash...]
        }
        let written = Array(rest.utf8)
        let isEncoded = written.indices.allSatisfy { place in
            written[place] != UInt8(ascii: "%") || PercentEncoding.triplet(in: written, at: place) != nil
        }
        guard written.first == UInt8(ascii: "/"), isEncoded, !written.contains(where: { "#?".utf8.contains($0) }) else {
            return nil
        }
        let bytes = PercentEncoding.decode(written)
        return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }
}
