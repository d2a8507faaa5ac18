/// Why a text is not JSON, and where.
///
/// Offsets count bytes from the start of the parsed range. `pointer` names the innermost value that was being read
/// (RFC 6901); an empty pointer is the whole document.
public struct JSONError: Error, Hashable, Sendable {
    /// The stable names of everything that can be wrong with a text.
    public enum Code: String, CaseIterable, Sendable {
        case empty = "json.empty"
        case byteOrderMark = "json.bom"
        case invalidUTF8 = "json.invalid-utf8"
        case syntax = "json.syntax"
        case trailingData = "json.trailing-data"
        case duplicateKey = "json.duplicate-key"
        case depth = "json.depth"
        case numberRange = "json.number-range"
        case loneSurrogate = "json.lone-surrogate"
        case tooLarge = "json.too-large"
    }

    public var code: Code
    /// Bytes from the start of the parsed range; at most its length.
    public var offset: Int
    /// The place as a JSON pointer.
    public var pointer = ""
    /// What stands there, ready to print: control characters and bytes above ASCII are named, never copied.
    public var found: String
    /// What could have stood there, or nil where nothing could.
    public var expected: String?

    /// One sentence for people, without the place.
    public var message: String {
        switch code {
        case .empty: "nothing but white space: expected a JSON value"
        case .byteOrderMark: "the text begins with a byte order mark"
        case .invalidUTF8: "not UTF-8: \(found)"
        case .syntax: expected.map { "expected \($0), found \(found)" } ?? "unexpected \(found)"
        case .trailingData: "found \(found) after the end of the value"
        case .duplicateKey: "the member \(found) appears twice in one object"
        case .depth: "nested too deep: \(found)"
        case .numberRange: "the number \(found) is beyond the range of a double"
        case .loneSurrogate: "\(found) is half of a surrogate pair"
        case .tooLarge: "the text has \(found)"
        }
    }
}

extension JSONError: CustomStringConvertible {
    public var description: String {
        "\(code.rawValue) at byte \(offset)\(pointer.isEmpty ? "" : " (\(pointer))"): \(message)"
    }
}
