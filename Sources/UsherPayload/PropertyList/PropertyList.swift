public import UsherJSON
internal import UsherText

/// Reads property lists, XML (version 1.0) and binary (`bplist00`), within fixed limits.
///
/// Apple: plist(5), CFBinaryPList.c. Both forms are read without recursion. A binary list may refer to one object from
/// many places; each reference counts as a value of its own, so a small file cannot become a large tree.
public enum PropertyList {
    /// The most bytes that are read of one.
    public static let maximumSize = 1 << 20
    static let maximumDepth = 128
    /// Values and keys, each as often as it is referred to.
    static let maximumValues = 100_000
    /// Bytes of text, each as often as it is referred to.
    static let maximumText = 4 << 20

    /// The list as a tree. Dates, data, identifiers (UID), null and numbers that are not finite are left out of their
    /// containers. O(size of the tree).
    ///
    /// - Throws: where and why the bytes are no property list, or which limit they exceed.
    public static func value(of bytes: [UInt8]) throws(PropertyListError) -> JSONValue {
        guard bytes.count <= maximumSize else { throw PropertyListError("it has more than \(maximumSize) bytes") }
        if bytes.starts(with: "bplist".utf8) { return try BinaryPropertyList(bytes).value() }
        var xml = XMLPropertyList(bytes)
        return try xml.value()
    }
}

/// Why bytes are not read as a property list.
public struct PropertyListError: Error, Hashable, Sendable {
    /// The place (a line of XML, a byte of the binary form), and what is wrong there; no full stop.
    public var message: String

    package init(_ message: String) { self.message = message }
}

/// The tree of a list while it is read, and its limits.
private struct PropertyListTree {
    private struct Container {
        var isDictionary: Bool
        var key: String?
        var members: [JSONValue.Member] = []
        var elements: [JSONValue] = []
        var keys: Set<[UInt8]> = []
    }

    private var open: [Container] = []
    private var values = 0
    private var textSize = 0
    private(set) var root: JSONValue?
    /// Whether the outermost value has ended, which may be one that is left out.
    private(set) var isComplete = false

    /// Whether a key has to be next.
    var expectsKey: Bool { open.last.map { $0.isDictionary && $0.key == nil } ?? false }
    var isInDictionary: Bool { open.last?.isDictionary ?? false }

    /// Counts values before they are read, so that what is still to be read is limited, too.
    mutating func reserve(_ count: Int) throws(PropertyListError) {
        guard count <= PropertyList.maximumValues - values else {
            throw PropertyListError(
                "it has more than \(PropertyList.maximumValues) values, shared ones counted each time")
        }
        values += count
    }

    mutating func begin(isDictionary: Bool) throws(PropertyListError) {
        guard open.count < PropertyList.maximumDepth else {
            throw PropertyListError("it nests deeper than \(PropertyList.maximumDepth) levels, or contains itself")
        }
        open.append(Container(isDictionary: isDictionary))
    }

    mutating func end() throws(PropertyListError) {
        guard let container = open.popLast() else { return }
        try add(container.isDictionary ? .object(container.members) : .array(container.elements))
    }

    mutating func key(_ text: String) throws(PropertyListError) {
        try count(text)
        guard let last = open.indices.last, open[last].keys.insert(Array(text.utf8)).inserted else {
            throw PropertyListError("a dictionary has the key \(PayloadReader.printable(text)) twice")
        }
        open[last].key = text
    }

    /// Adds a value to the innermost container; nil stands for one that is left out.
    mutating func add(_ value: JSONValue?) throws(PropertyListError) {
        if let text = value?.string { try count(text) }
        guard let last = open.indices.last else {
            root = value
            isComplete = true
            return
        }
        if open[last].isDictionary {
            if let value, let key = open[last].key { open[last].members.append(JSONValue.Member(key, value)) }
            open[last].key = nil
        } else if let value {
            open[last].elements.append(value)
        }
    }

    private mutating func count(_ text: String) throws(PropertyListError) {
        guard !text.utf8.contains(0) else { throw PropertyListError("a text contains a NUL") }
        textSize += text.utf8.count
        guard textSize <= PropertyList.maximumText else {
            throw PropertyListError(
                "it has more than \(PropertyList.maximumText) bytes of text, shared ones counted each time")
        }
    }
}

private func number(_ value: Double) -> JSONValue? {
    guard value.isFinite else { return nil }
    var json = JSONWriter()
    json.value(value)
    return .number(json.text)
}

// MARK: - Binary

/// The binary form: objects, a table of their offsets, and a trailer of 32 bytes.
private struct BinaryPropertyList {
    private enum Step {
        case value(Int)
        case key(Int)
        case end
    }

