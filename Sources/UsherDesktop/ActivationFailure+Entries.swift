internal import UsherActivation
internal import UsherScene
internal import UsherText

extension ActivationFailure {
    /// - Parameter nearest: the installed one that may have been meant.
    static func noEntry(_ name: String, nearest: String?, folders: [String]) -> ActivationFailure {
        let question = nearest.map { "did you mean \(Printable.text($0))? " } ?? ""
        return ActivationFailure(
            .entryUnknown, "there is no desktop entry \(Printable.text(name))",
            help: question + "entries are looked for in \(folders.map { Printable.text($0) }.joined(separator: ", "))")
    }

    static func hiddenEntry(_ name: String, _ path: String) -> ActivationFailure {
        ActivationFailure(
            .entryUnknown, "the desktop entry \(Printable.text(name)) is hidden by \(Printable.text(path))",
            help: "Hidden=true there means that it is not installed")
    }

    static func brokenEntry(
        _ path: String, line: Int?, _ problem: String, help: String? = nil
    ) -> ActivationFailure {
        let place = line.map { ":\($0)" } ?? ""
        return ActivationFailure(
            .entryBroken, "\(Printable.text(path))\(place): \(Printable.text(problem))",
            help: help
                ?? "desktop-file-validate shows more; a corrected copy in ~/.local/share/applications takes precedence")
    }

    static func noEntryProgram(_ path: String, key: String, _ program: String, path search: String) -> ActivationFailure
    {
        ActivationFailure(
            .entryNoProgram,
            "\(Printable.text(path)): \(key) names \(Printable.text(program)), which is not installed",
            help: "PATH is \(Printable.text(search))")
    }

    static func noEntryAction(_ path: String, _ action: String, among actions: [String]) -> ActivationFailure {
        ActivationFailure(
            .entryNoAction, "\(Printable.text(path)) has no action \(Printable.text(action))",
            help: actions.isEmpty
                ? "it has none at all" : "it has \(actions.map { Printable.text($0) }.joined(separator: ", "))")
    }

    static func noTerminal(_ path: String) -> ActivationFailure {
        ActivationFailure(
            .entryNoTerminal, "\(Printable.text(path)) requires a terminal, and there is none",
            help: "install xterm, foot or another x-terminal-emulator, or name one in TERMINAL")
    }

    static func notActivated(_ path: String, _ failure: ActivationFailure) -> ActivationFailure {
        ActivationFailure(
            .entryNotActivated,
            "\(Printable.text(path)) says DBusActivatable, and its Exec was started instead: \(failure.message)",
            help: failure.help)
    }
}
