/// Durations as people give them: `90s`, `15m`, `2h`, `7d`.
public enum DurationText {
    /// nil where the text is none, or has more than nine digits.
    public static func seconds(_ text: some StringProtocol) -> Int64? {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        let digits = text.dropLast()
        guard let unit = text.last.flatMap({ units[$0] }), !digits.isEmpty, digits.utf8.count <= 9,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(digits)
        else { return nil }
        return number * unit
    }
}
