public import UsherJSON
public import UsherScene

/// A JSON object that is described by its fields.
public protocol RecordValue: Sendable {
    static var fields: [Field<Self>] { get }
    /// With nothing given.
    init()
    /// - Parameter place: the object's JSON pointer, for errors.
    init(reading value: JSONValue?, at place: String) throws(ControlError)
    /// Throws for fields that are right by themselves and wrong together.
    func checkCombination(at place: String) throws(ControlError)
}

/// An operation and its arguments: the same over the socket, over HTTP and on the command line.
public protocol Call: RecordValue {
    /// As it stands in a request on the socket: `note.edit`.
    static var name: String { get }
    static var operation: Operation<Self> { get }
    /// Whether an answer may take long: it waits for an app or for deliveries, which may ask for changes meanwhile.
    var waits: Bool { get }
    /// Whether it changes nothing, as a rehearsal of an operation that does.
    var onlyReads: Bool { get }
}

/// An operation on activities, notes, links or redirects.
public protocol ContentCall: Call {}

/// What an operation does to the store.
public enum OperationKind: Sendable, Hashable {
    /// It only reads.
    case read
    /// It changes the store, and starts nothing.
    case edit
    /// It may start programs, or show windows.
    case act
}

/// One thing that a daemon can be asked: its socket, HTTP and command-line forms derive from this.
public struct Operation<Arguments: Call>: Sendable {
    /// One line, without a full stop.
    public let summary: String
    public let kind: OperationKind
    let fields: [Field<Arguments>]
    public let http: [HTTPForm]

    public var arguments: [FieldDescription] { fields.map(\.description) }

    public init(_ summary: String, _ kind: OperationKind, _ fields: [Field<Arguments>], http: [HTTPForm] = []) {
        self.summary = summary
        self.kind = kind
        self.fields = fields
        self.http = http
    }
}

/// What a request can say in one member, for descriptions of the interface.
public struct FieldDescription: Sendable {
    public let name: String
    /// One line, without a full stop.
    public let help: String
    public let kind: ArgumentKind
    public var isRequired = false
    /// Of a number.
    public var range: ClosedRange<Int>?
    /// What a text, or each of several, can be; empty if it can be any.
    public var choices: [String] = []
    /// The members of each object of `records`.
    public var elements: [FieldDescription] = []
    /// What the text, or each of several, is an id of: the beginning of one will do.
    public var identifies: IdentifierKind?
}

/// One member of an object: its name, and where it stands in the value.
public struct Field<Arguments>: Sendable {
    public let description: FieldDescription
    public var name: String { description.name }
    let read: @Sendable (MemberReader, inout Arguments) throws(ControlError) -> Void
    /// Throws for a value that no request may have.
    let check: @Sendable (Arguments, _ place: String) throws(ControlError) -> Void
    let write: @Sendable (Arguments, inout JSONWriter) -> Void
    /// Puts whole ids in the place of what they were given as; nil for a member without ids.
    private(set) var resolve: (@Sendable (inout Arguments, IdentifierResolver) throws(ControlError) -> Void)?

    /// A member with a form of its own.
    ///
    /// - Parameter write: writes nothing for what is the same as not given.
    init(
        _ name: String, _ kind: ArgumentKind, _ help: String, choices: [String] = [],
        read: @escaping @Sendable (MemberReader, inout Arguments) throws(ControlError) -> Void,
        write: @escaping @Sendable (Arguments, inout JSONWriter) -> Void
    ) {
        self.init(FieldDescription(name: name, help: help, kind: kind, choices: choices), read: read, write: write)
    }

    private init(
        _ description: FieldDescription,
        read: @escaping @Sendable (MemberReader, inout Arguments) throws(ControlError) -> Void,
        check: @escaping @Sendable (Arguments, String) throws(ControlError) -> Void = { _, _ in },
        write: @escaping @Sendable (Arguments, inout JSONWriter) -> Void
    ) {
        self.description = description
        self.read = read
        self.check = check
        self.write = write
    }

    /// The same member of a value that holds this one.
    func within<Whole>(_ path: any (WritableKeyPath<Whole, Arguments> & Sendable)) -> Field<Whole> {
        var field = Field<Whole>(
            description,
            read: { [read] (reader, whole) throws(ControlError) in try read(reader, &whole[keyPath: path]) },
            write: { [write] whole, json in write(whole[keyPath: path], &json) })
        if let resolve {
            field.resolve = { (whole, resolver) throws(ControlError) in try resolve(&whole[keyPath: path], resolver) }
        }
        return field
    }

