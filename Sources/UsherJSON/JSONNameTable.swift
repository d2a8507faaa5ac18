internal import UsherText

/// Known member names, found by their bytes without making a string.
///
/// A name costs one probe or two; the table is made once and shared.
public struct JSONNameTable: Sendable {
    private struct Slot: Sendable {
        var signature: UInt32 = 0
        /// In `names`, plus 1; 0 is free.
        var position: UInt16 = 0
        /// In `bytes`.
        var start: UInt16 = 0
        var end: UInt16 = 0
    }

    public let names: [String]
    private let bytes: [UInt8]
    private let slots: [Slot]

    /// - Parameters:
    ///   - names: different names; the position in the list is what `index` gives.
    public init(_ names: [String]) {
        precondition(names.count < 1 << 14, "a table of known names is small")
        self.names = names
        var bytes: [UInt8] = []
        var slots = [Slot](repeating: Slot(), count: 16)
        while slots.count < names.count * 4 { slots += slots }
        for (position, name) in names.enumerated() {
            let start = bytes.count
            bytes.append(contentsOf: name.utf8)
            let signature = JSONDocument.signature(bytes.span.extracting(start..<bytes.count))
            var probe = Self.home(of: signature, slots.count)
            while slots[probe].position != 0 { probe = (probe + 1) & (slots.count - 1) }
            slots[probe] = Slot(
                signature: signature, position: UInt16(position + 1), start: UInt16(start), end: UInt16(bytes.count))
        }
        self.bytes = bytes
        self.slots = slots
    }

    /// The position of a name in the list, or nil.
    public func index(of name: ArraySlice<UInt8>) -> Int? {
        let name = name.span
        return index(of: name, JSONDocument.signature(name))
    }

    /// The position of a string of a document in the list, or nil; nil also of any other kind.
    public func index(of element: JSONElement, in document: JSONDocument) -> Int? {
        let node = document.tape[element.index]
        guard node.kind == .string else {
            return node.kind == .escapedString ? index(of: document.stringBytes(element)) : nil
        }
        let base = document.range.lowerBound
        let name = document.source.span.extracting(base &+ Int(node.start)..<base &+ Int(node.end))
        return index(of: name, node.link == 0 ? JSONDocument.signature(name) : node.link)
    }

    @inline(__always)
    private func index(of name: Span<UInt8>, _ signature: UInt32) -> Int? {
        var probe = Self.home(of: signature, slots.count)
        while slots[probe].position != 0 {
            let slot = slots[probe]
            if slot.signature == signature,
                ByteWord.areEqual(bytes.span.extracting(Int(slot.start)..<Int(slot.end)), name)
            {
                return Int(slot.position) - 1
            }
            probe = (probe &+ 1) & (slots.count &- 1)
        }
        return nil
    }

    @inline(__always)
    private static func home(of signature: UInt32, _ count: Int) -> Int {
        Int((signature &* 0x9E37_79B1) >> 16) & (count &- 1)
    }
}

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
