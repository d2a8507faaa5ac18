import CTOML
import UsherScene

/// A document that toml++ has read; freed with this value.
@safe
struct TOMLDocument: ~Copyable {
    private let handle: OpaquePointer

    /// - Throws: what is wrong with the document, or `.memory`.
    init(parsing bytes: [UInt8]) throws(TOMLError) {
        let parsed = unsafe bytes.withUnsafeBytes { buffer in
            unsafe usher_toml_parse(buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
        }
        guard let parsed = unsafe parsed else { throw TOMLError(message: "there is not enough memory", region: nil) }
        var region = usher_toml_region()
        if let text = unsafe usher_toml_error(parsed, &region) {
            let message = unsafe String(cString: text)
            unsafe usher_toml_free(parsed)
            throw TOMLError(message: message, region: SourceRegion(region))
        }
        unsafe handle = parsed
    }

    deinit { unsafe usher_toml_free(handle) }

    /// The members of the root table, in the order of the file.
    private borrowing func root() -> [TOMLMember] {
        let count = unsafe usher_toml_node_count(handle)
        // Children stand behind their parents: from the end, each node finds its own complete.
        var members: [TOMLMember?] = Array(repeating: nil, count: count)
        for index in stride(from: count - 1, through: 0, by: -1) {
            let node = unsafe usher_toml_node_at(handle, index)
            let first = unsafe Int(node.first_child)
            let children = unsafe first..<(first + Int(node.child_count))
            let content: TOMLValue.Content
            switch unsafe node.kind {
            case USHER_TOML_TABLE.rawValue:
                content = .table(
                    children.compactMap { members[$0] }.sorted { $0.keyRegion.begin < $1.keyRegion.begin })
            case USHER_TOML_ARRAY.rawValue: content = .array(children.compactMap { members[$0]?.value })
            case USHER_TOML_STRING.rawValue: content = unsafe .string(text(node.text, node.text_length))
            case USHER_TOML_INTEGER.rawValue: content = unsafe .integer(node.integer)
            case USHER_TOML_BOOLEAN.rawValue: content = unsafe .boolean(node.integer != 0)
            case USHER_TOML_FLOAT.rawValue: content = unsafe .float(node.floating)
            default: content = .date
            }
            for child in children { members[child] = nil }
            let region = unsafe SourceRegion(node.region)
            members[index] = unsafe TOMLMember(
                key: text(node.key, node.key_length), keyRegion: SourceRegion(node.key_region),
                value: TOMLValue(content: content, region: region))
        }
        guard case .table(let root)? = members.first??.value.content else { return [] }
        return root
    }

    private borrowing func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
        guard let start = unsafe start else { return "" }
        return unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
}

/// Why a text is no TOML document.
struct TOMLError: Error, Hashable {
    var message: String
    var region: SourceRegion?
}

extension SourceRegion {
    fileprivate init(_ region: usher_toml_region) {
        begin = SourcePosition(line: max(1, Int(region.begin_line)), column: max(1, Int(region.begin_column)))
        end = SourcePosition(line: max(1, Int(region.end_line)), column: max(1, Int(region.end_column)))
    }
}

// MARK: - Diagnostics

extension TOMLDocument {
    /// The members of a file's root table.
    ///
    /// - Throws: the first syntax error, worded so that a newcomer can correct it.
    static func members(of file: SourceFile) throws(ConfigurationDiagnostic) -> [TOMLMember] {
        if let invalid = file.firstInvalidByte() {
            throw refusal(
                .configurationNotUTF8, in: file, at: file.position(of: invalid),
                "the file is not UTF-8 from here on",
                help: "save it as UTF-8, the encoding of TOML files (the byte is 0x\(hexadecimal(file.bytes[invalid])))"
            )
        }
        if let deep = TOMLNesting.violation(in: file.bytes) {
            throw refusal(
                .configurationTooDeep, in: file, at: file.position(of: deep), "tables and lists nest too deep here",
                help: "no key of a manifest needs more than a few levels")
        }
        do {
            return try TOMLDocument(parsing: file.bytes).root()
        } catch {
            let position = error.region?.begin ?? .start
            let (message, help) = TOMLErrorText.explain(error.message, in: file, at: position)
            throw refusal(.tomlSyntax, in: file, at: position, message, help: help)
        }
    }

    private static func refusal(
        _ code: DiagnosticCode, in file: SourceFile, at position: SourcePosition, _ message: String, help: String?
    ) -> ConfigurationDiagnostic {
        ConfigurationDiagnostic(
            .error, code, path: file.path, location: file.location(position), message: message, help: help,
            sourceLine: String(decoding: file.line(position.line), as: UTF8.self))
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}

extension SourceFile {
    /// The first byte that is not part of a character.
    fileprivate func firstInvalidByte() -> Int? {
        // The usual case is checked at the library's speed.
        if String(validating: bytes, as: UTF8.self) != nil { return nil }
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var offset = 0
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): offset += UTF8.width(scalar)
            case .emptyInput: return nil
            case .error: return min(offset, bytes.count - 1)
            }
        }
    }
}

/// A value of a TOML document, with its place.
struct TOMLValue: Sendable {
    enum Content: Sendable {
        case string(String)
        case integer(Int64)
        case boolean(Bool)
        case float(Double)
        case date
        case array([TOMLValue])
        case table([TOMLMember])
    }

    var content: Content
    var region: SourceRegion

