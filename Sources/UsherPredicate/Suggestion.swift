/// "Did you mean": the nearest of a few known words.
enum Suggestion {
    /// The candidate within two edits of `word` (one, for short words), letter case aside; nil when none is near.
    static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        let wanted = Array(word.uppercased().utf8)
        guard wanted.count <= 64 else { return nil }
        var best: (distance: Int, candidate: String)?
        for candidate in candidates where candidate.utf8.count <= 64 {
            let distance = EditDistance.between(wanted, Array(candidate.uppercased().utf8))
            let allowed = candidate.utf8.count < 3 ? 0 : candidate.utf8.count <= 4 ? 1 : 2
            if distance <= allowed, distance < best?.distance ?? .max { best = (distance, candidate) }
        }
        return best?.candidate
    }
}
