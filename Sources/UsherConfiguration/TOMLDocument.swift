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

/// Why a file has no members.
struct Refusal: Error {
    var diagnostic: ConfigurationDiagnostic
}

extension TOMLDocument {
    /// The members of a file's root table.
    ///
    /// - Throws: the first thing that keeps it from being TOML, told so that a newcomer can mend it.
    static func members(of file: SourceFile) throws(Refusal) -> [TOMLMember] {
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
            let position = error.region?.begin ?? SourcePosition(line: 1, column: 1)
            let (message, help) = TOMLErrorText.explain(error.message, in: file, at: position)
            throw refusal(.tomlSyntax, in: file, at: position, message, help: help)
        }
    }

    private static func refusal(
        _ code: DiagnosticCode, in file: SourceFile, at position: SourcePosition, _ message: String, help: String?
    ) -> Refusal {
        Refusal(
            diagnostic: ConfigurationDiagnostic(
                .error, code, path: file.path, location: file.location(position), message: message, help: help,
                sourceLine: String(decoding: file.line(position.line), as: UTF8.self)))
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
