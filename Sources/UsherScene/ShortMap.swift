/// A dictionary of a few entries, in a list: keys are compared, not hashed.
///
/// The type of a dictionary costs 250,000 instructions where it is first used in a process, as much as an eighth of the
/// start of `usher`: the runtime searches for the conformance of its key. So this type asks nothing of its key, its methods
/// do. Each use takes time linear in the number of entries.
public struct ShortMap<Key, Value> {
    private var entries: [(key: Key, value: Value)] = []

    public init() {}

    public var isEmpty: Bool { entries.isEmpty }
    /// In the order in which they were first set.
    public var keys: [Key] { entries.map { $0.key } }
}

extension ShortMap: Sendable where Key: Sendable, Value: Sendable {}

extension ShortMap where Key: Equatable {
    public subscript(key: Key) -> Value? {
        get { entries.first { $0.key == key }?.value }
        set {
            let index = entries.firstIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): entries[index].value = value
            case (let index?, nil): entries.remove(at: index)
            case (nil, let value?): entries.append((key, value))
            case (nil, nil): break
            }
        }
    }
}

extension ShortMap: ExpressibleByDictionaryLiteral where Key: Equatable {
    public init(dictionaryLiteral elements: (Key, Value)...) {
        for (key, value) in elements { self[key] = value }
    }
}

/// The order of entries does not count.
extension ShortMap: Equatable where Key: Equatable, Value: Equatable {
    public static func == (one: Self, other: Self) -> Bool {
        one.entries.count == other.entries.count && one.entries.allSatisfy { other[$0.key] == $0.value }
    }
}

extension ShortMap: Hashable where Key: Hashable, Value: Hashable {
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entries.reduce(0) { $0 ^ $1.key.hashValue })
    }
}
