public import UsherJSON
public import UsherScene

/// What a request can say, or an answer says, in one member: for descriptions of the interface.
public struct FieldDescription: Sendable {
    public let name: String
    /// One line, without a full stop.
    public let help: String
    public let shape: ValueShape
    /// Whether an object without it is none.
    public var isRequired = false
    /// Of a number.
    public var range: ClosedRange<Int>?
    /// What the text, or each of several, is an id of: the beginning of one will do.
    public var identifies: IdentifierKind?

    public init(
        name: String, help: String, shape: ValueShape, isRequired: Bool = false, range: ClosedRange<Int>? = nil,
        identifies: IdentifierKind? = nil
    ) {
        (self.name, self.help, self.shape, self.isRequired) = (name, help, shape, isRequired)
        (self.range, self.identifies) = (range, identifies)
    }

    public var kind: ValueShape.Kind { shape.kind }
    public var choices: [String] { shape.choices }
    /// The members of each object of `records`.
    public var elements: [FieldDescription] { shape.object?.fields ?? [] }
}

/// One member of an object: its name, and where it stands in the value.
public struct Field<Object>: Sendable {
    /// Where a member stands in the value. Evaluated at each use, not when the field is made: the runtime makes a key path at
    /// its first use, in 30,000 instructions, and keeps it.
    public typealias Path<Value> = @Sendable () -> any (WritableKeyPath<Object, Value> & Sendable)

    public let description: FieldDescription
    public var name: String { description.name }
    let read: @Sendable (MemberReader, inout Object) throws(ControlError) -> Void
    /// Throws for a value that no request may have.
    let check: @Sendable (Object, _ place: String) throws(ControlError) -> Void
    /// Appends the member; nothing where it is not there.
    public let write: @Sendable (Object, inout JSONWriter) -> Void
    /// Puts whole ids in the place of what they were given as; nil for a member without ids.
    private(set) var resolve: (@Sendable (inout Object, IdentifierResolver) throws(ControlError) -> Void)?

    public init(
        _ description: FieldDescription,
        read: @escaping @Sendable (MemberReader, inout Object) throws(ControlError) -> Void,
        check: @escaping @Sendable (Object, String) throws(ControlError) -> Void = { _, _ in },
        write: @escaping @Sendable (Object, inout JSONWriter) -> Void
    ) {
        self.description = description
        self.read = read
        self.check = check
        self.write = write
    }

    /// A member with a form of its own.
    ///
    /// - Parameter write: writes nothing for what is the same as not given.
    public init(
        _ name: String, _ kind: ValueShape.Kind, _ help: String, choices: [String] = [],
        read: @escaping @Sendable (MemberReader, inout Object) throws(ControlError) -> Void,
        write: @escaping @Sendable (Object, inout JSONWriter) -> Void
    ) {
        var shape = ValueShape(kind)
        shape.choices = choices
        self.init(FieldDescription(name: name, help: help, shape: shape), read: read, write: write)
    }

    /// The same member of a value that holds this one.
    public func within<Whole>(_ path: @autoclosure @escaping Field<Whole>.Path<Object>) -> Field<Whole> {
        var field = Field<Whole>(
            description,
            read: { [read] (reader, whole) throws(ControlError) in try read(reader, &whole[keyPath: path()]) },
            check: { [check] (whole, place) throws(ControlError) in try check(whole[keyPath: path()], place) },
            write: { [write] whole, json in write(whole[keyPath: path()], &json) })
        if let resolve {
            field.resolve = { (whole, resolver) throws(ControlError) in try resolve(&whole[keyPath: path()], resolver) }
        }
        return field
    }
}

// MARK: - Arguments

extension Field {
    /// A member of a request.
    ///
    /// - Parameters:
    ///   - kind: what the texts are ids of, if they are.
    ///   - isRequired: whether it has to be given, if the type does not say it; else it is that of `init()`.
    public init<Value: FieldValue>(
        _ name: String, _ path: @autoclosure @escaping Path<Value>, _ help: String,
        identifies kind: IdentifierKind? = nil, isRequired: Bool = Value.isRequired
    ) {
        self.init(
            FieldDescription(name: name, help: help, shape: Value.shape, isRequired: isRequired, identifies: kind),
            read: { (reader, object) throws(ControlError) in
                if let value = reader.value(name) {
                    object[keyPath: path()] = try Value.read(value, name, at: reader.pointer(name))
                } else if isRequired {
                    throw reader.missing(name)
                }
            },
            write: { object, json in
                let value = object[keyPath: path()]
                guard isRequired || value.isGiven else { return }
                json.key(name)
                value.write(to: &json)
            })
        if let kind {
            resolve = { (arguments, resolver) throws(ControlError) in
                let value = arguments[keyPath: path()]
                arguments[keyPath: path()] = try value.mapTexts(at: "/\(name)") { (text, place) throws(ControlError) in
                    try resolver(text, kind, place)
                }
            }
        }
    }

    /// One of some words.
    public init(
        _ name: String, _ path: @autoclosure @escaping Path<String?>, oneOf choices: [String],
        _ help: String
    ) {
        @Sendable func check(_ text: String, at place: String) throws(ControlError) {
            if !choices.contains(text) { throw .unknown(.controlArgument, name, text, among: choices, at: place) }
        }
        var shape = ValueShape(.text)
        shape.choices = choices
        self.init(
            FieldDescription(name: name, help: help, shape: shape),
            read: { (reader, arguments) throws(ControlError) in
                guard let text = try reader.text(name) else { return }
                try check(text, at: reader.pointer(name))
                arguments[keyPath: path()] = text
            },
            check: { (arguments, place) throws(ControlError) in
                if let text = arguments[keyPath: path()] { try check(text, at: "\(place)/\(name)") }
            },
            write: { arguments, json in
                if let text = arguments[keyPath: path()] { json.member(name, text) }
            })
    }

