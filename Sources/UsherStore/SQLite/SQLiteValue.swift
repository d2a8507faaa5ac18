internal import UsherText

/// What is bound to a parameter of a statement.
package enum SQLiteValue: Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    package init(_ text: String?) { self = text.map { .text($0) } ?? .null }
    package init(_ bytes: [UInt8]?) { self = bytes.map { .blob($0) } ?? .null }
    package init(_ integer: Int64?) { self = integer.map { .integer($0) } ?? .null }

    /// An identifier as the store keeps it, in sixteen bytes; nil for a text that is not one of ours.
    package init?(identifier text: String) {
        guard let bytes = UUIDv7.bytes(of: text) else { return nil }
        self = .blob(bytes)
    }
}
