package import UsherJSON

/// Writes TOML: values as a manifest has them.
package enum TOMLText {
    /// A basic string (TOML 1.0), fit for a terminal: JSON's escapes are TOML's, too.
    package static func quoted(_ text: String) -> String {
        var json = JSONWriter()
        json.value(text)
        return json.text
    }

    /// A JSON value in one line: objects become inline tables, members that are null are left out.
    ///
    /// Iterative: nesting takes no stack.
    package static func inline(_ value: JSONValue) -> String {
        enum Piece {
            case text(String)
            case value(JSONValue)
        }
        var text = ""
        var pending: [Piece] = [.value(value)]
        while let piece = pending.popLast() {
            switch piece {
            case .text(let piece): text += piece
            case .value(.null): text += "\"\""
            case .value(.boolean(let flag)): text += flag ? "true" : "false"
            case .value(.number(let digits)): text += digits
            case .value(.string(let content)): text += quoted(content)
            case .value(.array(let elements)):
                text += "["
                pending.append(.text("]"))
                let kept = elements.filter { $0.kind != .null }
                for (index, element) in kept.enumerated().reversed() {
                    pending.append(.value(element))
                    if index > 0 { pending.append(.text(", ")) }
                }
            case .value(.object(let members)):
                let kept = members.filter { $0.value.kind != .null }
                text += kept.isEmpty ? "{" : "{ "
                pending.append(.text(kept.isEmpty ? "}" : " }"))
                for (index, member) in kept.enumerated().reversed() {
                    pending.append(.value(member.value))
                    pending.append(.text((index > 0 ? ", " : "") + quoted(member.name) + " = "))
                }
            }
        }
        return text
    }
}

/// How a TOML string is written: leads from a byte of its value back to where that byte stands in the file.
///
/// All four forms of TOML 1.0, "String": basic and literal, on one line and on several.
enum TOMLStringSyntax {
    /// Where the byte `offset` of the value stands, for a string that opens at `start`; the closing quote for an offset
    /// at or behind the end. O(offset).
    static func sourceOffset(ofValueOffset offset: Int, openingAt start: Int, in bytes: [UInt8]) -> Int {
        guard start < bytes.count, bytes[start] == quote || bytes[start] == apostrophe else { return start }
        let delimiter = bytes[start]
        let isLong = isRun(of: delimiter, at: start, in: bytes)
        var position = start + (isLong ? 3 : 1)
        if isLong { position += lineEndLength(at: position, in: bytes) }
        var decoded = 0
        while position < bytes.count {
            let byte = bytes[position]
            if byte == delimiter, !isLong || isClosing(delimiter, at: position, in: bytes) { return position }
            if delimiter == quote, byte == backslash {
                if isLong, let next = afterTrimmedLineEnd(at: position + 1, in: bytes) {
                    position = next
                    continue
                }
                if decoded >= offset { return position }
                let (written, value) = escape(at: position, in: bytes)
                if decoded + value > offset { return position }
                position += written
                decoded += value
                continue
            }
            if decoded >= offset { return position }
            // A line end counts as one line feed, however it is written.
            let lineEnd = lineEndLength(at: position, in: bytes)
            position += max(1, lineEnd)
            decoded += 1
        }
        return min(position, bytes.count)
    }

    private static let quote = UInt8(ascii: "\"")
    private static let apostrophe = UInt8(ascii: "'")
    private static let backslash = UInt8(ascii: "\\")

    private static func isRun(of byte: UInt8, at start: Int, in bytes: [UInt8]) -> Bool {
        start + 2 < bytes.count && bytes[start + 1] == byte && bytes[start + 2] == byte
    }

    /// Up to two quotes may stand right before the closing three.
    private static func isClosing(_ delimiter: UInt8, at position: Int, in bytes: [UInt8]) -> Bool {
        isRun(of: delimiter, at: position, in: bytes)
            && !(position + 3 < bytes.count && bytes[position + 3] == delimiter)
    }

    private static func lineEndLength(at position: Int, in bytes: [UInt8]) -> Int {
        guard position < bytes.count else { return 0 }
        if bytes[position] == UInt8(ascii: "\n") { return 1 }
        if bytes[position] == UInt8(ascii: "\r"), position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "\n")
        {
            return 2
        }
        return 0
    }

    /// Behind a backslash that ends a line: the next character that is no white space; nil where it does not.
    private static func afterTrimmedLineEnd(at start: Int, in bytes: [UInt8]) -> Int? {
        var position = start
        while position < bytes.count, bytes[position] == UInt8(ascii: " ") || bytes[position] == UInt8(ascii: "\t") {
            position += 1
        }
        guard lineEndLength(at: position, in: bytes) > 0 else { return nil }
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): position += 1
            default: return position
            }
        }
        return position
    }

    /// How many bytes an escape takes in the file, and in the value.
    private static func escape(at position: Int, in bytes: [UInt8]) -> (written: Int, value: Int) {
        guard position + 1 < bytes.count else { return (1, 1) }
        let digits =
            switch bytes[position + 1] {
            case UInt8(ascii: "u"): 4
            case UInt8(ascii: "U"): 8
            default: 0
            }
        guard digits > 0 else { return (2, 1) }
        var value: UInt32 = 0
        for index in position + 2..<min(position + 2 + digits, bytes.count) {
            value = value &* 16 &+ UInt32(Character(Unicode.Scalar(bytes[index])).hexDigitValue ?? 0)
        }
        return (2 + digits, Unicode.Scalar(value).map { String($0).utf8.count } ?? 1)
    }
}
