/// An open-addressing table from (object, name's hash) to the name's node; empty until a large object needs it.
struct KeyIndex: Sendable {
    private struct Slot: Sendable {
        var owner: UInt32
        var hash: UInt32
        /// The node plus 1; 0 is free.
        var node: UInt32
    }

    private var slots: [Slot] = []
    private var count = 0

    /// Forgets everything; the next use begins with a small table, whatever size the last text needed.
    mutating func reset() {
        guard count > 0 else { return }
        slots.removeAll(keepingCapacity: true)
        count = 0
    }

    func firstProbe(_ hash: UInt32) -> Int {
        slots.isEmpty ? 0 : Int(hash) & (slots.count - 1)
    }

    /// The next name with this owner and hash, or nil at the end of the chain.
    func candidate(at probe: inout Int, owner: UInt32, hash: UInt32) -> UInt32? {
        guard !slots.isEmpty else { return nil }
        while slots[probe].node != 0 {
            let slot = slots[probe]
            probe = (probe + 1) & (slots.count - 1)
            if slot.owner == owner, slot.hash == hash { return slot.node - 1 }
        }
        return nil
    }

    mutating func insert(owner: UInt32, node: UInt32, hash: UInt32) {
        if (count + 1) * 2 > slots.count { grow() }
        place(Slot(owner: owner, hash: hash, node: node + 1))
        count += 1
    }

    private mutating func place(_ slot: Slot) {
        var probe = firstProbe(slot.hash)
        while slots[probe].node != 0 { probe = (probe + 1) & (slots.count - 1) }
        slots[probe] = slot
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: Slot(owner: 0, hash: 0, node: 0), count: max(64, old.count * 2))
        for slot in old where slot.node != 0 { place(slot) }
    }
}
