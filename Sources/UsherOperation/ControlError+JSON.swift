public import UsherJSON
internal import UsherScene

extension ControlError {
    public func write(to json: inout JSONWriter) { write(to: &json, level: 0) }

    private func write(to json: inout JSONWriter, level: Int) {
        json.beginObject()
        json.member("code", code.code)
        json.member("name", code.name)
        json.member("message", message)
        json.member("at", at)
        json.member("offset", offset)
        json.member("help", help)
        json.member("status", status.rawValue)
        if !excerpt.isEmpty { json.member("excerpt", excerpt) }
        // The elements of a list have no lists of their own.
        if !problems.isEmpty, level == 0 {
            json.member("problem_count", problemCount)
            json.beginArray("problems")
            for problem in problems {
                json.beginObject()
                json.member("index", problem.index)
                json.key("error")
                problem.error.write(to: &json, level: 1)
                json.endObject()
            }
            json.endArray()
        }
        json.endObject()
    }

    /// An error as another process wrote it: members that this version does not know are left out.
    public init(reading value: JSONValue) {
        self.init(value, level: 0)
    }

    private init(_ value: JSONValue, level: Int) {
        self.init(
            DiagnosticCode(value["code"]?.string ?? "", value["name"]?.string ?? ""),
            value["message"]?.string ?? "the daemon gave no reason", at: value["at"]?.string,
            offset: value["offset"]?.int64.flatMap { Int(exactly: $0) }, help: value["help"]?.string,
            excerpt: value["excerpt"]?.elements?.compactMap(\.string) ?? [],
            status: value["status"]?.int64.flatMap { Status(rawValue: Int(clamping: $0)) } ?? .usage)
        guard level == 0 else { return }
        problems = (value["problems"]?.elements ?? []).compactMap { element in
            guard let index = element["index"]?.int64, let error = element["error"] else { return nil }
            return Problem(index: Int(clamping: index), ControlError(error, level: 1))
        }
        problemCount = max(problems.count, value["problem_count"]?.int64.map { Int(clamping: $0) } ?? 0)
    }
}
