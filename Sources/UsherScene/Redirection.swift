/// Where an identifier leads: the hops of redirects, and whether the content still exists (line 0 of the resolution).
public struct Redirection: Sendable, Hashable {
    public struct Hop: Sendable, Hashable {
        public var from: TargetContentIdentifier
        public var to: TargetContentIdentifier
        /// Why, for people: `prefix move 3, 2026-03-14`.
        public var note: String
        public init(from: TargetContentIdentifier, to: TargetContentIdentifier, note: String) {
            self.from = from
            self.to = to
            self.note = note
        }
    }

    public enum End: Sendable, Hashable {
        case content
        /// The content was deleted: when and why, for people.
        case deleted(note: String)
        /// The redirects come back to where they were.
        case loop
    }

    public var hops: [Hop]
    public var end: End
    /// Further identifiers that lead to the same content as the last hop, whoever asked: those with the fewest hops first.
    /// A window that was opened under one of them is still the right one.
    public var olderIdentifiers: [TargetContentIdentifier]

    public static let none = Redirection(hops: [], end: .content)
    /// More hops than this are an error when they are made, and not followed.
    public static let maximumHops = 32

    public init(hops: [Hop], end: End, olderIdentifiers: [TargetContentIdentifier] = []) {
        self.hops = hops
        self.end = end
        self.olderIdentifiers = olderIdentifiers
    }

    /// The alias list of an identifier: the newest id first, then every older one that led to it, each once.
    public func aliases(of target: TargetContentIdentifier) -> [TargetContentIdentifier] {
        var list: [TargetContentIdentifier] = []
        for id in hops.reversed().flatMap({ [$0.to, $0.from] }) + [target] + olderIdentifiers where !list.contains(id) {
            list.append(id)
        }
        return list
    }
}
