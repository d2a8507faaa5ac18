internal import UsherText

/// A JSON pointer that was read: the way to one value of a document (RFC 6901).
public struct JSONReference: Sendable {
    /// As it was written; empty for the whole document.
    public let text: String
    /// Its reference tokens, unescaped.
    public let tokens: [String]

    /// Nil where the text is no pointer: it does not begin with `/`, or has a `~` without 0 or 1 behind it.
    public init?(_ text: String) {
        var tokens: [[UInt8]] = []
        var isEscape = false
        for byte in text.utf8 {
            if isEscape {
                guard byte == 0x30 || byte == 0x31 else { return nil }
                tokens[tokens.count - 1].append(byte == 0x30 ? 0x7E : 0x2F)
                isEscape = false
            } else if byte == 0x2F {
                tokens.append([])
            } else if tokens.isEmpty {
                return nil
            } else if byte == 0x7E {
                isEscape = true
            } else {
                tokens[tokens.count - 1].append(byte)
            }
        }
        guard !isEscape else { return nil }
        self.text = text
        self.tokens = tokens.map { String(decoding: $0, as: UTF8.self) }
    }

    /// A token as the position in an array: digits without a leading zero (RFC 6901, section 4).
    static func index(_ token: String) -> Int? {
        let digits = token.utf8
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }), digits.count == 1 || digits.first != 0x30 else {
            return nil
        }
        return Int(token)
    }
}

extension JSONReference: Hashable {
    public static func == (one: Self, other: Self) -> Bool { one.text.hasSameBytes(as: other.text) }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension JSONDocument {
    /// The value that a pointer leads to from another value; nil where the way ends before.
    public func value(at reference: JSONReference, from start: JSONElement) -> JSONElement? {
        var current = start
        for token in reference.tokens {
            switch kind(current) {
            case .object:
                guard let next = value(token, in: current) else { return nil }
                current = next
            case .array:
                guard let index = JSONReference.index(token), let next = element(index, of: current) else { return nil }
                current = next
            case .null, .boolean, .number, .string: return nil
            }
        }
        return current
    }

    /// An array's element at a position from 0; O(position).
    private func element(_ index: Int, of array: JSONElement) -> JSONElement? {
        var next = firstElement(array)
        var position = 0
        while let element = next, position < index {
            next = nextElement(element, in: array)
            position += 1
        }
        return next
    }
}
