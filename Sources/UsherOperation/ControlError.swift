public import UsherJSON
public import UsherScene
internal import UsherText

/// Why a command was not carried out, in the words that the command line, the socket and HTTP share.
///
/// On the wire: `{"code","name","message","at","offset","line","column","help","status"}`, and `excerpt` and `problems` where there are any.
public struct ControlError: Error, Sendable {
    public var code: DiagnosticCode
    /// One sentence without a full stop.
    public var message: String
    /// The member that it is about, as a JSON pointer into the arguments.
    public var at: String?
    /// Bytes from the start of the text that it is about.
    public var offset: Int?
    public var help: String?
    /// Lines with a caret, already escaped for a terminal.
    public var excerpt: [String]
    /// The exit status of a command that ends with it.
    public var status: Status
    /// What is wrong with single elements of a list; then the message sums up. Of very many the first ones.
    public var problems: [Problem]
    /// How many there are in all.
    public var problemCount: Int

    public enum Status: Int, Sendable {
        /// It was done, and something is to be said about it.
        case finding = 1
        /// It cannot be done as it was asked for: nothing was done.
        case usage = 2
    }

    public struct Problem: Sendable {
        /// From 0.
        public var index: Int
        public var error: ControlError

        public init(index: Int, _ error: ControlError) {
            self.index = index
            self.error = error
        }
    }

    public init(
        _ code: DiagnosticCode, _ message: String, at: String? = nil, offset: Int? = nil, help: String? = nil,
        excerpt: [String] = [], status: Status = .usage, problems: [Problem] = [],
        problemCount: Int = 0
    ) {
        self.code = code
        self.message = message
        self.at = at
        self.offset = offset
        self.help = help
        self.excerpt = excerpt
        self.status = status
        self.problems = problems
        self.problemCount = max(problemCount, problems.count)
    }
}

extension ControlError {
    public init(_ diagnostic: Diagnostic, status: Status = .usage) {
        self.init(
            diagnostic.code, diagnostic.message, at: diagnostic.at, offset: diagnostic.offset, help: diagnostic.help,
            status: status)
    }

    /// A word that is none of those known, and the closest of them.
    public static func unknown(
        _ code: DiagnosticCode, _ what: String, _ word: String, among known: [String], at: String? = nil,
        otherwise: String? = nil
    ) -> ControlError {
        let close = Spelling.closest(to: word, among: known).map { "did you mean \($0)?" }
        let list = known.isEmpty || known.count > 12 ? nil : "there is: \(known.joined(separator: ", "))"
        return ControlError(
            code, "there is no \(what) \(QuotedText.text(word))", at: at, help: close ?? otherwise ?? list)
    }

    /// The other side does not speak this protocol.
    public static func protocolViolation(_ message: String, help: String? = nil) -> ControlError {
        ControlError(.controlProtocol, message, help: help)
    }

    public static func argument(_ message: String, at: String, help: String? = nil) -> ControlError {
        ControlError(.controlArgument, message, at: at, help: help)
    }
}

// MARK: - JSON

extension ControlError: FieldValue {
    public func write(to json: inout JSONWriter) { write(to: &json, level: 0) }

    private func write(to json: inout JSONWriter, level: Int) {
        json.beginObject()
        json.member("code", code.code)
        json.member("name", code.name)
        json.member("message", message)
        json.member("at", at)
        json.member("offset", offset)
        json.nullMember("line")
        json.nullMember("column")
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

    public static var shape: ValueShape { ValueShape(.json) }
    public static func read(_ value: JSONValue, _ name: String, at place: String) -> ControlError {
        ControlError(reading: value)
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
