internal import UsherActivation
internal import UsherConfiguration
internal import UsherText

/// The user's editor: `$VISUAL`, else `$EDITOR`, else one that is usually there.
///
/// The variable is split at blanks, and no shell reads it: `EDITOR="code --wait"` has two words, and quotes mean nothing.
struct TextEditor {
    /// The program as it was named, then its arguments.
    private let words: [String]
    private let environment: [String: String]

    private static let usual = ["editor", "vim", "vi", "nano", "emacs"]
    /// Those that take `+LINE` before a file: by the names of their programs.
    private static let takingLines: Set<String> = [
        "vi", "vim", "nvim", "view", "nvi", "elvis", "vile", "vim.basic", "vim.tiny", "vim.nox", "gvim", "nano",
        "rnano",
        "pico", "emacs", "emacsclient", "mg", "jmacs", "zile", "micro", "kak", "joe", "jstar", "jpico", "jed", "ne",
    ]

    init(environment: [String: String]) throws(CommandFailure) {
        self.environment = environment
        for name in ["VISUAL", "EDITOR"] {
            let words = (environment[name] ?? "").split { $0 == " " || $0 == "\t" || $0 == "\n" }.map(String.init)
            if !words.isEmpty {
                self.words = words
                return
            }
        }
        let search = ProgramSearch(path: environment["PATH"])
        let found = TextEditor.usual.first { name in
            if case .found = search.find(name) { true } else { false }
        }
        guard let found else {
            throw .usage("there is no editor", help: "set $EDITOR to one: export EDITOR=vi", code: .usageMissing)
        }
        words = [found]
    }

    /// As it was named.
    private var name: String { words[0] }

    /// Edits a file and waits. Throws where the editor does not end with 0.
    ///
    /// - Parameters:
    ///   - path: absolute.
    ///   - line: where to begin, from 1; an editor that is not known to take one begins where it likes.
    func edit(_ path: String, line: Int) throws(CommandFailure) {
        let program: String
        switch ProgramSearch(path: environment["PATH"]).find(name) {
        case .found(let file): program = file
        case .notFound:
            throw .usage(
                "the editor \(QuotedText.text(name)) was not found",
                help: "set $VISUAL or $EDITOR to one that is there", code: .usageMissing)
        case .notExecutable(let file):
            throw .usage(
                "the editor \(QuotedText.text(file)) cannot be run", help: "set $VISUAL or $EDITOR to one that can",
                code: .usageMissing)
        }
        let own = name.split(separator: "/").last.map(String.init) ?? name
        let place = line > 1 && TextEditor.takingLines.contains(own) ? ["+\(line)"] : []
        let end: ProcessEnd
        do throws(ActivationFailure) {
            end = try Spawner.runInForeground(
                SpawnRequest(
                    program: program, arguments: words + place + [path],
                    environment: environment.map { EnvironmentVariable($0.key, $0.value) })
            ).end
        } catch {
            throw .usage(error.message, help: error.help, code: .usageMissing)
        }
        if let failure = ActivationFailure.unsuccessful(name, end) { throw CommandFailure(.finding, failure.message) }
    }
}
