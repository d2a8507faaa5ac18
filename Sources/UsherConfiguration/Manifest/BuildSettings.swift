import UsherJSON
internal import UsherText

/// Values for the variables of an Info.plist, `$(NAME)` and `${NAME}`: lines `KEY = VALUE` of an Xcode configuration file.
///
/// `//` begins a comment. `#include` is not supported. The value of a key may use other keys.
struct BuildSettings: Sendable {
    private var values: [String: String] = [:]

    /// What cannot be read: the line, from 1, and why.
    struct Fault: Error {
        var line: Int
        var message: String
    }

    init() {}

    init(reading bytes: [UInt8]) throws(Fault) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard let text = String(validating: line, as: UTF8.self) else {
                throw Fault(line: index + 1, message: "the line is not UTF-8")
            }
            let code = BuildSettings.trimmed(BuildSettings.withoutComment(text[...]))
            if code.isEmpty { continue }
            if code.first == "#" {
                throw Fault(line: index + 1, message: "#include is not supported: write the settings into one file")
            }
            guard let equals = code.utf8.firstIndex(of: UInt8(ascii: "=")) else {
                throw Fault(line: index + 1, message: "a line is `KEY = VALUE`")
            }
            let name = String(BuildSettings.trimmed(code[..<equals]))
            guard !name.isEmpty else { throw Fault(line: index + 1, message: "there is no key before `=`") }
            // A setting with conditions, `KEY[sdk=…]`, is for other builds.
            if name.utf8.contains(UInt8(ascii: "[")) { continue }
            values[name] = String(BuildSettings.trimmed(code[code.utf8.index(after: equals)...]))
        }
    }

    private static func withoutComment(_ line: Substring) -> Substring {
        let bytes = line.utf8
        var place = bytes.startIndex
        while place < bytes.endIndex {
            let next = bytes.index(after: place)
            if bytes[place] == UInt8(ascii: "/"), next < bytes.endIndex, bytes[next] == UInt8(ascii: "/") {
                return line[..<place]
            }
            place = next
        }
        return line
    }

    private static func trimmed(_ text: Substring) -> Substring { Substring(text.utf8.trimmed(" \t\r")) }

    /// Sets a key that has no value yet.
    mutating func setDefault(_ name: String, _ value: String) {
        if values[name] == nil { values[name] = value }
    }

    /// A value that uses itself ends at this depth.
    private static let deepest = 16
    /// How many names without a value are remembered.
    private static let mostUnknown = 100

    private struct Expansion {
        /// Names without a value, or with a value that uses itself.
        var unknown: [String] = []
        /// What the values may still add, in bytes: values can use each other many times.
        var room = 4 << 20
    }

    private func expand(_ text: String, _ expansion: inout Expansion) -> String {
        // The text and the values in it that are being read, the innermost last.
        var open = [Array(text.utf8)[...]]
        var result: [UInt8] = []
        while var bytes = open.popLast() {
            guard let dollar = bytes.firstIndex(of: UInt8(ascii: "$")) else {
                result += bytes
                continue
            }
            result += bytes[..<dollar]
            bytes = bytes[dollar...]
            guard let close = bytes.dropFirst().first.flatMap({ BuildSettings.closing[$0] }) else {
                result.append(bytes.removeFirst())
                open.append(bytes)
                continue
            }
            guard let end = bytes.firstIndex(of: close) else {
                result += bytes
                continue
            }
            let name = String(decoding: bytes[(dollar + 2)..<end], as: UTF8.self)
            open.append(bytes[(end + 1)...])
            if let value = values[name], open.count <= BuildSettings.deepest, value.utf8.count < expansion.room {
                // Empty values take room, too.
                expansion.room -= value.utf8.count + 16
                open.append(Array(value.utf8)[...])
            } else {
                if expansion.unknown.count < BuildSettings.mostUnknown, !expansion.unknown.contains(name) {
                    expansion.unknown.append(name)
                }
                result += bytes[...end]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static let closing: [UInt8: UInt8] = [
        UInt8(ascii: "("): UInt8(ascii: ")"), UInt8(ascii: "{"): UInt8(ascii: "}"),
    ]

    /// The tree with the variables of all strings replaced, and the names without a value in each used string.
    ///
    /// - Parameter used: the members of the root whose strings are used.
    func expand(_ tree: JSONValue, used: [String]) -> (tree: JSONValue, unknown: [String]) {
        var expansion = Expansion()
        guard let members = tree.members else { return (tree, []) }
        let expanded = members.map { member -> JSONValue.Member in
            guard used.contains(where: { $0.hasSameBytes(as: member.name) }) else { return member }
            return JSONValue.Member(member.name, expandStrings(member.value, &expansion))
        }
        return (.object(expanded), expansion.unknown)
    }

    // The depth of a property list is limited where it is read.
    private func expandStrings(_ value: JSONValue, _ expansion: inout Expansion) -> JSONValue {
        if let text = value.string { return .string(expand(text, &expansion)) }
        if let elements = value.elements { return .array(elements.map { expandStrings($0, &expansion) }) }
        if let members = value.members {
            return .object(members.map { .init($0.name, expandStrings($0.value, &expansion)) })
        }
        return value
    }
}