    /// A whole number from a range; the value of `init()` where it is not given.
    public init(
        _ name: String, _ path: @autoclosure @escaping Path<Int>, in range: ClosedRange<Int>, _ help: String
    ) {
        self.init(
            name, in: range, help, get: { $0[keyPath: path()] }, set: { $0[keyPath: path()] = $1 })
    }

    /// A whole number from a range.
    public init(
        _ name: String, _ path: @autoclosure @escaping Path<Int?>, in range: ClosedRange<Int>, _ help: String
    ) {
        self.init(
            name, in: range, help, get: { $0[keyPath: path()] }, set: { $0[keyPath: path()] = $1 })
    }

    private init(
        _ name: String, in range: ClosedRange<Int>, _ help: String,
        get: @escaping @Sendable (Object) -> Int?, set: @escaping @Sendable (inout Object, Int) -> Void
    ) {
        self.init(
            FieldDescription(name: name, help: help, shape: ValueShape(.number), range: range),
            read: { (reader, arguments) throws(ControlError) in
                if let value = try reader.integer(name, in: range) { set(&arguments, value) }
            },
            check: { (arguments, place) throws(ControlError) in
                guard let value = get(arguments), !range.contains(value) else { return }
                throw MemberReader.outOfRange(name, String(value), range, at: "\(place)/\(name)")
            },
            write: { arguments, json in
                if let value = get(arguments) { json.member(name, value) }
            })
    }
}

// MARK: - Answers

extension Field {
    /// A member that every object has: null where there is no value.
    ///
    /// - Parameter keywords: more of JSON Schema; instead of what the type says.
    public init<Value: FieldValue>(
        always name: String, _ path: @autoclosure @escaping Path<Value>, _ help: String = "",
        _ keywords: JSONValue = [:]
    ) {
        self.init(name, path(), help, keywords, isAlways: true)
    }

    /// A member that an object has only where there is a value: no flag that is false, no list that is empty.
    ///
    /// - Parameter keywords: more of JSON Schema; instead of what the type says.
    public init<Value: FieldValue>(
        ifAny name: String, _ path: @autoclosure @escaping Path<Value>, _ help: String = "",
        _ keywords: JSONValue = [:]
    ) {
        self.init(name, path(), help, keywords, isAlways: false)
    }

    private init<Value: FieldValue>(
        _ name: String, _ path: @autoclosure @escaping Path<Value>, _ help: String,
        _ keywords: JSONValue, isAlways: Bool
    ) {
        var shape = Value.shape
        let keepsNull = !isAlways && shape.isOptionalOfNullable
        if !isAlways { shape.isNullable = keepsNull }
        shape.keywords += keywords.members ?? []
        let isNeeded = isAlways && !shape.isNullable && shape.kind != .json
        self.init(
            FieldDescription(name: name, help: help, shape: shape, isRequired: isAlways),
            read: { (reader, object) throws(ControlError) in
                if let value = reader.value(name) {
                    object[keyPath: path()] = try Value.read(value, name, at: reader.pointer(name))
                } else if isNeeded {
                    throw reader.missing(name)
                } else if keepsNull, reader.has(name) {
                    object[keyPath: path()] = try Value.read(.null, name, at: reader.pointer(name))
                }
            },
            write: { object, json in
                let value = object[keyPath: path()]
                guard isAlways || value.isGiven else { return }
                json.key(name)
                value.write(to: &json)
            })
    }

    /// A member that is the same in every object.
    public init(constant name: String, _ value: JSONValue) {
        var shape = ValueShape(.json)
        shape.keywords = [.init("const", value)]
        self.init(
            FieldDescription(name: name, help: "", shape: shape, isRequired: true), read: { _, _ in },
            write: { _, json in
                json.key(name)
                json.value(value)
            })
    }

    /// A member that is null in every object.
    public init(null name: String) {
        var shape = ValueShape(.json)
        shape.keywords = [.init("type", "null")]
        self.init(
            FieldDescription(name: name, help: "", shape: shape, isRequired: true), read: { _, _ in },
            write: { _, json in json.nullMember(name) })
    }

    /// A member that is an object, whose members are of the same value.
    public init(always name: String, _ help: String = "", members: [Field<Object>]) {
        var shape = ValueShape(.record)
        shape.object = ObjectShape(nil) { members.map(\.description) }
        self.init(
            FieldDescription(name: name, help: help, shape: shape, isRequired: true),
            read: { (reader, object) throws(ControlError) in
                let inner = try MemberReader(reader.value(name), at: reader.pointer(name), allowed: nil)
                for field in members { try field.read(inner, &object) }
            },
            write: { object, json in
                json.beginObject(name)
                for field in members { field.write(object, &json) }
                json.endObject()
            })
    }
}

/// Finds the whole id that a text means; a text that means none stays as it is.
///
/// The place is the JSON pointer of the text, for errors.
public typealias IdentifierResolver = (_ text: String, IdentifierKind, _ place: String) throws(ControlError) -> String
