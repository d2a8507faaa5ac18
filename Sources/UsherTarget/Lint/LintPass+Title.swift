// Stable, too: nothing that somebody may rename.
extension LintPass {
    /// A title behind a made-up scheme: no registered one has spaces.
    mutating func judgeOpaqueTitle() {
        guard parts.path.contains(" "), !has(.placeholder), isTitle(parts.path) else { return }
        find(.mutableTitle, parts.text)
    }

    /// Titles and file names at the end of the path, in the parameters, or as the whole.
    mutating func judgeTitle() {
        guard !has(.localPath), !has(.deviceStore), !has(.placeholder), !has(.relative), !has(.token) else { return }
        guard !LintWords.moving.contains(parts.text.lowercased()) else { return }
        for parameter in parts.query where LintWords.titles.contains(parameter.key) {
            // Wikis name their pages so, and keep a redirect when one is renamed.
            if parameter.key == "title", parts.path.hasSuffix("index.php") { continue }
            if isFileName(parameter.value, isAddress: true) || isTitle(parameter.value) {
                find(.mutableTitle, parameter.text)
            }
        }
        guard let leaf = parts.segments.last else { return }
        if has(.timestamp), parts.isBare { return }
        if isFileName(leaf, isAddress: !parts.isBare) || isTitle(leaf) || isFormTitle(leaf) || isLongSlug(leaf)
            || isBareWord(leaf)
        {
            find(.mutableTitle, leaf)
        }
    }

    private func isFileName(_ text: String, isAddress: Bool) -> Bool {
        guard let dot = text.lastIndex(of: "."), dot != text.startIndex else { return false }
        let stem = String(text[..<dot])
        let type = text[text.index(after: dot)...].lowercased()
        let isDocument = LintWords.documentExtensions.contains(type)
        guard isDocument || LintWords.mediaExtensions.contains(type) else { return false }
        // Reverse domain names end in such words too.
        if !isAddress, stem.contains(".") { return false }
        let lower = stem.lowercased()
        if LintWords.numberedNames.contains(where: { lower.hasPrefix($0) && isCount(lower.dropFirst($0.utf8.count)) }) {
            return true
        }
        guard !TextShape.hasIdentity(stem) else { return false }
        return isDocument || !isAddress || isTitle(stem)
    }

    /// Digits, and perhaps a word between them such as `at`.
    private func isCount(_ text: Substring) -> Bool {
        text.contains(where: \.isNumber)
            && text.split { !$0.isLetter }.allSatisfy { ["e", "at", "um", "wa", "a"].contains($0) }
    }

    /// Two words and more with spaces between, and nothing that was given once.
    private func isTitle(_ text: String) -> Bool {
        guard text.contains(" "), !(parts.hasAuthority && parts.path.contains(" ")), !text.contains("<"),
            !text.contains("{")
        else { return false }
        return TextShape.words(text, by: " ").count >= 2 && !TextShape.hasIdentity(text)
    }

    /// The same with `+` for spaces, as forms write it.
    private func isFormTitle(_ leaf: String) -> Bool {
        guard parts.hasAuthority, !TextShape.hasIdentity(leaf) else { return false }
        let pieces = leaf.split(separator: "+", omittingEmptySubsequences: false)
        return pieces.count >= 3 && pieces.allSatisfy { $0.contains(where: \.isLetter) }
    }

    /// A slug as long as a title where people keep what they write themselves, and nothing else names the content.
    ///
    /// What was published keeps its address, however long: articles are not judged.
    private func isLongSlug(_ leaf: String) -> Bool {
        guard parts.hasAuthority, parts.query.isEmpty, !parts.path.utf8.contains(where: TextShape.isDigit),
            leaf.split(separator: "-").count >= 6
        else { return false }
        let places = parts.segments.dropLast() + parts.host.split(separator: ".").map(String.init)
        return places.contains { LintWords.ownPlaces.contains($0.lowercased()) }
    }

    /// One word of a script that no program makes names in.
    private func isBareWord(_ leaf: String) -> Bool {
        guard parts.isBare, parts.segments.count == 1, leaf.unicodeScalars.count >= 2 else { return false }
        return leaf.unicodeScalars.allSatisfy {
            (0x3040...0x30FF).contains($0.value) || (0x3400...0x9FFF).contains($0.value)
                || (0xAC00...0xD7A3).contains($0.value)
        }
    }
}