    /// What it is, for people.
    var kind: String {
        switch content {
        case .string: "a string"
        case .integer: "an integer"
        case .boolean: "a boolean"
        case .float: "a floating-point number"
        case .date: "a date or time"
        case .array(let elements):
            if elements.isEmpty {
                "an empty list"
            } else if elements.allSatisfy({ if case .table = $0.content { true } else { false } }) {
                "a list of tables"
            } else {
                "a list"
            }
        case .table: "a table"
        }
    }
}

/// A key of a table and its value.
struct TOMLMember: Sendable {
    var key: String
    var keyRegion: SourceRegion
    var value: TOMLValue
}

/// Bounds the nesting of a document before it is parsed: toml++ parses and frees nested values by recursion.
///
/// Sound for whatever toml++ accepts: strings and comments are distinguished as TOML 1.0 does, and toml++ stops at the
/// first byte that is not TOML.
private enum TOMLNesting {
    private static let maximumBrackets = 32
    private static let maximumDots = 32

    /// The byte at which nesting becomes too deep, or nil.
    static func violation(in bytes: [UInt8]) -> Int? {
        var position = 0
        var brackets = 0
        /// The dots of the dotted key that may be under way.
        var dots = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "#"):
                while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
                continue
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                position = afterString(at: position, in: bytes)
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                brackets += 1
                dots = 0
                if brackets > maximumBrackets { return position }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                brackets = max(0, brackets - 1)
                dots = 0
            case UInt8(ascii: "."):
                dots += 1
                if dots > maximumDots { return position }
            case UInt8(ascii: "="), UInt8(ascii: ","), UInt8(ascii: "\n"), UInt8(ascii: ":"): dots = 0
            default: break
            }
            position += 1
        }
        return nil
    }

    private static func afterString(at start: Int, in bytes: [UInt8]) -> Int {
        let delimiter = bytes[start]
        let isLong = start + 2 < bytes.count && bytes[start + 1] == delimiter && bytes[start + 2] == delimiter
        var position = start + (isLong ? 3 : 1)
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\\"), delimiter == UInt8(ascii: "\"") {
                position += 2
            } else if byte == delimiter {
                if !isLong { return position + 1 }
                if position + 2 < bytes.count, bytes[position + 1] == delimiter, bytes[position + 2] == delimiter {
                    position += 3
                    // Up to two quotes may stand right before the closing three.
                    var extra = 0
                    while extra < 2, position < bytes.count, bytes[position] == delimiter {
                        position += 1
                        extra += 1
                    }
                    return position
                }
                position += 1
            } else if byte == UInt8(ascii: "\n"), !isLong {
                // Not closed: toml++ stops here.
                return position
            } else {
                position += 1
            }
        }
        return bytes.count
    }
}

/// Says in plain words what toml++ says in its own.
private enum TOMLErrorText {
    static func explain(_ text: String, in file: SourceFile, at position: SourcePosition) -> (String, help: String?) {
        var message = text
        if text.hasPrefix("Error while parsing "), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
            let subject = text[..<colon].dropFirst("Error while parsing ".utf8.count)
            let rest = text[text.utf8.index(after: colon)...].drop { $0 == " " }
            message = "this is not TOML (\(subject)): \(rest)"
        }
        if text.contains("expected '='") {
            let help =
                assignment(in: file, at: position).map { "a key and its value are joined by `=`: \($0)" }
                ?? "a key and its value are joined by `=`, and a table begins with its name in brackets: [targets]"
            return (message, help)
        }
        if text.contains("could not determine value type") {
            return (
                "this is no value", "text stands in quotes: \"…\"; otherwise a number, true, false, [list] or {table}"
            )
        }
        if text.contains("cannot redefine existing") {
            return (message, "a name can be set once in a table; [[double brackets]] add one more table to a list")
        }
        if text.contains("inline table"), text.contains("'\\n'") {
            return (message, "an inline table {…} stays on one line, and no comma stands behind its last value")
        }
        if text.contains("unknown escape sequence") {
            return (message, "write '…' with single quotes, in which a backslash is itself, or double the backslash")
        }
        if text.contains("string"), text.contains("control characters") || text.contains("end-of-file") {
            return (message, "the closing quote is missing, or stands on another line; '''…''' may have several lines")
        }
        if text.contains("expected a comment or whitespace") {
            return (message, "a text with quotes in it stands in single quotes: opens = 'SELF == \"x\"'")
        }
        return (message, nil)
    }

    /// A line such as `id: a` or `id "a"` as TOML: its key is parted from its value by another sign, or by none.
    private static func assignment(in file: SourceFile, at position: SourcePosition) -> String? {
        let line = file.line(position.line)
        let end = file.offset(of: position)
        guard line.startIndex <= end, end <= line.endIndex else { return nil }
        func text(_ bytes: ArraySlice<UInt8>) -> String {
            let words = bytes.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
                .prefix { $0.first != UInt8(ascii: "#") }
            return String(decoding: Array(words.joined(separator: [UInt8(ascii: " ")])), as: UTF8.self)
        }
        let key = text(line[..<end])
        let rest = line[end...]
        let value = text(rest.first == UInt8(ascii: ":") ? rest.dropFirst() : rest)
        guard !key.isEmpty, let first = value.utf8.first, value.utf8.count <= 80 else { return nil }
        let isValue = value == "true" || value == "false" || "\"'[{0123456789+-".utf8.contains(first)
        return "\(key) = \(isValue ? value : TOMLText.quoted(value))"
    }
}
