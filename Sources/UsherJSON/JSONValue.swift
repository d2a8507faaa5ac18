internal import UsherText

/// A JSON value by itself: for cold paths, where a tree is handier than a document's tape.
///
/// Members keep their order; numbers keep their text, so that nothing is lost on the way through. Equality compares
/// bytes (names and strings equal only after Unicode normalisation differ) and the order of members.
public enum JSONValue: Sendable {
    case null
    case boolean(Bool)
    /// The digits as written.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    public struct Member: Sendable {
        public var name: String
        public var value: JSONValue

        public init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// Parses a text; see `JSONDocument` for what is refused.
    public init(
        parsing bytes: [UInt8], maximumDepth: Int = 512, allowsRepeatedNames: Bool = false
    ) throws(JSONError) {
        var document = JSONDocument(maximumDepth: maximumDepth, allowsRepeatedNames: allowsRepeatedNames)
        try document.parse(bytes)
        self = document.root.map { document.value($0) } ?? .null
    }
}

extension JSONValue {
    public var kind: JSONKind {
        switch self {
        case .null: .null
        case .boolean: .boolean
        case .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }

    public var string: String? { if case .string(let value) = self { value } else { nil } }

    public var elements: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

    public var members: [Member]? { if case .object(let value) = self { value } else { nil } }

    public var numberText: String? { if case .number(let value) = self { value } else { nil } }

    /// A number's value where it is whole and fits.
    public var int64: Int64? {
        guard let numberText else { return nil }
        let text = Array(numberText.utf8)
        return JSONNumberParts(text.span).integer(text.span)
    }

    /// The first member of this name, compared by bytes; nil also where the value is no object.
    public subscript(name: String) -> JSONValue? {
        members?.first { $0.name.hasSameBytes(as: name) }?.value
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }

    public init(booleanLiteral value: Bool) { self = .boolean(value) }

    public init(integerLiteral value: Int64) { self = .number(String(value)) }

    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }

    public init(nilLiteral: ()) { self = .null }
}

// MARK: - Building

// Trees from tapes and texts from trees, each with a stack of its own instead of recursion.

extension JSONDocument {
    /// The value as a tree; O(its size).
    public func value(_ element: JSONElement) -> JSONValue {
        var open: [OpenValue] = []
        var node = element.index
        let end = following(node)
        while node < end {
            let current = JSONElement(node)
            var finished: JSONValue?
            switch tape[node].kind {
            case .null: finished = .null
            case .true: finished = .boolean(true)
            case .false: finished = .boolean(false)
            case .integer, .number: finished = .number(numberText(current) ?? "")
            case .string, .escapedString:
                let text = string(current) ?? ""
                if let last = open.indices.last, open[last].isObject, open[last].name == nil {
                    open[last].name = text
                } else {
                    finished = .string(text)
                }
            case .array, .object:
                open.append(OpenValue(isObject: tape[node].kind == .object, end: Int(tape[node].link)))
            }
            node += 1
            // A value that ends may end the containers around it.
            while true {
                if let value = finished {
                    guard let last = open.indices.last else { return value }
                    open[last].add(value)
                    finished = nil
                }
                guard let last = open.last, last.end == node else { break }
                open.removeLast()
                finished = last.value
            }
        }
        return .null
    }

    private struct OpenValue {
        var isObject: Bool
        var end: Int
        var name: String?
        var elements: [JSONValue] = []
        var members: [JSONValue.Member] = []

        mutating func add(_ value: JSONValue) {
            if isObject {
                members.append(JSONValue.Member(name ?? "", value))
                name = nil
            } else {
                elements.append(value)
            }
        }

        var value: JSONValue { isObject ? .object(members) : .array(elements) }
    }
}

extension JSONWriter {
    /// Writes a tree.
    public mutating func value(_ value: JSONValue) {
        var work: [Step] = [.value(value)]
        while let step = work.popLast() {
            switch step {
            case .endArray: endArray()
            case .endObject: endObject()
            case .member(let member):
                key(member.name)
                work.append(.value(member.value))
            case .value(.null): null()
            case .value(.boolean(let value)): self.value(value)
            case .value(.number(let text)): raw(text.utf8)
            case .value(.string(let text)): self.value(text)
            case .value(.array(let elements)):
                beginArray()
                work.append(.endArray)
                for element in elements.reversed() { work.append(.value(element)) }
            case .value(.object(let members)):
                beginObject()
                work.append(.endObject)
                for member in members.reversed() { work.append(.member(member)) }
            }
        }
    }

    public mutating func member(_ name: String, _ value: JSONValue) {
        key(name)
        self.value(value)
    }

    private enum Step {
        case value(JSONValue)
        case member(JSONValue.Member)
        case endArray, endObject
    }
}

extension JSONValue {
    /// The text of the value.
    public func text(escaping: JSONWriter.Escaping = .terminal, pretty: Bool = false) -> String {
        var writer = JSONWriter(escaping: escaping, pretty: pretty)
        writer.value(self)
        return writer.text
    }
}

extension JSONValue: Equatable {
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        var work = [(left, right)]
        while let pair = work.popLast() {
            switch pair {
            case (.null, .null): continue
            case (.boolean(let a), .boolean(let b)): if a != b { return false }
            case (.number(let a), .number(let b)): if a != b { return false }
            case (.string(let a), .string(let b)): if !a.hasSameBytes(as: b) { return false }
            case (.array(let a), .array(let b)):
                guard a.count == b.count else { return false }
                work.append(contentsOf: zip(a, b))
            case (.object(let a), .object(let b)):
                guard a.count == b.count else { return false }
                for (x, y) in zip(a, b) {
                    guard x.name.hasSameBytes(as: y.name) else { return false }
                    work.append((x.value, y.value))
                }
            default: return false
            }
        }
        return true
    }
}
