internal import UsherConfiguration
internal import UsherScene

/// What a reload changed, for the log: apps by id.
struct ConfigurationDifference {
    var added: [String]
    var removed: [String]
    var changed: [String]

    init(from old: Configuration, to new: Configuration) {
        let before = Dictionary(old.apps.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let after = Dictionary(new.apps.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        added = after.keys.filter { before[$0] == nil }.sorted()
        removed = before.keys.filter { after[$0] == nil }.sorted()
        changed = after.keys.filter { id in
            guard let one = before[id], let other = after[id] else { return false }
            // Values without an identity: their whole description is what they are, places in the file included.
            return String(describing: one) != String(describing: other)
        }.sorted()
    }

    var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty }
}
