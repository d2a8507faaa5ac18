public import UsherJSON
public import UsherText

/// What a member of a request or of an answer can be, or a whole answer.
public protocol FieldValue: Sendable {
    static var shape: ValueShape { get }
    /// Whether a request has to have it.
    static var isRequired: Bool { get }
    /// - Parameters:
    ///   - name: what it is called in errors.
    ///   - place: its JSON pointer, for errors.
    static func read(_ value: JSONValue, _ name: String, at place: String) throws(ControlError) -> Self
    /// Appends one JSON value.
    func write(to json: inout JSONWriter)
    /// False for what is the same as not given.
    var isGiven: Bool { get }
    /// The same with each text changed. The place is the JSON pointer of a text.
    func mapTexts(
        at place: String, _ change: (_ text: String, _ place: String) throws(ControlError) -> String
    ) throws(ControlError) -> Self
}

extension FieldValue {
    public static var isRequired: Bool { false }
    public var isGiven: Bool { true }

    public func mapTexts(
        at place: String, _ change: (_ text: String, _ place: String) throws(ControlError) -> String
    ) throws(ControlError) -> Self { self }
}

/// How a value is written in JSON, for descriptions of the interface.
public struct ValueShape: Sendable {
    public enum Kind: Sendable, Hashable {
        case text
        case flag
        /// Whole.
        case number
        case decimal
        /// As an argument it may be given several times.
        case texts
        /// Objects; as an argument, or one of them.
        case records
        case record
        /// Anything.
        case json
    }

    public var kind: Kind
    public var isNullable = false
    /// Whether null is something else than nothing.
    var isOptionalOfNullable = false
    /// What a text, or each of several, can be; empty if it can be any.
    public var choices: [String] = []
    /// What the choices are called where several places have them.
    public var choicesName: String?
    /// Of `record`, and of each of `records`.
    public var object: ObjectShape?
    /// More of JSON Schema: `format`.
    public var keywords: [JSONValue.Member] = []

    public init(_ kind: Kind) { self.kind = kind }
}

/// The members of an object.
public struct ObjectShape: Sendable {
    /// Where several places have it; nil for what is described where it stands.
    public let name: String?
    /// What it is; empty where its name says it.
    public let help: String
    /// More of JSON Schema.
    public var keywords: [JSONValue.Member] = []
    private let describe: @Sendable () -> [FieldDescription]

    public init(_ name: String?, _ help: String = "", _ fields: @escaping @Sendable () -> [FieldDescription]) {
        (self.name, self.help, describe) = (name, help, fields)
    }

    /// Made when they are asked for: objects may hold one another.
    public var fields: [FieldDescription] { describe() }
}

// MARK: - Texts

/// Has to be given.
extension String: FieldValue {
    public static var shape: ValueShape { ValueShape(.text) }
    public static var isRequired: Bool { true }

    public static func read(_ value: JSONValue, _ name: String, at place: String) throws(ControlError) -> String {
        guard let text = value.string else { throw MemberReader.wrong(name, value, "a string", at: place) }
        return text
    }

    public func write(to json: inout JSONWriter) { json.value(self) }

    public func mapTexts(
        at place: String, _ change: (_ text: String, _ place: String) throws(ControlError) -> String
    ) throws(ControlError) -> String { try change(self, place) }
}

/// One of some words.
public protocol FieldChoice: FieldValue, RawRepresentable<String>, CaseIterable {
    /// Where several places have the words.
    static var choicesName: String? { get }
}

extension FieldChoice {
    public static var choicesName: String? { nil }
    public static var isRequired: Bool { true }

    public static var shape: ValueShape {
        var shape = ValueShape(.text)
        (shape.choices, shape.choicesName) = (allCases.map(\.rawValue), choicesName)
        return shape
    }

    public static func read(_ value: JSONValue, _ name: String, at place: String) throws(ControlError) -> Self {
        let text = try String.read(value, name, at: place)
        guard let choice = Self(rawValue: text) else {
            throw .unknown(.controlArgument, name, text, among: allCases.map(\.rawValue), at: place)
        }
        return choice
    }

    public func write(to json: inout JSONWriter) { json.value(rawValue) }
}

extension Instant: FieldValue {
    public static var shape: ValueShape {
        var shape = ValueShape(.text)
        shape.keywords = [.init("format", "date-time")]
        return shape
    }

    public static func read(_ value: JSONValue, _ name: String, at place: String) throws(ControlError) -> Instant {
        guard let instant = value.string.flatMap({ Instant(text: $0) }) else {
            throw MemberReader.wrong(name, value, "a time of RFC 3339", at: place)
        }
        return instant
    }

    public func write(to json: inout JSONWriter) { json.value(text) }
}

// MARK: - Flags and numbers

extension Bool: FieldValue {
    public static var shape: ValueShape { ValueShape(.flag) }

