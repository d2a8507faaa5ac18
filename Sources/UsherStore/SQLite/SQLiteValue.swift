/// What is bound to a parameter of a statement.
package enum SQLiteValue: Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    package init(_ text: String?) { self = text.map { .text($0) } ?? .null }
    package init(_ integer: Int64?) { self = integer.map { .integer($0) } ?? .null }
}
