internal import UsherConfiguration
internal import UsherEngine
internal import UsherScene

/// The window of a note, where `usher note edit` was started by the dispatcher.
struct NoteWindow {
    private let context: Context
    private let session: String

    /// nil where it was not.
    init?(_ context: Context, note: String) {
        let environment = context.environment
        guard environment["USHER_APP"] == App.notesID, let session = environment["USHER_SESSION"],
            environment["USHER_RESOLVED"] == note || environment["USHER_TARGET"] == note
        else { return nil }
        self.context = context
        self.session = session
    }

    /// Calls the session by the note's first line. Not worth an error.
    func show(title: String) {
        var update = SessionUpdate()
        update.title = String(title.prefix(200))
        _ = try? context.service().call(SceneUpdate(session, update))
    }

    /// The window closes with its program: what is to be read has to be waited for.
    func show(_ failure: CommandFailure) -> CommandFailure {
        guard ProcessEnvironment.isTerminal(0), ProcessEnvironment.isTerminal(2) else { return failure }
        context.errors.report(failure)
        context.errors.write("Enter closes this window.\n")
        _ = try? InputFile("-").read()
        return .reported(failure.status)
    }
}
