/// From fingerprints of texts to numbers, any count of them each: 11 to 16 bytes an entry, and no texts.
///
/// Different texts may have the same fingerprint, once in two thousand million: what is found is to be checked.
package struct FingerprintMap: Sendable {
    /// A fingerprint above, a value below; 0 where there is none. Open addressing, in the order of the fingerprints.
    private(set) var entries: [UInt64] = []
    private var used = 0
    /// What a value below 0 stands for: several numbers, ascending.
    private var lists: [OrderedNumbers] = []
    private var freeLists: [Int32] = []

    package init() {}

    package mutating func reserve(_ count: Int) {
        if count * 4 / 3 > entries.count { resize(count * 4 / 3 + 8) }
    }

    @inline(__always)
    package func forEach(_ fingerprint: UInt32, _ body: (Int32) -> Void) {
        guard let place = place(of: fingerprint) else { return }
        let value = Int32(truncatingIfNeeded: entries[place])
        if value >= 0 { body(value) } else { lists[Int(~value)].visit(body) }
    }

    /// How many numbers a fingerprint has.
    func count(of fingerprint: UInt32) -> Int {
        guard let place = place(of: fingerprint) else { return 0 }
        let value = Int32(truncatingIfNeeded: entries[place])
        return value >= 0 ? 1 : lists[Int(~value)].count
    }

    /// Adds a number, unless the fingerprint has it.
    package mutating func insert(_ number: Int32, for fingerprint: UInt32) {
        if used >= entries.count / 4 * 3 { resize(entries.count / 2 * 3 + 16) }
        var place = home(of: fingerprint)
        while entries[place] != 0 {
            if UInt32(truncatingIfNeeded: entries[place] >> 32) == fingerprint {
                return join(number, at: place, fingerprint)
            }
            place = next(place)
        }
        set(place, fingerprint, number)
        used += 1
    }

    /// Adds a number to those that the entry at a place has.
    private mutating func join(_ number: Int32, at place: Int, _ fingerprint: UInt32) {
        let value = Int32(truncatingIfNeeded: entries[place])
        if value < 0 {
            lists[Int(~value)].insert(number) { $0 < number }
        } else if value != number {
            var list = OrderedNumbers()
            list.insert(min(value, number)) { _ in false }
            list.insert(max(value, number)) { _ in true }
            let index = freeLists.popLast() ?? Int32(lists.count)
            if Int(index) == lists.count { lists.append(list) } else { lists[Int(index)] = list }
            set(place, fingerprint, ~index)
        }
    }

    /// Takes a number away, if the fingerprint has it.
    package mutating func remove(_ number: Int32, for fingerprint: UInt32) {
        guard let place = place(of: fingerprint) else { return }
        let value = Int32(truncatingIfNeeded: entries[place])
        if value < 0 {
            let index = Int(~value)
            lists[index].remove(number) { $0 < number }
            if lists[index].isEmpty {
                freeLists.append(~value)
                empty(place)
            }
        } else if value == number {
            empty(place)
        }
    }

    // MARK: Open addressing

    func home(of fingerprint: UInt32) -> Int {
        Int(truncatingIfNeeded: (UInt64(fingerprint) &* UInt64(truncatingIfNeeded: entries.count)) >> 32)
    }

    private func next(_ place: Int) -> Int { place + 1 == entries.count ? 0 : place + 1 }

    @inline(__always)
    private func place(of fingerprint: UInt32) -> Int? {
        if entries.isEmpty { return nil }
        var place = home(of: fingerprint)
        while true {
            let entry = entries[place]
            if entry == 0 { return nil }
            if UInt32(truncatingIfNeeded: entry >> 32) == fingerprint { return place }
            place = next(place)
        }
    }

    /// - Parameter fingerprint: not 0, which no fingerprint is.
    private mutating func set(_ place: Int, _ fingerprint: UInt32, _ value: Int32) {
        entries[place] = UInt64(fingerprint) << 32 | UInt64(UInt32(bitPattern: value))
    }

    /// Moves what follows back to where it belongs, so that no look-up stops short of it.
    private mutating func empty(_ place: Int) {
        used -= 1
        var gap = place
        var other = next(place)
        while entries[other] != 0 {
            let home = home(of: UInt32(truncatingIfNeeded: entries[other] >> 32))
            let stays = gap <= other ? gap < home && home <= other : gap < home || home <= other
            if !stays {
                entries[gap] = entries[other]
                gap = other
            }
            other = next(other)
        }
        entries[gap] = 0
    }

    private mutating func resize(_ count: Int) {
        let old = entries
        entries = [UInt64](repeating: 0, count: count)
        for entry in old where entry != 0 {
            var place = home(of: UInt32(truncatingIfNeeded: entry >> 32))
            while entries[place] != 0 { place = next(place) }
            entries[place] = entry
        }
    }
}
