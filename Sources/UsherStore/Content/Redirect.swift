public import UsherScene

extension Store {
    /// A move of content, or the tombstone of deleted content.
    public struct Redirect: Sendable, Hashable {
        public enum Kind: String, Sendable {
            case move
            /// Of everything that begins with the source.
            case prefixMove = "prefix-move"
            case deleted
        }

        /// Never given twice.
        public var number: Int64
        public var kind: Kind
        public var source: TargetContentIdentifier
        /// nil for a tombstone.
        public var destination: TargetContentIdentifier?
        /// In microseconds since 1970.
        public var made: Int64
        public var reason: String?
        /// The day when it was made, in UTC: `2026-03-14`.
        private var day: String

        static let columns = "number, source, destination, is_prefix, made, reason, date(made / 1000000, 'unixepoch')"

        init(_ row: borrowing Statement) {
            number = row.integer(0)
            source = TargetContentIdentifier(row.text(1))
            destination = row.optionalText(2).map { TargetContentIdentifier($0) }
            kind = destination == nil ? .deleted : row.integer(3) == 0 ? .move : .prefixMove
            made = row.integer(4)
            reason = row.optionalText(5)
            // NULL for a time that no calendar has.
            day = row.optionalText(6) ?? "?"
        }
    }
}

extension Store.Redirect {
    var isPrefix: Bool { kind == .prefixMove }

    /// For people: `prefix move 3, 2026-03-14: the site was renamed`.
    public var note: String {
        switch kind {
        case .move: "move \(number), \(day)" + because
        case .prefixMove: "prefix move \(number), \(day)" + because
        case .deleted: "\(source) was deleted on \(day)" + because
        }
    }

    private var because: String { reason.map { ": \($0)" } ?? "" }

    /// Where an identifier goes that begins with the source of a prefix move, or is the source of a move.
    ///
    /// nil for a tombstone, where the result would be too long for an identifier, and where the identifier has been moved
    /// already: https://a/ to https://a/new/ leaves https://a/new/page alone.
    func destination(of id: TargetContentIdentifier) -> TargetContentIdentifier? {
        guard let destination else { return nil }
        guard isPrefix else { return destination }
        if feedsItself, id.begins(with: destination) { return nil }
        return id.replacing(source, by: destination)
    }

    /// Whether what was moved begins with the source again.
    var feedsItself: Bool { destination.map { $0.begins(with: source) } ?? false }
}

extension TargetContentIdentifier {
    /// By bytes.
    func begins(with prefix: TargetContentIdentifier) -> Bool { text.utf8.starts(with: prefix.text.utf8) }

    /// The identifier with another beginning; nil where it would be longer than identifiers are.
    func replacing(
        _ prefix: TargetContentIdentifier, by other: TargetContentIdentifier
    ) -> TargetContentIdentifier? {
        let rest = text.utf8.dropFirst(prefix.text.utf8.count)
        guard other.text.utf8.count + rest.count <= TargetContentIdentifier.maximumLength else { return nil }
        return TargetContentIdentifier(other.text + String(decoding: rest, as: UTF8.self))
    }
}
