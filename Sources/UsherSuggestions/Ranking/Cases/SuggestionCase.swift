public import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherText

/// A line of `usher suggest --cases`: everything that suggestions are made of, and a question.
///
///     {"id","now","apps","settings","contacts","events","query"} → {"id","results","error"}
public enum SuggestionCase {
    /// The answer to a line, and what is wrong with it, for people.
    public struct Answer: Sendable {
        public var json: JSONValue
        public var problem: String?
    }

    public static func answer(to line: [UInt8]) -> Answer {
        var id = JSONValue.null
        do throws(CaseProblem) {
            let value: JSONValue
            do throws(JSONError) {
                value = try JSONValue(parsing: line)
            } catch {
                throw CaseProblem(error.code.rawValue, error.message)
            }
            let members = try CaseObject(value, "the line")
            id = members["id"] ?? .null
            let (query, input) = try SuggestionCase.read(members)
            return Answer(json: answer(id, try items(query, input).map(\.jsonValue), nil), problem: nil)
        } catch {
            return Answer(json: answer(id, [], error.name), problem: "\(error.message) [\(error.name)]")
        }
    }

    /// The answer where there is no line that could be read.
    public static func answer(refusing name: String, _ message: String) -> Answer {
        Answer(json: answer(.null, [], name), problem: "\(message) [\(name)]")
    }

    private static func answer(_ id: JSONValue, _ results: [JSONValue], _ error: String?) -> JSONValue {
        [
            "id": id, "results": .array(results),
            "error": error.map { .object([.init("name", .string($0))]) } ?? .null,
        ]
    }

    private static func items(_ query: SuggestionQuery, _ input: SuggestionInput) throws(CaseProblem) -> [SuggestedItem]
    {
        do throws(SuggestionRefusal) {
            return try Suggestions.answer(to: query, from: input)
        } catch {
            throw CaseProblem(error.code.name, error.message)
        }
    }

    private static func read(_ line: CaseObject) throws(CaseProblem) -> (SuggestionQuery, SuggestionInput) {
        guard let asked = try line.object("query") else { throw .missing("query", "the line") }
        let (at, lineNow) = (try asked.time("at"), try line.time("now"))
        guard let now = at ?? lineNow else { throw .missing("now", "the line") }
        let query = try CaseReader.query(asked, now: now)
        var input = SuggestionInput()
        input.apps = try line.objects("apps").map(CaseReader.app)
        if let settings = try line.object("settings") { input.settings = try CaseReader.settings(settings) }
        input.contacts = try line.objects("contacts").map(CaseReader.contact)
        var timeline = CaseTimeline()
        for event in try line.objects("events") { try timeline.add(event, now: now) }
        input.events = timeline.events
        input.signals = timeline.signals
        return (query, input)
    }
}

/// Why a line has no answer.
struct CaseProblem: Error {
    /// The dotted name.
    var name: String
    var message: String

    init(_ name: String, _ message: String) {
        self.name = name
        self.message = message
    }

    /// A member that is absent, or is not what it should be.
    static func member(_ message: String) -> CaseProblem { CaseProblem(DiagnosticCode.suggestCase.name, message) }

    static func missing(_ name: String, _ place: String) -> CaseProblem { .member("\(place) has no \(name)") }
}

/// A JSON object whose members have the types that are asked for, or are refused; null counts as absent.
struct CaseObject {
    let members: [JSONValue.Member]
    /// For messages.
    let place: String

    init(_ value: JSONValue, _ place: String) throws(CaseProblem) {
        guard let members = value.members else {
            throw .member("\(place) is \(value.kind.phrase), not an object")
        }
        self.members = members
        self.place = place
    }

    subscript(name: String) -> JSONValue? {
        let value = members.first { $0.name.hasSameBytes(as: name) }?.value
        return value == .null ? nil : value
    }

    private func wrong(_ name: String, _ value: JSONValue, _ expected: String) -> CaseProblem {
        .member("\(name) of \(place) is \(value.kind.phrase), not \(expected)")
    }

    func text(_ name: String) throws(CaseProblem) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else { throw wrong(name, value, "a string") }
        return text
    }

    /// Text that is not empty.
    func identifier(_ name: String) throws(CaseProblem) -> String? {
        try text(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    func flag(_ name: String) throws(CaseProblem) -> Bool? {
        guard let value = self[name] else { return nil }
        guard let flag = value.boolean else { throw wrong(name, value, "true or false") }
        return flag
    }

    func count(_ name: String) throws(CaseProblem) -> Int? {
        guard let value = self[name] else { return nil }
        guard let number = value.int64, (0...1_000_000).contains(number) else {
            throw .member("\(name) of \(place) is not a whole number from 0 to 1000000")
        }
        return Int(number)
    }

    func array(_ name: String) throws(CaseProblem) -> [JSONValue] {
        guard let value = self[name] else { return [] }
        guard let elements = value.elements else { throw wrong(name, value, "an array") }
        return elements
    }

    func texts(_ name: String) throws(CaseProblem) -> [String] {
        try array(name).map { (element) throws(CaseProblem) in
            guard let text = element.string else { throw .member("\(name) of \(place) has \(element.kind.phrase)") }
            return text
        }
    }

    func object(_ name: String) throws(CaseProblem) -> CaseObject? {
        guard let value = self[name] else { return nil }
        return try CaseObject(value, name)
    }

    func objects(_ name: String) throws(CaseProblem) -> [CaseObject] {
        try array(name).map { (element) throws(CaseProblem) in try CaseObject(element, "an element of \(name)") }
    }

    func time(_ name: String) throws(CaseProblem) -> Instant? {
        guard let text = try text(name) else { return nil }
        guard let time = Instant(text: text) else {
            throw .member("\(name) of \(place) is no date and time, such as 2026-11-21T09:00:00Z")
        }
        return time
    }

    /// A word of an enumeration; anything else has its own name.
    func word<Word: RawRepresentable<String>>(
        _ name: String, _ type: Word.Type, otherwise code: String = DiagnosticCode.suggestCase.name
    ) throws(CaseProblem) -> Word? {
        guard let text = try text(name) else { return nil }
        guard let word = Word(rawValue: text) else {
            throw CaseProblem(code, "\(name) of \(place) has an unknown word: \(Printable.text(text, limit: 80))")
        }
        return word
    }
}
