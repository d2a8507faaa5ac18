public import UsherJSON

/// A JSON object that is described by its fields.
public protocol RecordValue: FieldValue {
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
    /// What it is answered with: a record, several, or `Nothing`.
    associatedtype Answer: FieldValue
    /// As it stands in a request on the socket: `note.edit`.
    static var name: String { get }
    static var operation: Operation<Self> { get }
    /// Whether an answer may take long: it waits for an app or for deliveries, which may ask for changes meanwhile.
    var waits: Bool { get }
    /// Whether it changes nothing, as a rehearsal of an operation that does.
    var onlyReads: Bool { get }
}

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

extension RecordValue {
    public static var shape: ValueShape { recordShape(nil, "") }

    static func recordShape(_ name: String?, _ help: String) -> ValueShape {
        var shape = ValueShape(.record)
        shape.object = ObjectShape(name, help) { fields.map(\.description) }
        return shape
    }

    public static func read(_ value: JSONValue, _ name: String, at place: String) throws(ControlError) -> Self {
        try Self(reading: value, at: place)
    }

    /// Reads one JSON object. A member that there is not is an error, with the closest that there is.
    public init(reading value: JSONValue?, at place: String = "") throws(ControlError) {
        self.init()
        try readFields(of: value, at: place)
        try checkCombination(at: place)
    }

    /// Reads the members, each by itself.
    public mutating func readFields(of value: JSONValue?, at place: String) throws(ControlError) {
        let fields = Self.fields
        let reader = try MemberReader(value, at: place, allowed: fields.map(\.name))
        for field in fields { try field.read(reader, &self) }
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

    public init(_ type: any Call.Type) { self.type = type }

    // Made when they are asked for: a line of the socket needs those of its own operation only.
    public var name: String { type.name }
    public var summary: String { type.summary }
    public var kind: OperationKind { type.kind }
    public var arguments: [FieldDescription] { type.arguments }
    public var answer: ValueShape { type.answer }
    public var http: [HTTPForm] { type.http }
}

extension Call {
    fileprivate static var summary: String { operation.summary }
    fileprivate static var kind: OperationKind { operation.kind }
    fileprivate static var arguments: [FieldDescription] { operation.arguments }
    fileprivate static var answer: ValueShape { Answer.shape }
    fileprivate static var http: [HTTPForm] { operation.http }
}
