internal import Glibc
internal import UsherConfiguration
internal import UsherEngine
internal import UsherJSON
internal import UsherNotes
internal import UsherOperation
internal import UsherStore
internal import UsherSystem

/// `usher link suggest --watch`: a line whenever what is suggested becomes something else, for status bars.
///
/// It looks into the store itself, so that it needs no daemon and outlives one.
struct SuggestionWatch {
    let context: Context
    /// None: those of the system's current activity.
    let targets: [String]
    let app: String?
    let writesJSON: Bool

    /// What a line is about: another activity is a new line, even where the same is suggested.
    private struct Moment: Equatable {
        var activity: String?
        var suggestions: [LinkedNoteAnswer]
    }

    func run() throws(CommandFailure) {
        let signals = try StoreWatch.openSignals()
        let store = try context.openStore(.readOnly)
        defer { store.close() }
        try context.apply(context.loadConfigurationIfPresent()?.settings, to: store)
        var watch = try StoreWatch(database: store.path)
        var last: Moment?
        while true {
            try watch.begin()
            if let moment = try look(into: store), moment != last {
                context.output.write(line(moment.suggestions) + "\n")
                context.output.flush()
                if context.output.isBroken { return }
                last = moment
            }
            guard case .changed = watch.wait(signals: signals, output: 1) else { return }
        }
    }

    /// nil while another process has the store locked.
    private func look(into store: Store) throws(CommandFailure) -> Moment? {
        do throws(StoreError) {
            let (activity, found) = try LinkedNotes.now(in: store, targets: targets, app: app)
            return Moment(activity: activity, suggestions: found)
        } catch {
            guard error.mayPass else { throw .store(error) }
            return Optional.none
        }
    }

    private func line(_ suggestions: [LinkedNoteAnswer]) -> String {
        guard !writesJSON else {
            var answer = LinkedNotesAnswer()
            answer.suggestions = suggestions
            return answer.jsonValue.text()
        }
        return LinkText.line(suggestions)
    }
}
