/// What `usher help CODE` says of an error code.
enum ErrorHelp {
    /// nil where there never was such a code.
    ///
    /// - Parameter word: a number or a name.
    static func text(of word: String) -> String? {
        for line in ErrorTexts.table.split(separator: "\n") {
            let parts = line.split(separator: "\t")
            guard parts.count >= 4, parts[0] == word || parts[1] == word else { continue }
            let page = parts.count > 4 ? "More: Documentation/\(parts[4])\n" : ""
            return "\(parts[0]) \(parts[1]): \(parts[2])\nRemedy: \(parts[3])\n\(page)"
        }
        return RetiredCode.named(word)?.text
    }
}