    private let bytes: [UInt8]
    private let referenceSize: Int
    private let count: Int
    private let top: Int
    private let offsetSize: Int
    private let table: Int

    init(_ bytes: [UInt8]) throws(PropertyListError) {
        let trailer = bytes.count - 32
        guard bytes.starts(with: "bplist00".utf8), trailer >= 8 else {
            throw PropertyListError("it is no complete binary property list of version 00")
        }
        func number(at place: Int) -> Int? {
            bytes[place..<place + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }.asInt
        }
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard let count = number(at: trailer + 8), let top = number(at: trailer + 16),
            let table = number(at: trailer + 24), (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            table >= 8, table <= trailer, count <= (trailer - table) / offsetSize, top < count
        else { throw PropertyListError("byte \(trailer): the trailer of the binary property list is wrong") }
        (self.bytes, self.count, self.top, self.table) = (bytes, count, top, table)
    }

    func value() throws(PropertyListError) -> JSONValue {
        var tree = PropertyListTree()
        try tree.reserve(1)
        var work: [Step] = [.value(top)]
        while let step = work.popLast() {
            switch step {
            case .end: try tree.end()
            case .key(let object):
                let place = try place(of: object)
                guard let key = try text(at: place) else {
                    throw PropertyListError("byte \(place): a key of a dictionary is no string")
                }
                try tree.key(key)
            case .value(let object): try read(object, into: &tree, &work)
            }
        }
        return tree.root ?? .null
    }

    private func read(_ object: Int, into tree: inout PropertyListTree, _ work: inout [Step]) throws(PropertyListError)
    {
        let place = try place(of: object)
        let kind = bytes[place]
        switch kind & 0xF0 {
        case 0x00 where kind == 0x08 || kind == 0x09: try tree.add(.boolean(kind == 0x09))
        case 0x00 where kind == 0x00: try tree.add(nil)
        case 0x10: try tree.add(.number(String(try integer(at: place))))
        case 0x20 where kind == 0x22:
            try tree.add(number(Double(Float(bitPattern: UInt32(truncatingIfNeeded: try bits(at: place + 1, 4))))))
        case 0x20 where kind == 0x23: try tree.add(number(Double(bitPattern: try bits(at: place + 1, 8))))
        // Dates, data, identifiers.
        case 0x30 where kind == 0x33, 0x40, 0x80: try tree.add(nil)
        case 0x50, 0x60, 0x70: try tree.add(try text(at: place).map { .string($0) })
        case 0xA0, 0xC0:
            let (first, count) = try items(at: place, size: referenceSize)
            try tree.reserve(count)
            try tree.begin(isDictionary: false)
            work.append(.end)
            for index in (0..<count).reversed() { work.append(.value(try reference(first, index))) }
        case 0xD0:
            let (first, count) = try items(at: place, size: 2 * referenceSize)
            try tree.reserve(2 * count)
            try tree.begin(isDictionary: true)
            work.append(.end)
            for index in (0..<count).reversed() {
                work.append(.value(try reference(first, count + index)))
                work.append(.key(try reference(first, index)))
            }
        default: throw PropertyListError("byte \(place): there is no kind of object \(kind)")
        }
    }

    private func place(of object: Int) throws(PropertyListError) -> Int {
        guard object < count, let place = try bits(at: table + object * offsetSize, offsetSize).asInt, place >= 8,
            place < table
        else { throw PropertyListError("object \(object) of the binary property list is outside of it") }
        return place
    }

    private func reference(_ first: Int, _ index: Int) throws(PropertyListError) -> Int {
        try bits(at: first + index * referenceSize, referenceSize).asInt ?? Int.max
    }

    /// Nil where the object is no string.
    private func text(at place: Int) throws(PropertyListError) -> String? {
        let text: String?
        switch bytes[place] & 0xF0 {
        // ASCII, or UTF-8.
        case 0x50, 0x70:
            let (first, count) = try items(at: place, size: 1)
            text = String(validating: bytes[first..<first + count], as: UTF8.self)
        case 0x60:
            let (first, count) = try items(at: place, size: 2)
            let units = (0..<count).map { UInt16(bytes[first + 2 * $0]) << 8 | UInt16(bytes[first + 2 * $0 + 1]) }
            text = String(validating: units, as: UTF16.self)
        default: return nil
        }
        guard let text else { throw PropertyListError("byte \(place): a string is no valid Unicode") }
        return text
    }

    /// Where an object's items begin, and how many there are; all of them are there.
    private func items(at place: Int, size: Int) throws(PropertyListError) -> (first: Int, count: Int) {
        var (first, count) = (place + 1, Int(bytes[place] & 15))
        if count == 15 {
            guard first < table, bytes[first] & 0xF0 == 0x10 else {
                throw PropertyListError("byte \(place): an object has no length")
            }
            let length = try integer(at: first)
            first += 1 + 1 << Int(bytes[first] & 15)
            guard length >= 0, length <= Int64(bytes.count) else {
                throw PropertyListError("byte \(place): an object is longer than the list")
            }
            count = Int(length)
        }
        guard first <= table, count <= (table - first) / size else {
            throw PropertyListError("byte \(place): an object is longer than the list")
        }
        return (first, count)
    }

    /// Integers of 1, 2 and 4 bytes have no sign.
    private func integer(at place: Int) throws(PropertyListError) -> Int64 {
        switch bytes[place] & 15 {
        case 0...2: return Int64(try bits(at: place + 1, 1 << Int(bytes[place] & 15)))
        case 3: return Int64(bitPattern: try bits(at: place + 1, 8))
        case 4:
            let (high, low) = (try bits(at: place + 1, 8), Int64(bitPattern: try bits(at: place + 9, 8)))
            guard high == (low < 0 ? UInt64.max : 0) else { break }
            return low
        default: break
        }
        throw PropertyListError("byte \(place): an integer has more than 64 bits")
    }

    /// Up to eight bytes, the highest first.
    private func bits(at place: Int, _ size: Int) throws(PropertyListError) -> UInt64 {
        guard place + size <= bytes.count - 32 else {
            throw PropertyListError("byte \(place): the binary property list ends too early")
        }
        return bytes[place..<place + size].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension UInt64 {
    fileprivate var asInt: Int? { Int(exactly: self) }
}

// MARK: - XML

/// The XML form: the elements of Apple's DTD, with comments, CDATA and the references that XML itself defines. A document
/// type with declarations of its own is refused.
private struct XMLPropertyList {
    private struct Tag {
        var name: String
        var isEnd = false
        /// Written as `<name/>`.
        var isEmpty = false
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    mutating func value() throws(PropertyListError) -> JSONValue {
        var tree = PropertyListTree()
        var open: [String] = []
        while let tag = try nextTag() {
            if tag.isEnd {
                let openName = open.popLast()
                guard openName == tag.name else {
                    throw error("</\(tag.name)> closes \(openName.map { "<\($0)>" } ?? "nothing")")
                }
                if tag.name == "plist" { continue }
                guard !tree.isInDictionary || tree.expectsKey else { throw error("a key has no value") }
                try tree.end()
                continue
            }
            if tag.name == "plist", open.isEmpty, !tree.isComplete, !tag.isEmpty {
                open.append(tag.name)
                continue
            }
            guard !tree.isComplete else { throw error("there is more than one value") }
            try tree.reserve(1)
            guard tree.expectsKey == (tag.name == "key") else {
                throw error(
                    tree.expectsKey
                        ? "<\(tag.name)> stands where a key has to be" : "a key stands where a value has to be")
            }
            switch tag.name {
            case "dict", "array":
                try tree.begin(isDictionary: tag.name == "dict")
                if tag.isEmpty { try tree.end() } else { open.append(tag.name) }
            default: try readLeaf(tag, into: &tree)
            }
        }
        if let name = open.last { throw error("<\(name)> is not closed") }
        guard tree.isComplete else { throw error("there is no value") }
        return tree.root ?? .null
    }

    private mutating func readLeaf(_ tag: Tag, into tree: inout PropertyListTree) throws(PropertyListError) {
        let text = tag.isEmpty ? "" : try content(of: tag.name)
        switch tag.name {
        case "key": try tree.key(text)
        case "string": try tree.add(.string(text))
        case "true", "false": try tree.add(.boolean(tag.name == "true"))
        case "integer":
            guard let value = XMLPropertyList.integer(text) else {
                throw error("\(PayloadReader.printable(text)) is no integer of 64 bits")
            }
            try tree.add(.number(String(value)))
        case "real":
            guard let value = Double(XMLPropertyList.word(text)) else {
                throw error("\(PayloadReader.printable(text)) is no number")
            }
            try tree.add(number(value))
        case "date", "data": try tree.add(nil)
        default: throw error("there is no element <\(tag.name)>")
        }
    }

    /// The one word of a number, without the white space around it.
    private static func word(_ text: String) -> Substring {
        let words = text.split(whereSeparator: \.isWhitespace)
        return words.count == 1 ? words[0] : ""
    }

    /// Decimal, or hexadecimal behind `0x`.
    private static func integer(_ text: String) -> Int64? {
        let digits = word(text)
        let unsigned = digits.hasPrefix("-") || digits.hasPrefix("+") ? digits.dropFirst() : digits
        guard unsigned.hasPrefix("0x") || unsigned.hasPrefix("0X") else { return Int64(digits) }
        let hexadecimal = unsigned.dropFirst(2)
        guard hexadecimal.first?.isHexDigit ?? false else { return nil }
        return Int64((digits.hasPrefix("-") ? "-" : "") + hexadecimal, radix: 16)
    }

    /// The next tag, behind white space, comments and processing instructions; nil at the end.
    private mutating func nextTag() throws(PropertyListError) -> Tag? {
        while position < bytes.count {
            let byte = bytes[position]
            if XMLPropertyList.isBlank(byte) {
                position += 1
            } else if byte != UInt8(ascii: "<") {
                throw error(
                    position == 0
                        ? "it begins neither with an XML tag nor with bplist00" : "text stands between elements")
            } else if try !skipMarkup() {
                return try tag()
            }
        }
        return nil
    }

    /// Whether a comment, a processing instruction or a document type was there, and is skipped.
    private mutating func skipMarkup() throws(PropertyListError) -> Bool {
        if has("<!--") {
            try skip(past: "-->")
        } else if has("<?") {
            try skip(past: "?>")
        } else if has("<!DOCTYPE") {
            while position < bytes.count, bytes[position] != UInt8(ascii: ">") {
                guard bytes[position] != UInt8(ascii: "[") else {
                    throw error("a document type with declarations is not read")
                }
                position += 1
            }
            try skip(past: ">")
        } else {
            return false
        }
        return true
    }

    private mutating func tag() throws(PropertyListError) -> Tag {
        position += 1
        var tag = Tag(name: "")
        if has("/") {
            tag.isEnd = true
            position += 1
        }
        let start = position
        while position < bytes.count, bytes[position].isASCIILetterOrDigit { position += 1 }
        guard position > start, position - start <= 16 else { throw error("there is a tag without a known name") }
        tag.name = String(decoding: bytes[start..<position], as: UTF8.self)
        // Attributes, such as the version of <plist>, mean nothing here.
        var quote: UInt8?
        while position < bytes.count, quote != nil || bytes[position] != UInt8(ascii: ">") {
            let byte = bytes[position]
            if byte == quote {
                quote = nil
            } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if quote == nil, byte == UInt8(ascii: "<") {
                throw error("<\(tag.name) is not closed")
            }
            position += 1
        }
        tag.isEmpty = !tag.isEnd && bytes[position - 1] == UInt8(ascii: "/")
        try skip(past: ">")
        return tag
    }

    /// The text up to the end tag, which is passed.
    private mutating func content(of name: String) throws(PropertyListError) -> String {
        var text: [UInt8] = []
        while position < bytes.count {
            if has("<![CDATA[") {
                position += 9
                let start = position
                try skip(past: "]]>")
                text += bytes[start..<position - 3]
            } else if has("<!--") {
                try skip(past: "-->")
            } else if bytes[position] == UInt8(ascii: "<") {
                let end = try tag()
                guard end.isEnd, end.name == name else { throw error("<\(name)> has an element <\(end.name)> in it") }
                guard let valid = String(validating: text, as: UTF8.self) else { throw error("a text is no UTF-8") }
                return valid
            } else if bytes[position] == UInt8(ascii: "&") {
                text += try reference()
            } else {
                text.append(bytes[position])
                position += 1
            }
        }
        throw error("<\(name)> is not closed")
    }

    /// `&amp;`, `&#38;`, `&#x26;`.
    private mutating func reference() throws(PropertyListError) -> [UInt8] {
        let end = bytes[position...].prefix(12).firstIndex(of: UInt8(ascii: ";")) ?? position
        let name = String(decoding: bytes[position..<end].dropFirst(), as: UTF8.self)
        let known = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
        var value = known[name]
        if name.hasPrefix("#x") {
            value = UInt32(name.dropFirst(2), radix: 16).flatMap(XMLPropertyList.character)
        } else if name.hasPrefix("#") {
            value = UInt32(name.dropFirst()).flatMap(XMLPropertyList.character)
        }
        guard let value else { throw error("there is a reference that XML does not define") }
        position = end + 1
        return Array(value.utf8)
    }

    private static func character(_ value: UInt32) -> String? {
        value == 0 ? nil : Unicode.Scalar(value).map { String($0) }
    }

    private func has(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    private mutating func skip(past text: String) throws(PropertyListError) {
        var end = position
        while end < bytes.count, !bytes[end...].starts(with: text.utf8) { end += 1 }
        guard end < bytes.count else { throw error("\(text) is missing") }
        position = end + text.utf8.count
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    private func error(_ text: String) -> PropertyListError {
        let line = bytes[..<min(position, bytes.count)].reduce(1) { $1 == 0x0A ? $0 + 1 : $0 }
        return PropertyListError("line \(line): \(text)")
    }
}
