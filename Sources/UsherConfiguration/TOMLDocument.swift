import CTOML

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
    borrowing func root() -> [TOMLMember] {
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
