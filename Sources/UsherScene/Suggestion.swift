import UsherPredicate

/// "Did you mean": the closest of some known words.
public enum Suggestion {
    /// The candidate with the fewest edits from `word`, where there is one within a third of its length (at least one
    /// edit, two from four letters on). Ties go to the first.
    public static func closest(to word: String, among candidates: some Sequence<String>) -> String? {
        let letters = Array(word.lowercased().unicodeScalars.prefix(64))
        let limit = max(letters.count < 4 ? 1 : 2, letters.count / 3)
        var best: (word: String, distance: Int)?
        for candidate in candidates where candidate != word {
            let other = Array(candidate.lowercased().unicodeScalars.prefix(64))
            guard abs(other.count - letters.count) <= limit else { continue }
            let distance = EditDistance.between(letters, other)
            if distance <= limit, distance < (best?.distance ?? .max) { best = (candidate, distance) }
        }
        return best?.word
    }
}
