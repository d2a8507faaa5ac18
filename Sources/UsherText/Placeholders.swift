/// The `{placeholders}` in a text of a manifest or a hook.
public enum Placeholders {
    public struct Occurrence: Hashable, Sendable {
        public var name: String
        /// Of the opening brace, in UTF-8 bytes.
        public var offset: Int
        /// In bytes, braces included.
        public var count: Int
    }

    /// A name between braces. Other braces are left to `strayBrace`; doubled braces are text.
    ///
    /// - Parameter hasGroups: whether a dot may be in a name, as in `{header.NAME}`.
    public static func occurrences(in text: String, hasGroups: Bool = false) -> [Occurrence] {
        let bytes = Array(text.utf8)
        var found: [Occurrence] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "{") else {
                index += 1
                continue
            }
            // Doubled braces are braces.
            if index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "{") {
                index += 2
                continue
            }
            var end = index + 1
            while end < bytes.count, isNameByte(bytes[end]) || hasGroups && bytes[end] == UInt8(ascii: ".") { end += 1 }
            if end < bytes.count, bytes[end] == UInt8(ascii: "}"), end > index + 1 {
                let name = String(decoding: bytes[index + 1..<end], as: UTF8.self)
                found.append(Occurrence(name: name, offset: index, count: end + 1 - index))
            }
            index = end
        }
        return found
    }

    /// Names in doubled braces, which are text: other programs have their placeholders so. Of the outer brace.
    public static func doubled(in text: String) -> [Occurrence] {
        let bytes = Array(text.utf8)
        var found: [Occurrence] = []
        var index = 0
        while index + 1 < bytes.count {
            guard bytes[index] == UInt8(ascii: "{") else {
                index += 1
                continue
            }
            guard bytes[index + 1] == UInt8(ascii: "{") else {
                index += 2
                continue
            }
            let rest = bytes[(index + 2)...].drop { $0 == UInt8(ascii: " ") }
            let name = rest.prefix { isNameByte($0) || $0 == UInt8(ascii: ".") }
            let behind = rest.dropFirst(name.count).drop { $0 == UInt8(ascii: " ") }
            if !name.isEmpty, behind.starts(with: "}}".utf8) {
                let end = behind.startIndex + 2
                found.append(
                    Occurrence(name: String(decoding: name, as: UTF8.self), offset: index, count: end - index))
            }
            index += 2
        }
        return found
    }

    /// The offset of the first brace that is neither doubled nor part of one of these placeholders, in UTF-8 bytes; nil
    /// where there is none.
    public static func strayBrace(in text: String, besides placeholders: [Occurrence]) -> Int? {
        let bytes = Array(text.utf8)
        var names = placeholders[...]
        var index = 0
        while index < bytes.count {
            if let name = names.first, name.offset == index {
                names.removeFirst()
                index += name.count
                continue
            }
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "}"):
                guard index + 1 < bytes.count, bytes[index + 1] == bytes[index] else { return index }
                index += 2
            default: index += 1
            }
        }
        return nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit || "-_".utf8.contains(byte) }
}
