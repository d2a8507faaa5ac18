internal import UsherText

/// What a template variable stands for: a string, a list, ordered name–value members, or nothing.
///
/// A list or an associative value without members counts as undefined. Values are equal when their UTF-8 bytes are:
/// canonically equivalent texts expand differently and therefore differ.
///
/// RFC 6570, section 2.3.
public enum TemplateValue: Sendable {
    case string(String)
    case list([String])
    case associative([Member])
    case undefined

    /// One member of an associative value; a key may occur more than once.
    public struct Member: Sendable {
        public var key: String
        public var value: String

        public init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }

    /// Whether the variable takes no part in an expansion.
    public var isUndefined: Bool {
        switch self {
        case .undefined: true
        case .string: false
        case .list(let members): members.isEmpty
        case .associative(let members): members.isEmpty
        }
    }
}

extension TemplateValue.Member: Hashable {
    public static func == (left: Self, right: Self) -> Bool {
        left.key.hasSameBytes(as: right.key) && left.value.hasSameBytes(as: right.value)
    }

    public func hash(into hasher: inout Hasher) {
        key.hashBytes(into: &hasher)
        value.hashBytes(into: &hasher)
    }
}

extension TemplateValue: Hashable {
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.list(let left), .list(let right)): left.elementsEqual(right) { $0.hasSameBytes(as: $1) }
        case (.associative(let left), .associative(let right)): left == right
        case (.undefined, .undefined): true
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .string(let text):
            hasher.combine(0)
            text.hashBytes(into: &hasher)
        case .list(let members):
            hasher.combine(1)
            hasher.combine(members.count)
            for member in members { member.hashBytes(into: &hasher) }
        case .associative(let members):
            hasher.combine(2)
            hasher.combine(members)
        case .undefined:
            hasher.combine(3)
        }
    }
}

extension TemplateValue: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: String...) { self = .list(elements) }

    /// Keeps the order in which the members are written.
    public init(dictionaryLiteral elements: (String, String)...) {
        self = .associative(elements.map { Member(key: $0.0, value: $0.1) })
    }
}

extension String {
    func hashBytes(into hasher: inout Hasher) {
        for byte in utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
    }
}