    /// - Parameter kind: what the texts are ids of, if they are.
    public init<Value: FieldValue>(
        _ name: String, _ path: any (WritableKeyPath<Arguments, Value> & Sendable), _ help: String,
        identifies kind: IdentifierKind? = nil
    ) {
        description = FieldDescription(
            name: name, help: help, kind: Value.argumentKind, isRequired: Value.isRequired, identifies: kind)
        if let kind {
            resolve = { (arguments, resolver) throws(ControlError) in
                let value = arguments[keyPath: path]
                arguments[keyPath: path] = try value.mapTexts(at: "/\(name)") { (text, place) throws(ControlError) in
                    try resolver(text, kind, place)
                }
            }
        }
        read = { (reader, arguments) throws(ControlError) in
            if let value = try Value.read(name, of: reader) { arguments[keyPath: path] = value }
        }
        check = { _, _ in }
        write = { arguments, json in arguments[keyPath: path].write(name, to: &json) }
    }

    /// One of some words.
    init(
        _ name: String, _ path: any (WritableKeyPath<Arguments, String?> & Sendable), oneOf choices: [String],
        _ help: String
    ) {
        @Sendable func check(_ text: String, at place: String) throws(ControlError) {
            if !choices.contains(text) { throw .unknown(.controlArgument, name, text, among: choices, at: place) }
        }
        self.init(
            FieldDescription(name: name, help: help, kind: .text, choices: choices),
            read: { (reader, arguments) throws(ControlError) in
                guard let text = try reader.text(name) else { return }
                try check(text, at: reader.pointer(name))
                arguments[keyPath: path] = text
            },
            check: { (arguments, place) throws(ControlError) in
                if let text = arguments[keyPath: path] { try check(text, at: "\(place)/\(name)") }
            },
            write: { arguments, json in
                if let text = arguments[keyPath: path] { json.member(name, text) }
            })
    }

    /// An array of objects.
    ///
    /// - Parameter isRequired: whether it has to be given; else it is empty where it is not.
    init<Element: RecordValue>(
        _ name: String, _ path: any (WritableKeyPath<Arguments, [Element]> & Sendable), _ help: String,
        isRequired: Bool = true
    ) {
        self.init(
            FieldDescription(
                name: name, help: help, kind: .records, isRequired: isRequired,
                elements: Element.fields.map(\.description)),
            read: { (reader, arguments) throws(ControlError) in
                guard let values = try reader.elements(name) else {
                    if isRequired { throw reader.missing(name) }
                    return
                }
                var elements: [Element] = []
                elements.reserveCapacity(values.count)
                for (index, value) in values.enumerated() {
                    elements.append(try Element(reading: value, at: reader.pointer("\(name)/\(index)")))
                }
                arguments[keyPath: path] = elements
            },
            write: { arguments, json in
                guard isRequired || !arguments[keyPath: path].isEmpty else { return }
                json.beginArray(name)
                for element in arguments[keyPath: path] { element.write(to: &json) }
                json.endArray()
            })
    }

    /// A whole number from a range; the value of `init()` where it is not given.
    init(
        _ name: String, _ path: any (WritableKeyPath<Arguments, Int> & Sendable), in range: ClosedRange<Int>,
        _ help: String
    ) {
        self.init(
            FieldDescription(name: name, help: help, kind: .number, range: range),
            read: { (reader, arguments) throws(ControlError) in
                if let value = try reader.integer(name, in: range) { arguments[keyPath: path] = value }
            },
            write: { arguments, json in json.member(name, arguments[keyPath: path]) })
    }

    /// A whole number from a range.
    public init(
        _ name: String, _ path: any (WritableKeyPath<Arguments, Int?> & Sendable), in range: ClosedRange<Int>,
        _ help: String
    ) {
        description = FieldDescription(name: name, help: help, kind: .number, range: range)
        read = { (reader, arguments) throws(ControlError) in
            if let value = try reader.integer(name, in: range) { arguments[keyPath: path] = value }
        }
        check = { (arguments, place) throws(ControlError) in
            guard let value = arguments[keyPath: path], !range.contains(value) else { return }
            throw MemberReader.outOfRange(name, String(value), range, at: "\(place)/\(name)")
        }
        write = { arguments, json in
            if let value = arguments[keyPath: path] { json.member(name, value) }
        }
    }
}

/// Finds the whole id that a text means; a text that means none stays as it is.
///
/// The place is the JSON pointer of the text, for errors.
public typealias IdentifierResolver = (_ text: String, IdentifierKind, _ place: String) throws(ControlError) -> String

/// How an argument is written where everything is text.
public enum ArgumentKind: Sendable, Hashable {
    case text
    case flag
    case number
    /// It may be given several times.
    case texts
    /// Objects, or one of them.
    case records
}

