public import UsherScene
internal import UsherText

/// What a text means among the ids of one kind: a whole id, or the beginning of one.
public enum IdentifierResolution: Sendable, Hashable {
    /// The whole id that is meant.
    case one(String)
    /// The beginning of several ids: the first of them, and whether there are more.
    case several([String], hasMore: Bool)
    case none

    /// How many of several ids are named.
    static let namedIDs = 20
}

extension Store {
    /// What a text means among the ids of one kind.
    ///
    /// A whole id goes first, for deliveries that of the sender as well; then a beginning of at least four digits, of either
    /// case, with or without hyphens. One look-up in the index of the ids.
    public func resolve(_ text: String, as kind: IdentifierKind) throws(StoreError) -> IdentifierResolution {
        try read { (state) throws(StoreError) in try state.resolve(text, as: kind) }
    }

    /// The shortest beginning of each id, of at least four characters, that no other id of the kind has.
    public func shortIdentifiers(of ids: [String], _ kind: IdentifierKind) throws(StoreError) -> [String] {
        try read { (state) throws(StoreError) in
            var short: [String] = []
            for id in ids { short.append(try state.shortIdentifier(of: id, kind)) }
            return short
        }
    }
}

extension StoreState {
    fileprivate mutating func resolve(
        _ text: String, as kind: IdentifierKind
    ) throws(StoreError) -> IdentifierResolution {
        if kind == .delivery, let id = try id(ofDelivery: text) { return .one(id) }
        guard let beginning = UUIDv7.beginning(text) else { return .none }
        let (least, greatest) = kind.bounds(of: beginning)
        let found = try rows(
            "SELECT id FROM \(kind.rawValue) WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?",
            [least, greatest, .integer(Int64(IdentifierResolution.namedIDs + 1))], kind.id(in:))
        switch found.count {
        case 0: return .none
        case 1: return .one(found[0])
        default:
            let named = Array(found.prefix(IdentifierResolution.namedIDs))
            return .several(named, hasMore: found.count > named.count)
        }
    }

    fileprivate mutating func shortIdentifier(of id: String, _ kind: IdentifierKind) throws(StoreError) -> String {
        // Only ids of ours are found by their beginnings.
        guard UUIDv7.isOne(id), let value = kind.value(of: id) else { return id }
        var shared = 0
        for neighbour in ["id < ? ORDER BY id DESC", "id > ? ORDER BY id"] {
            let query = "SELECT id FROM \(kind.rawValue) WHERE \(neighbour) LIMIT 1"
            guard let other = try first(query, [value], kind.id(in:)) else { continue }
            shared = max(shared, zip(id.utf8, other.utf8).prefix { $0 == $1 }.count)
        }
        return String(decoding: id.utf8.prefix(max(UUIDv7.shortest, shared + 1)), as: UTF8.self)
    }
}

extension IdentifierKind {
    /// Deliveries have ids that are text, everything else has bytes.
    private var isText: Bool { self == .delivery }

    fileprivate func value(of id: String) -> SQLiteValue? { isText ? .text(id) : SQLiteValue(identifier: id) }

    fileprivate func id(in row: borrowing Statement) throws(StoreError) -> String {
        isText ? row.text(0) : try row.identifier(0)
    }

    /// The values between which the ids are that begin so.
    fileprivate func bounds(of beginning: String) -> (SQLiteValue, SQLiteValue) {
        // No digit comes after a tilde.
        if isText { return (.text(beginning), .text(beginning + "~")) }
        let (least, greatest) = UUIDv7.bounds(ofBeginning: beginning)
        return (.blob(least), .blob(greatest))
    }
}
