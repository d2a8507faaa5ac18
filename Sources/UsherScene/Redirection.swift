/// Where an identifier leads: the hops of redirects and ties, and whether the content still exists (line 0 of the resolution).
public struct Redirection: Sendable, Hashable {
    public struct Hop: Sendable, Hashable {
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            case move, prefix
            /// A tie: stored activities have both identifiers.
            case activity
            /// A tie: links of notes have both.
            case link
        }

        public var from: TargetContentIdentifier
        public var to: TargetContentIdentifier
        public var kind: Kind
        /// Why, for people: `prefix move 3, 2026-03-14`.
        public var note: String
        public init(
            from: TargetContentIdentifier, to: TargetContentIdentifier, kind: Kind = .move, note: String
        ) {
            self.from = from
            self.to = to
            self.kind = kind
            self.note = note
        }

        /// Whether it leads to another identifier that the content has at the same time.
        public var isTie: Bool { kind == .activity || kind == .link }
    }

    public enum End: Sendable, Hashable {
        case content
        /// The content was deleted: when and why, for people.
        case deleted(note: String)
        /// The redirects come back to where they were.
        case loop
    }

    /// What is kept of content that was deleted.
    public struct Tombstone: Sendable, Hashable {
        /// The newest identifier that the content had.
        public var identifier: TargetContentIdentifier
        /// When it was deleted, in microseconds since 1970.
        public var made: Int64
        public var reason: String?
        public init(identifier: TargetContentIdentifier, made: Int64, reason: String?) {
            self.identifier = identifier
            self.made = made
            self.reason = reason
        }
    }

    public var hops: [Hop]
    public var end: End
    /// Where `end` is that the content was deleted.
    public var tombstone: Tombstone?
    /// Further identifiers that lead to the same content as the last hop, independent of the requested identifier:
    /// those with the fewest hops first. A window that was opened under one of them is still the right one.
    public var olderIdentifiers: [TargetContentIdentifier]

    @inlinable public static var none: Redirection { Redirection(hops: [], end: .content) }
    /// More moves than this are an error when they are made, and not followed. Before each of them, there may be a tie.
    public static let maximumHops = 32

    @inlinable public init(
        hops: [Hop], end: End, tombstone: Tombstone? = nil, olderIdentifiers: [TargetContentIdentifier] = []
    ) {
        self.hops = hops
        self.end = end
        self.tombstone = tombstone
        self.olderIdentifiers = olderIdentifiers
    }

    public var isDeleted: Bool { if case .deleted = end { true } else { false } }

    /// Where the identifier leads: the last hop, or itself.
    public func newest(of target: TargetContentIdentifier) -> TargetContentIdentifier { hops.last?.to ?? target }

    /// Where moves alone have led before the first tie; nil where there is none.
    public var firstTied: TargetContentIdentifier? { hops.first { $0.isTie }?.from }

    /// The alias list of an identifier: the newest id first, then every older one that led to it, each once.
    public func aliases(of target: TargetContentIdentifier) -> [TargetContentIdentifier] {
        if hops.isEmpty, olderIdentifiers.isEmpty { return [target] }
        var list: [TargetContentIdentifier] = []
        for id in hops.reversed().flatMap({ [$0.to, $0.from] }) + [target] + olderIdentifiers where !list.contains(id) {
            list.append(id)
        }
        return list
    }
}
