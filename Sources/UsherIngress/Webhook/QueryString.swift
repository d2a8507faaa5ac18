internal import UsherEngine
internal import UsherHTTP
internal import UsherOperation
internal import UsherText

/// The parameters of a request target's query, in order (URL Standard, application/x-www-form-urlencoded).
struct QueryString: Sendable {
    let parameters: [(name: String, value: String)]
    /// Whether it is UTF-8 once it is decoded; what is not is repaired.
    private let isText: Bool

    init(of request: HTTPRequest) {
        isText = String(validating: PercentEncoding.decode((request.query ?? "").utf8), as: UTF8.self) != nil
        parameters = (FormParameters.parse((request.query ?? "").utf8) ?? []).map { ($0.name, $0.value) }
    }

    /// The value of the first parameter of that name.
    subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// Refuses a parameter that means nothing here, or is there twice.
    func check(among known: [String]) throws(Refusal) {
        guard isText else {
            throw Refusal(400, .webhookQuery, "the query is not UTF-8 when it is decoded", help: "encode it as UTF-8")
        }
        var seen: Set<String> = []
        for (name, _) in parameters {
            guard known.contains(name) else {
                throw Refusal(
                    400, .webhookQuery, "there is no parameter \(Refusal.printable(name))",
                    help: Spelling.closest(to: name, among: known).map { "did you mean \($0)?" }
                        ?? "there are " + known.joined(separator: ", "))
            }
            guard seen.insert(name).inserted else {
                throw Refusal(400, .webhookQuery, "the parameter \(name) is there twice", help: "keep one of them")
            }
        }
    }

    /// What the answer to a request waits for.
    enum Waiting: Hashable {
        /// Until all is on disk.
        case journal
        /// Until there are records.
        case records
        /// Until the notifications are answered, for so long at most.
        case answers(Duration)
    }

    /// `?wait=1`, and `?wait=action&timeout=90s`.
    func waiting() throws(Refusal) -> Waiting {
        guard self["wait"] == "action" else {
            guard self["timeout"] == nil else {
                throw Refusal(
                    400, .webhookQuery, "timeout goes with wait=action", help: "leave it out, or write wait=action")
            }
            return try waits() ? .records : .journal
        }
        do throws(ControlError) {
            return .answers(try AnswerWait.timeout(self["timeout"], at: "?timeout"))
        } catch {
            throw Refusal(400, .webhookQuery, error.message, at: error.at, help: error.help)
        }
    }

    /// `?wait=1`.
    func waits() throws(Refusal) -> Bool {
        switch self["wait"] {
        case nil, "0", "false": return false
        case "1", "true", "": return true
        default: throw Refusal(400, .webhookQuery, "wait is neither 0 nor 1", help: "write wait=1")
        }
    }
}
