public import UsherJSON

/// One JSON object of an answer. Reading leaves out what it does not know.
public protocol AnswerRecord: RecordValue {
    /// What its schema is called in descriptions of the interface; nil for one that is described where it stands.
    static var schema: String? { get }
    /// What it is; empty where its name says it.
    static var summary: String { get }
    /// What is to be said beside the result.
    var warnings: [String] { get }
}

extension AnswerRecord {
    public static var schema: String? { nil }
    public static var summary: String { "" }
    public var warnings: [String] { [] }
    public static var shape: ValueShape { recordShape(schema, summary) }

    public init(reading value: JSONValue?, at place: String = "") throws(ControlError) {
        self.init()
        let reader = try MemberReader(value, at: place, allowed: nil)
        for field in Self.fields { try field.read(reader, &self) }
    }
}

/// The answer of an operation that has nothing to say: an object without members.
public struct Nothing: AnswerRecord {
    public init() {}
    public static let fields: [Field<Nothing>] = []
}

extension FieldValue {
    /// An answer from JSON text.
    public init(reading text: [UInt8]) throws(ControlError) {
        let value = try Result { () throws(JSONError) in try JSONValue(parsing: text, maximumDepth: 1024) }
            .mapError { error in
                ControlError.protocolViolation("the answer is not JSON: \(error.message) at byte \(error.offset)")
            }.get()
        self = try Self.read(value, "the answer", at: "")
    }

    /// As JSON text on a line or in a body.
    public var jsonText: [UInt8] {
        var json = JSONWriter(escaping: .minimal)
        write(to: &json)
        return json.bytes
    }

    /// As a value.
    public var jsonValue: JSONValue { (try? JSONValue(parsing: jsonText, maximumDepth: 1024)) ?? .null }
}
