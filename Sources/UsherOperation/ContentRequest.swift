public import UsherJSON

/// What is asked about activities, notes, links and redirects: a verb and its arguments, one JSON object.
///
/// The arguments are read where they are carried out, so that every door takes the same and answers the same.
public struct ContentRequest: Sendable, Equatable {
    public var verb: Verb
    public var arguments: JSONValue

    public init(_ verb: Verb, _ arguments: JSONValue = .object([])) {
        self.verb = verb
        self.arguments = arguments
    }

    public enum Verb: String, Sendable, CaseIterable {
        case becomeCurrent = "activity.become-current"
        case updateActivity = "activity.update"
        case resignActivity = "activity.resign"
        case listActivities = "activity.list"
        case showActivity = "activity.show"
        case searchActivities = "activity.search"
        case saveActivity = "activity.save"

        case newNote = "note.new"
        case showNote = "note.show"
        case listNotes = "note.list"
        case editNote = "note.edit"
        case attachToNote = "note.attach"
        case putNoteAside = "note.aside"
        case resumeNote = "note.resume"
        case finishNote = "note.done"
        case deleteNote = "note.delete"
        case searchNotes = "note.search"
        case importNotes = "note.import"

        case addLink = "link.add"
        case showLink = "link.show"
        case listLinks = "link.list"
        case removeLink = "link.remove"
        case suggestLinks = "link.suggest"

        case moveContent = "link.move"
        case deleteContent = "link.delete"
        case restoreContent = "link.restore"
        case listRedirects = "link.redirects"

        /// Whether it writes: then it goes through the daemon, while one runs.
        public var changesStore: Bool {
            switch self {
            case .listActivities, .showActivity, .searchActivities, .showNote, .listNotes, .searchNotes, .showLink,
                .listLinks, .suggestLinks, .listRedirects:
                false
            default: true
            }
        }
    }
}

extension ContentRequest {
    /// Whether an app's save command may be run for it, which may make changes itself.
    public var mayAskApp: Bool {
        switch verb {
        case .saveActivity: true
        case .addLink: arguments["activity"] != nil || arguments["from_current"] != nil
        default: false
        }
    }

    /// With the arguments that are given; those that are nil are left out.
    public init(_ verb: Verb, given arguments: KeyValuePairs<String, JSONValue?>) {
        self.init(
            verb,
            .object(
                arguments.compactMap { name, value in
                    guard case .some(let given) = value else { return nil }
                    return JSONValue.Member(name, given)
                }))
    }
}
