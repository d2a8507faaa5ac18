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
    private let context: Context
    /// None: those of the system's current activity.
    private let targets: [String]
    private let app: String?
    private let writesJSON: Bool

    init(_ context: Context, targets: [String], app: String?, writesJSON: Bool) {
        self.context = context
        self.targets = targets
        self.app = app
        self.writesJSON = writesJSON
    }

    /// What a line is about: another activity is a new line, even where the same is suggested.
    private struct Moment: Equatable {
        var activity: String?
        var suggestions: [LinkedNoteAnswer]
    }

    func run() throws(CommandFailure) -> ExitStatus {
        let signals: Int32
        do throws(SystemError) {
            signals = try SignalPipe.open([SIGINT, SIGTERM], isFinal: true)
        } catch {
            throw CommandFailure(.finding, "there is no pipe: \(error.text)")
        }
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
                if context.output.isBroken { return .handled }
                last = moment
            }
            switch watch.wait(signals: signals, output: 1) {
            case .changed: continue
            case .ended, .late: return .handled
            }
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
