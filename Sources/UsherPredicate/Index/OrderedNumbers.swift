/// Numbers in an order of the caller's, each once.
///
/// They lie in chunks of at most 512, so that one more or one less moves few of them.
///
/// - Complexity: O(log n) comparisons and O(512 + n / 512) moves for a change; one comparison where it is the last.
package struct OrderedNumbers: Sendable {
    /// None of them empty.
    @usableFromInline var chunks: [[Int32]] = []

    @usableFromInline static let limit = 512

    @inlinable package init() {}

    @inlinable package var isEmpty: Bool { chunks.isEmpty }

    @inlinable package var first: Int32? { chunks.first?[0] }

    /// O(n / 256).
    @inlinable package var count: Int { chunks.reduce(0) { $0 + $1.count } }

    /// The first, or the one behind it where that is to be left out.
    @inlinable package func first(leavingOut number: Int32) -> Int32? {
        guard let first = chunks.first else { return nil }
        if first[0] != number { return first[0] }
        return first.count > 1 ? first[1] : chunks.count > 1 ? chunks[1][0] : nil
    }

    @inlinable package func visit(_ body: (Int32) -> Void) {
        for chunk in chunks { for number in chunk { body(number) } }
    }

    /// Appends the first `limit` of them.
    @inlinable package func append(to list: inout [Int32], limit: Int) {
        var left = limit
        for chunk in chunks where left > 0 {
            list += chunk.prefix(left)
            left -= chunk.count
        }
    }

    /// Puts a number in its place, unless it is there.
    ///
    /// - Parameter goesBefore: whether a number that is there goes before the new one; false for itself.
    @inlinable package mutating func insert(_ number: Int32, goesBefore: (Int32) -> Bool) {
        guard let last = chunks.last?.last else {
            chunks.append([number])
            return
        }
        var chunk = chunks.count - 1
        if goesBefore(last) {
            chunks[chunk].append(number)
        } else {
            let place: Int
            (chunk, place) = find(goesBefore)
            if chunks[chunk][place] == number { return }
            chunks[chunk].insert(number, at: place)
        }
        if chunks[chunk].count > OrderedNumbers.limit {
            // What grows at its end leaves full chunks behind.
            let half = chunk == chunks.count - 1 ? OrderedNumbers.limit * 7 / 8 : OrderedNumbers.limit / 2
            let rest = Array(chunks[chunk][half...])
            chunks[chunk].removeSubrange(half...)
            chunks.insert(rest, at: chunk + 1)
        }
    }

    /// Takes a number out that is there; whether it was.
    @inlinable @discardableResult
    package mutating func remove(_ number: Int32, goesBefore: (Int32) -> Bool) -> Bool {
        guard let last = chunks.last?.last, !goesBefore(last) else { return false }
        let (chunk, place) = find(goesBefore)
        guard chunks[chunk][place] == number else { return false }
        chunks[chunk].remove(at: place)
        let count = chunks[chunk].count
        if count == 0 {
            chunks.remove(at: chunk)
        } else if count < OrderedNumbers.limit / 4, chunk + 1 < chunks.count,
            count + chunks[chunk + 1].count <= OrderedNumbers.limit / 2
        {
            chunks[chunk] += chunks[chunk + 1]
            chunks.remove(at: chunk + 1)
        }
        return true
    }

    /// The place of the first number that does not go before; there is one.
    @usableFromInline func find(_ goesBefore: (Int32) -> Bool) -> (chunk: Int, place: Int) {
        var low = 0
        var high = chunks.count - 1
        while low < high {
            let middle = (low + high) / 2
            if goesBefore(chunks[middle][chunks[middle].count - 1]) { low = middle + 1 } else { high = middle }
        }
        let chunk = low
        low = 0
        high = chunks[chunk].count - 1
        while low < high {
            let middle = (low + high) / 2
            if goesBefore(chunks[chunk][middle]) { low = middle + 1 } else { high = middle }
        }
        return (chunk, low)
    }
}
