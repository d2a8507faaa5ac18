internal import Glibc
internal import UsherActivation
internal import UsherConfiguration
internal import UsherNotes
internal import UsherText

/// Rows for a person to choose one of: in a program that reads lines and writes the chosen one, such as fzf, rofi and
/// dmenu, or by number on standard input.
struct Menu {
    /// What is chosen, for people: `note`.
    private let subject: String
    /// Of the table: the cells of a row, without control characters.
    private let rows: [[String]]

    /// How much of a program's output is read: a line has at most one title and one identifier.
    private static let outputLimit = 1 << 20
    /// Programs that are used where none is named, and the variables one of which says that there is a display for them.
    private static let usual: [(words: [String], variables: [String])] = [
        (["fzf"], []), (["rofi", "-dmenu", "-i"], ["WAYLAND_DISPLAY", "DISPLAY"]), (["dmenu", "-i"], ["DISPLAY"]),
    ]

    /// - Parameter rows: no two may be equal.
    init(of subject: String, _ rows: [[String]]) {
        self.subject = subject
        self.rows = rows.map { $0.map { Printable.escaped($0) } }
    }

    /// The place of the row that was chosen; nil where none was.
    ///
    /// - Parameter program: a program and its arguments, split at blanks; nil: `$USHER_MENU`, else one that is there, else
    ///   a numbered list.
    func choose(with program: String?, _ context: Context) throws(CommandFailure) -> Int? {
        let variable = context.environment["USHER_MENU"] ?? ""
        if let named = program ?? (variable.isEmpty ? Optional.none : variable) {
            let words = named.split { $0 == " " || $0 == "\t" || $0 == "\n" }.map(String.init)
            guard let name = words.first else {
                throw .refusal(.menuProgram, "the menu program is empty", help: "as in --menu \"rofi -dmenu\"")
            }
            let place = program == nil ? "$USHER_MENU" : "--menu"
            return try choose(with: words, file: file(of: name, named: place, context), context).place
        }
        let search = ProgramSearch(path: context.environment["PATH"])
        for (words, variables) in Menu.usual {
            let hasDisplay = variables.isEmpty || variables.contains { context.environment[$0] ?? "" != "" }
            // On a terminal without a display, the list is asked for at once.
            guard case .found(let file) = search.find(words[0]), hasDisplay || isatty(STDIN_FILENO) == 0 else {
                continue
            }
            let (place, hasRun) = try choose(with: words, file: file, context)
            // One that has no terminal or no display, for example, is no reason to end without a choice.
            if place != nil || hasRun && hasDisplay { return place }
        }
        return chooseByNumber(context)
    }

    /// Asks for a number on standard input.
    func chooseByNumber(_ context: Context) -> Int? {
        let table = TextTable.text(rows.enumerated().map { ["\($0 + 1)"] + $1 }, indent: 1)
        context.errors.write(table + "which \(subject)? ")
        // The line, without its end; nil at the end of input.
        let word = readLine().map { line in line.filter { !$0.isWhitespace } } ?? ""
        guard !word.isEmpty else { return nil }
        guard let number = Int(word), rows.indices.contains(number - 1) else {
            context.errors.note("there is no \(QuotedText.text(word)) in the list: it has 1 to \(rows.count)")
            return nil
        }
        return number - 1
    }

    // MARK: Programs

    private func file(of name: String, named place: String, _ context: Context) throws(CommandFailure) -> String {
        switch ProgramSearch(path: context.environment["PATH"]).find(name) {
        case .found(let file): return file
        case .notFound:
            throw .refusal(
                .menuProgram, "\(place) names \(QuotedText.text(name)), which was not found",
                help: "name a program that reads lines and writes one of them; no shell reads \(place)")
        case .notExecutable(let file):
            throw .refusal(
                .menuProgram, "\(place) names \(QuotedText.text(file)), which cannot be run",
                help: "name a program that reads lines and writes one of them")
        }
    }

    /// - Returns: the place of the row that was chosen, and whether the program has worked: it ended with 0, or as it does
    ///   where nothing was chosen (1, or 130 after Control-C).
    private func choose(
        with words: [String], file: String, _ context: Context
    ) throws(CommandFailure) -> (place: Int?, hasRun: Bool) {
        let lines = rows.map { $0.joined(separator: "  ") }
        var request = SpawnRequest(
            program: file, arguments: words,
            environment: context.environment.map { EnvironmentVariable($0.key, $0.value) })
        request.input = Array(lines.map { $0 + "\n" }.joined().utf8)
        request.captureLimit = Menu.outputLimit
        let result = try Result { () throws(ActivationFailure) in
            try Spawner.runInForeground(request)
        }.mapError { CommandFailure.refusal(.menuProgram, $0.message, help: $0.help ?? "name another program") }.get()
        switch result.end {
        case .exited(0): break
        case .exited(1), .exited(130): return (nil, true)
        default: return (nil, false)
        }
        let chosen = result.output.prefix { $0 != 0x0A }
        guard !chosen.isEmpty else { return (nil, true) }
        guard let place = lines.firstIndex(where: { $0.utf8.elementsEqual(chosen) }) else {
            context.errors.note("\(words[0]) wrote a line that is not in the list: nothing was chosen")
            return (nil, true)
        }
        return (place, true)
    }
}
