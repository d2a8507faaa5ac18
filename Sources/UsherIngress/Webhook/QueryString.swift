internal import UsherHTTP
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

    /// `?wait=1`.
    func waits() throws(Refusal) -> Bool {
        switch self["wait"] {
        case nil, "0", "false": return false
        case "1", "true", "": return true
        default: throw Refusal(400, .webhookQuery, "wait is neither 0 nor 1", help: "write wait=1")
        }
    }
}
