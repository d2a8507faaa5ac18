// Programs that take some of their words for code, or for programs to run. An address put there would be run.

/// A program that takes code: a shell, an interpreter, an editor with commands.
private struct Interpreter {
    /// Options of one letter, which may end a cluster (`-we`), and whose code may follow at once (`-eCODE`).
    var letters: String
    /// Long options, without the two hyphens.
    var words: Set<String> = []
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
    func danger(at subject: Int) -> String? {
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

    static let shells: Set<String> = [
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
