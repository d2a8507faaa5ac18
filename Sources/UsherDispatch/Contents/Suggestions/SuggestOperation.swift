internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherSuggestion
internal import UsherSystem
internal import UsherText

/// `suggest`, for every interface (socket, HTTP, command line).
struct SuggestOperation {
    private let service: ContentService

    init(_ service: ContentService) { self.service = service }

    /// An array, the best first.
    func perform(_ call: Suggest) throws(ControlError) -> JSONValue {
        .array(try items(Self.query(call)).map(\.json))
    }

    private func items(_ query: SuggestionQuery) throws(ControlError) -> [SuggestedItem] {
        let input = try service.storing { () throws(StoreError) in
            try SuggestionSource(service.store, service.configuration).input(for: query)
        }
        do throws(SuggestionRefusal) {
            return try Suggestions.answer(to: query, from: input)
        } catch {
            throw ControlError(error.code, error.message, at: error.place, help: error.help)
        }
    }

    private static func query(_ call: Suggest) throws(ControlError) -> SuggestionQuery {
        guard let kind = SuggestionKind(rawValue: call.kind) else {
            throw .unknown(.suggestKind, "kind", call.kind, among: SuggestionKind.allCases.map(\.rawValue), at: "/kind")
        }
        let time = try call.at.map { text throws(ControlError) in try TimeArgument.instant(text, at: "/at") }
        var query = SuggestionQuery(kind, now: time ?? .now)
        func require(_ wanted: SuggestionKind, for argument: String, _ isGiven: Bool) throws(ControlError) {
            guard isGiven, kind != wanted else { return }
            throw .argument(
                "\(argument) goes with \(wanted.rawValue), and not with \(kind.rawValue)", at: "/" + argument)
        }
        try require(.contact, for: "name", call.person != nil)
        try require(.text, for: "content_type", call.contentType != nil)
        try require(.text, for: "context", call.context != nil)
        try require(.app, for: "perform", call.perform != nil)
        query.name = call.person
        if let type = call.contentType {
            query.contentType = TextContentType(rawValue: type)
            guard query.contentType != nil else {
                throw .unknown(
                    .suggestContentType, "content type", type, among: TextContentType.allCases.map(\.rawValue),
                    at: "/content_type")
            }
        }
        query.context = call.context
        query.prefix = call.prefix
        query.forApp = call.forApp
        if let verb = call.perform {
            query.verb = PerformVerb(rawValue: verb)
            guard query.verb != nil else {
                throw .unknown(
                    .suggestPerform, "verb", verb, among: PerformVerb.allCases.map(\.rawValue), at: "/perform")
            }
        }
        if let signal = call.signal { try ReminderOperations.check(signal: signal, at: "/signal") }
        query.signal = call.signal
        query.limit = call.limit ?? SuggestionQuery.defaultLimit
        query.showsWhy = call.why
        return query
    }
}

extension SuggestionRefusal {
    /// The argument that is wrong.
    fileprivate var place: String {
        switch self {
        case .contentType: "/content_type"
        case .undeclared: "/for"
        }
    }
}