    public static func read(_ value: JSONValue, _ name: String, at place: String) throws(ControlError) -> Bool {
        guard let flag = value.boolean else { throw MemberReader.wrong(name, value, "true or false", at: place) }
        return flag
    }

    public func write(to json: inout JSONWriter) { json.value(self) }
    public var isGiven: Bool { self }
}

extension Int: FieldValue {
    public static var shape: ValueShape { ValueShape(.number) }

    public static func read(_ value: JSONValue, _ name: String, at place: String) throws(ControlError) -> Int {
        guard let number = value.int64.flatMap({ Int(exactly: $0) }) else {
            throw MemberReader.wrong(name, value, "a whole number", at: place)
        }
        return number
    }

    public func write(to json: inout JSONWriter) { json.value(self) }
}

/// A number of more digits than a double has, as JSON has it.
public struct Decimal: FieldValue, Hashable {
    public let text: String

    /// - Parameter text: a JSON number.
    public init(_ text: String) { self.text = text }

    public static var shape: ValueShape { ValueShape(.decimal) }

    public static func read(_ value: JSONValue, _ name: String, at place: String) throws(ControlError) -> Decimal {
        guard let text = value.numberText else { throw MemberReader.wrong(name, value, "a number", at: place) }
        return Decimal(text)
    }

    public func write(to json: inout JSONWriter) { json.raw(text.utf8) }
}

// MARK: - Anything

extension JSONValue: FieldValue {
    public static var shape: ValueShape { ValueShape(.json) }
    public static func read(_ value: JSONValue, _ name: String, at place: String) -> JSONValue { value }
    public func write(to json: inout JSONWriter) { json.value(self) }
}

/// JSON as it was stored, or as another one wrote it: described as a value, and kept with whatever else is in it.
public struct Kept<Value: FieldValue>: FieldValue {
    public let json: JSONValue
    /// What is written, where it was given as text.
    private let text: [UInt8]?

    public init(_ json: JSONValue) { (self.json, text) = (json, nil) }

    /// - Parameter text: JSON text, which is not read.
    public init(text: [UInt8]) { (json, self.text) = (.null, text) }

    /// JSON text; nil where it is none.
    public init?(parsing text: some Collection<UInt8>) {
        guard let json = try? JSONValue(parsing: Array(text), maximumDepth: 1024) else { return nil }
        self.init(json)
    }

    public func value(at place: String = "") throws(ControlError) -> Value { try Value.read(json, "it", at: place) }

    public static var shape: ValueShape { Value.shape }
    public static func read(_ value: JSONValue, _ name: String, at place: String) -> Kept { Kept(value) }

    public func write(to json: inout JSONWriter) {
        if let text { json.raw(text) } else { json.value(self.json) }
    }
}

// MARK: - Several, or none

extension Optional: FieldValue where Wrapped: FieldValue {
    public static var shape: ValueShape {
        var shape = Wrapped.shape
        (shape.isOptionalOfNullable, shape.isNullable) = (shape.isNullable, true)
        return shape
    }
    public static var isRequired: Bool { false }

    public static func read(_ value: JSONValue, _ name: String, at place: String) throws(ControlError) -> Wrapped? {
        if value.kind == .null, !Wrapped.shape.isNullable { return nil }
        return try Wrapped.read(value, name, at: place)
    }

    public func write(to json: inout JSONWriter) {
        if let self { self.write(to: &json) } else { json.null() }
    }

    public var isGiven: Bool { self != nil }

    public func mapTexts(
        at place: String, _ change: (_ text: String, _ place: String) throws(ControlError) -> String
    ) throws(ControlError) -> Wrapped? {
        guard let self else { return nil }
        return try self.mapTexts(at: place, change)
    }
}

extension Array: FieldValue where Element: FieldValue {
    public static var shape: ValueShape {
        var shape = Element.shape
        switch shape.kind {
        case .record: shape.kind = .records
        case .json: shape.keywords = [.init("type", "array"), .init("items", .object(shape.keywords))]
        default: shape.kind = .texts
        }
        return shape
    }

    public static func read(_ value: JSONValue, _ name: String, at place: String) throws(ControlError) -> [Element] {
        guard let values = value.elements else { throw MemberReader.wrong(name, value, "an array", at: place) }
        var elements: [Element] = []
        elements.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            elements.append(try Element.read(value, "\(name)/\(index)", at: "\(place)/\(index)"))
        }
        return elements
    }

    public func write(to json: inout JSONWriter) {
        json.beginArray()
        for element in self { element.write(to: &json) }
        json.endArray()
    }

    public var isGiven: Bool { !isEmpty }

    public func mapTexts(
        at place: String, _ change: (_ text: String, _ place: String) throws(ControlError) -> String
    ) throws(ControlError) -> [Element] {
        var elements: [Element] = []
        for (index, element) in enumerated() { elements.append(try element.mapTexts(at: "\(place)/\(index)", change)) }
        return elements
    }
}
