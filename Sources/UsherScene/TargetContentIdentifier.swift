internal import UsherText

/// An opaque string that names content, usually a URL.
///
/// Never trimmed, folded, decoded or normalised: two identifiers are equal when their UTF-8 bytes are, as in SQLite and
/// in every backend. (Swift's own `String` comparison holds `é` and `e` + U+0301 equal; this type exists so that it
/// doesn't.)
public struct TargetContentIdentifier: Sendable, CustomStringConvertible {
    public let text: String

    public init(_ text: String) { self.text = text }

    public var description: String { text }

    /// The longest identifier that is accepted, in bytes.
    public static let maximumLength = 16 * 1024
}

extension TargetContentIdentifier: Hashable {
    public static func == (one: Self, other: Self) -> Bool {
        one.text.hasSameBytes(as: other.text)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
