internal import UsherConfiguration
internal import UsherJSON
internal import UsherOperation
internal import UsherScene

/// `usher note open`: the window of a note.
enum NoteOpenCommand {
    static let description = CommandDescription(
        "note open", "show a note in its window: in the editor, in tmux",
        operands: [.init("NOTE|current")],
        discussion: [
            "A dispatch to usher-note:ID: a window that shows the note comes to the front, else one is made.",
            "A manifest with schemes = [\"usher-note\"] opens notes in an app of its own.",
        ],
        examples: [.init("usher note open current", "the note in progress")],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        // Notes need no configuration.
        let engine = try context.engine(needsConfiguration: false)
        let note = try ContentDoor(context, engine).answer(
            NoteShow(note: arguments.operands[0]))
        var line = JSONWriter(escaping: .minimal)
        line.beginObject()
        line.member("url", note["target"]?.string ?? "")
        line.endObject()
        return try DaemonDispatching(context, engine, source: "open").run(line.bytes)
    }
}

extension Context {
    /// Refuses the target of a note that is not there, where Usher's own notes are what it would be opened in.
    func checkNote(_ target: String, in loaded: LoadedConfiguration, by engine: Daemon) throws(CommandFailure) {
        guard target.utf8.starts(with: (App.notesScheme + ":").utf8),
            loaded.configuration.app(id: App.notesID)?.isBuiltIn == true
        else { return }
        _ = try ContentDoor(self, engine).answer(NoteShow(note: target))
    }
}
