/// A dictionary by names that are the same only byte for byte.
///
/// A dictionary with `[UInt8]` for its key says the same, but its type takes half a million instructions where it is first used
/// in a process: the runtime searches for the conformance of the key. That of `String` is known by then.
package struct NameMap<Value> {
    /// Names that are canonically equivalent share a group.
    @usableFromInline var groups: [String: [(name: String, value: Value)]] = [:]

    @inlinable package init() {}

    @inlinable package subscript(name: String) -> Value? {
        get {
            guard let group = groups[name] else { return nil }
            for entry in group where entry.name.hasSameBytes(as: name) { return entry.value }
            return nil
        }
        set {
            var group = groups[name] ?? []
            group.removeAll { $0.name.hasSameBytes(as: name) }
            if let newValue { group.append((name, newValue)) }
            groups[name] = group
        }
    }

    /// The value of the first name that is canonically equivalent: it looks the same.
    @inlinable package func alike(_ name: String) -> Value? { groups[name]?.first?.value }
}
