/// How far one word is from another.
package enum EditDistance {
    /// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). O(|one| × |other|).
    package static func between<Letter: Equatable>(_ one: [Letter], _ other: [Letter]) -> Int {
        var beforeLast = [Int](repeating: 0, count: other.count + 1)
        var last = Array(0...other.count)
        for row in one.indices {
            var current = [row + 1]
            current.reserveCapacity(other.count + 1)
            for column in other.indices {
                var cost = min(current[column] + 1, last[column + 1] + 1)
                cost = min(cost, last[column] + (one[row] == other[column] ? 0 : 1))
                if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[other.count]
    }
}