/// What an argument can be.
public protocol FieldValue: Sendable {
    static var argumentKind: ArgumentKind { get }
    static var isRequired: Bool { get }
    /// nil where it is not given, and need not be.
    static func read(_ name: String, of reader: MemberReader) throws(ControlError) -> Self?
    /// Writes nothing for what is the same as not given.
    func write(_ name: String, to json: inout JSONWriter)
    /// The same with each text changed. The place is the JSON pointer of a text.
    func mapTexts(
        at place: String, _ change: (_ text: String, _ place: String) throws(ControlError) -> String
    ) throws(ControlError) -> Self
}

extension FieldValue {
    public static var isRequired: Bool { false }

    public func mapTexts(
        at place: String, _ change: (_ text: String, _ place: String) throws(ControlError) -> String
    ) throws(ControlError) -> Self { self }
}

/// Has to be given.
extension String: FieldValue {
    public static var argumentKind: ArgumentKind { .text }
    public static var isRequired: Bool { true }

    public static func read(_ name: String, of reader: MemberReader) throws(ControlError) -> String? {
        try reader.requiredText(name)
    }

    public func write(_ name: String, to json: inout JSONWriter) { json.member(name, self) }

    public func mapTexts(
        at place: String, _ change: (_ text: String, _ place: String) throws(ControlError) -> String
    ) throws(ControlError) -> String { try change(self, place) }
}

extension Bool: FieldValue {
    public static var argumentKind: ArgumentKind { .flag }

    public static func read(_ name: String, of reader: MemberReader) throws(ControlError) -> Bool? {
        try reader.flag(name)
    }

    public func write(_ name: String, to json: inout JSONWriter) {
        if self { json.member(name, true) }
    }
}

extension String?: FieldValue {
    public static var argumentKind: ArgumentKind { .text }

    public static func read(_ name: String, of reader: MemberReader) throws(ControlError) -> String?? {
        try reader.text(name)
    }

    public func write(_ name: String, to json: inout JSONWriter) {
        if let self { json.member(name, self) }
    }

    public func mapTexts(
        at place: String, _ change: (_ text: String, _ place: String) throws(ControlError) -> String
    ) throws(ControlError) -> String? {
        guard let self else { return nil }
        return try change(self, place)
    }
}

extension [String]: FieldValue {
    public static var argumentKind: ArgumentKind { .texts }

    public static func read(_ name: String, of reader: MemberReader) throws(ControlError) -> [String]? {
        try reader.texts(name)
    }

    public func write(_ name: String, to json: inout JSONWriter) {
        if !isEmpty { json.member(name, self) }
    }

    public func mapTexts(
        at place: String, _ change: (_ text: String, _ place: String) throws(ControlError) -> String
    ) throws(ControlError) -> [String] {
        var texts: [String] = []
        for (index, text) in enumerated() { texts.append(try change(text, "\(place)/\(index)")) }
        return texts
    }
}

extension RecordValue {
    /// Reads one JSON object. A member that there is not is an error, with the closest that there is.
    public init(reading value: JSONValue?, at place: String = "") throws(ControlError) {
        self.init()
        let fields = Self.fields
        let reader = try MemberReader(value, at: place, allowed: fields.map(\.name))
        for field in fields { try field.read(reader, &self) }
        try checkCombination(at: place)
    }

    /// Appends one JSON object.
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        for field in Self.fields { field.write(self, &json) }
        json.endObject()
    }

    /// Throws where a value that was not read from a request is out of its range.
    public func check() throws(ControlError) {
        for field in Self.fields { try field.check(self, "") }
        try checkCombination(at: "")
    }

    public func checkCombination(at place: String) throws(ControlError) {}

    /// The same with whole ids in the place of their beginnings.
    public func resolvingIdentifiers(_ resolver: IdentifierResolver) throws(ControlError) -> Self {
        var resolved = self
        for field in Self.fields { try field.resolve?(&resolved, resolver) }
        return resolved
    }
}

extension Call {
    public static var fields: [Field<Self>] { operation.fields }
    public var name: String { Self.name }
    public var kind: OperationKind { Self.operation.kind }
    public var waits: Bool { false }
    public var onlyReads: Bool { kind == .read && !waits }
}

/// An operation, whatever its arguments are.
public struct AnyOperation: Sendable {
    public let type: any Call.Type

    init(_ type: any Call.Type) { self.type = type }

    // Made when they are asked for: a line of the socket needs those of its own operation only.
    public var name: String { type.name }
    public var summary: String { type.summary }
    public var kind: OperationKind { type.kind }
    public var arguments: [FieldDescription] { type.arguments }
    public var http: [HTTPForm] { type.http }
}

extension Call {
    fileprivate static var summary: String { operation.summary }
    fileprivate static var kind: OperationKind { operation.kind }
    fileprivate static var arguments: [FieldDescription] { operation.arguments }
    fileprivate static var http: [HTTPForm] { operation.http }
}
