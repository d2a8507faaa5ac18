import CPropertyList
import Glibc

/// A property list, XML or binary, read by libplist; freed with this value.
@safe
struct PropertyList: ~Copyable {
    private let root: plist_t

    static let maximumSize = 1 << 20
    /// libplist parses and frees by recursion: lists that nest deeper, or could, are refused.
    private static let maximumDepth = 128
    private static let maximumContainers = 4096

    /// nil for what is no property list.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= PropertyList.maximumSize, PropertyList.isShallow(bytes) else { return nil }
        var node: plist_t?
        unsafe bytes.withUnsafeBytes { buffer in
            guard let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
            unsafe plist_from_memory(start, UInt32(buffer.count), &node)
        }
        guard let node = unsafe node else { return nil }
        unsafe root = node
    }

    deinit { unsafe plist_free(root) }

    /// The list in the types of TOML, which has as many. Dates, data and references are left out of their containers.
    borrowing func value(at region: SourceRegion) -> TOMLValue {
        // Breadth first, as children then stand behind their parents and nesting takes no stack.
        var nodes: [(node: plist_t, key: String)] = unsafe [(root, "")]
        var children: [Range<Int>] = []
        var index = 0
        while unsafe index < nodes.count {
            let first = unsafe nodes.count
            unsafe appendChildren(of: nodes[index].node, to: &nodes)
            children.append(unsafe first..<nodes.count)
            index += 1
        }
        var values: [TOMLMember?] = Array(repeating: nil, count: children.count)
        for index in children.indices.reversed() {
            let members = children[index].compactMap { values[$0] }
            for child in children[index] { values[child] = nil }
            guard let content = unsafe content(of: nodes[index].node, members) else { continue }
            values[index] = unsafe TOMLMember(
                key: nodes[index].key, keyRegion: region, value: TOMLValue(content: content, region: region))
        }
        return values.first??.value ?? TOMLValue(content: .table([]), region: region)
    }

    private borrowing func appendChildren(of node: plist_t, to nodes: inout [(node: plist_t, key: String)]) {
        switch unsafe plist_get_node_type(node) {
        case PLIST_ARRAY:
            for index in 0..<(unsafe plist_array_get_size(node)) {
                if let item = unsafe plist_array_get_item(node, index) { unsafe nodes.append((item, "")) }
            }
        case PLIST_DICT:
            var iterator: plist_dict_iter?
            unsafe plist_dict_new_iter(node, &iterator)
            defer { unsafe free(iterator) }
            while true {
                var key: UnsafeMutablePointer<CChar>?
                var item: plist_t?
                unsafe plist_dict_next_item(node, iterator, &key, &item)
                guard let item = unsafe item, let name = unsafe key else { return }
                unsafe nodes.append((item, String(cString: name)))
                unsafe free(name)
            }
        default: break
        }
    }

    private borrowing func content(of node: plist_t, _ members: [TOMLMember]) -> TOMLValue.Content? {
        switch unsafe plist_get_node_type(node) {
        case PLIST_STRING:
            var text: UnsafeMutablePointer<CChar>?
            unsafe plist_get_string_val(node, &text)
            guard let text = unsafe text else { return nil }
            defer { unsafe free(text) }
            return unsafe .string(String(cString: text))
        case PLIST_BOOLEAN:
            var flag: UInt8 = 0
            unsafe plist_get_bool_val(node, &flag)
            return .boolean(flag != 0)
        case PLIST_UINT:
            var number: UInt64 = 0
            unsafe plist_get_uint_val(node, &number)
            return .integer(Int64(bitPattern: number))
        case PLIST_REAL:
            var number: Double = 0
            unsafe plist_get_real_val(node, &number)
            return number.isFinite ? .float(number) : nil
        case PLIST_ARRAY: return .array(members.map(\.value))
        case PLIST_DICT: return .table(members)
        default: return nil
        }
    }

    private static func isShallow(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: "bplist".utf8) ? hasFewContainers(bytes) : isShallowXML(bytes)
    }

    private static func isShallowXML(_ bytes: [UInt8]) -> Bool {
        var depth = 0
        for index in bytes.indices where bytes[index] == UInt8(ascii: "<") {
            let rest = bytes[(index + 1)...]
            if rest.starts(with: "array".utf8) || rest.starts(with: "dict".utf8) {
                depth += 1
                if depth > maximumDepth { return false }
            } else if rest.starts(with: "/array".utf8) || rest.starts(with: "/dict".utf8) {
                depth -= 1
            }
        }
        return true
    }

    /// By the trailer and the table of offsets; a list cannot nest deeper than it has containers.
    private static func hasFewContainers(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 40 else { return false }
        let trailer = bytes[(bytes.count - 32)...]
        let offsetSize = Int(trailer[trailer.startIndex + 6])
        func number(_ range: Range<Int>) -> Int? {
            range.upperBound <= bytes.count ? range.reduce(0) { $0 &* 256 &+ Int(bytes[$1]) } : nil
        }
        let end = bytes.count - 32
        guard let count = number(end + 8..<end + 16), let table = number(end + 24..<end + 32),
            (1...8).contains(offsetSize), (0...bytes.count).contains(count), (0...bytes.count).contains(table)
        else { return false }
        var containers = 0
        for object in 0..<count {
            let place = table + object * offsetSize
            guard let offset = number(place..<place + offsetSize), bytes.indices.contains(offset) else { return false }
            if bytes[offset] & 0xF0 == 0xA0 || bytes[offset] & 0xF0 == 0xD0 { containers += 1 }
        }
        return containers <= maximumContainers
    }
}

/// Property lists, such as an app's Info.plist, as JSON text.
public enum PropertyListText {
    /// The most bytes that are read of one.
    public static let maximumSize = PropertyList.maximumSize

    /// The dictionary of a property list, XML or binary, as a JSON object; dates and data are left out.
    ///
    /// - Returns: nil for what is no property list, is too large or nests too deep, or has no dictionary outermost.
    public static func json(of bytes: [UInt8]) -> String? {
        let start = SourcePosition(line: 1, column: 1)
        let region = SourceRegion(begin: start, end: start)
        guard let list = PropertyList(bytes), case .table(let members) = list.value(at: region).content else {
            return nil
        }
        return try? JSONText.object(members, region: region)
    }
}
