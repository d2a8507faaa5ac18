/// "Did you mean": the closest of some known words.
public enum Spelling {
    /// The candidate with the fewest edits from `word`, letter case aside, where there is one within a third of its length
    /// (at least one edit, two from four letters on). Ties go to the first. Only the first 64 letters count.
    ///
    /// - Parameter isStrict: within a sixth (at least one edit): for words that may be meant as they are, since many words
    ///   of four letters are two edits apart.
    public static func closest(
        to word: String, among candidates: some Sequence<String>, isStrict: Bool = false
    ) -> String? {
        let letters = { (text: String) in Array(text.lowercased().unicodeScalars.prefix(64)) }
        let wanted = letters(word)
        let limit = max(isStrict || wanted.count < 4 ? 1 : 2, wanted.count / (isStrict ? 6 : 3))
        return closest(to: wanted, among: candidates.lazy.filter { $0 != word }, spelled: letters) { _ in limit }
    }

    /// The candidate with the fewest edits from `word`; ties go to the first.
    ///
    /// - Parameters:
    ///   - letters: what of a candidate is compared; the caller bounds its length.
    ///   - limit: how many edits away a candidate may be, by how many letters it has.
    package static func closest<Letter: Equatable>(
        to word: [Letter], among candidates: some Sequence<String>, spelled letters: (String) -> [Letter],
        within limit: (Int) -> Int
    ) -> String? {
        var best: (candidate: String, distance: Int)?
        for candidate in candidates {
            let other = letters(candidate)
            let limit = limit(other.count)
            guard abs(other.count - word.count) <= limit else { continue }
            let distance = editDistance(word, other)
            if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.candidate
    }

    /// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). O(|one| × |other|).
    private static func editDistance<Letter: Equatable>(_ one: [Letter], _ other: [Letter]) -> Int {
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
