internal import UsherHTTP
internal import UsherJSON
internal import UsherOperation

/// What a path of activities, notes, links or redirects stands for.
enum ContentRoute: Equatable {
    case activities
    /// By its id, or `current`: the system's.
    case activity(String)
    case sessionActivity(String)
    case notes
    case note(String)
    case noteVerb(String, NoteVerb)
    case links
    case link(String)
    case suggestions
    case redirects

    enum NoteVerb: String { case aside, resume, done, attachments }

    /// - Parameter path: decoded segments, `v1` first.
    init?(_ path: [String]) {
        guard path.count > 1 else { return nil }
        switch (path[1], path.count) {
        case ("activities", 2): self = .activities
        case ("activities", 3): self = .activity(path[2])
        case ("scenes", 4):
            guard path[3] == "activity" else { return nil }
            self = .sessionActivity(path[2])
        case ("notes", 2): self = .notes
        case ("notes", 3): self = .note(path[2])
        case ("notes", 4):
            guard let verb = NoteVerb(rawValue: path[3]) else { return nil }
            self = .noteVerb(path[2], verb)
        case ("links", 2): self = .links
        case ("links", 3): self = .link(path[2])
        case ("suggestions", 2): self = .suggestions
        case ("redirects", 2): self = .redirects
        default: return nil
        }
    }

    var methods: [String] {
        switch self {
        case .activities, .notes, .links: ["GET", "POST"]
        case .activity, .suggestions: ["GET"]
        case .sessionActivity, .note: ["GET", "PATCH", "DELETE"]
        case .noteVerb: ["POST"]
        case .link: ["GET", "DELETE"]
        case .redirects: ["GET", "POST", "DELETE"]
        }
    }

    /// The parameters of the query.
    func parameters(for method: String) -> [String] {
        switch (self, method) {
        case (.activities, "GET"): ["app", "session", "all", "q", "limit"]
        case (.notes, "GET"): ["state", "limit", "before", "q"]
        case (.links, "GET"): ["note", "target", "limit", "before"]
        case (.suggestions, "GET"): ["target"]
        case (.redirects, "GET"): ["target", "limit"]
        case (.redirects, "DELETE"): ["target", "prefix"]
        default: []
        }
    }

    func takesBody(_ method: String) -> Bool { method == "POST" || method == "PATCH" }
}
