internal import UsherScene

extension SettingsReader {
    mutating func readSuggestionKinds(of table: CheckedTable) {
        guard table.members["kinds"] != nil else { return }
        settings.suggestions.kinds = Set(reader.values("kinds", of: table) { SuggestionKind(rawValue: $0) })
    }

    mutating func readExcludedHosts(of table: CheckedTable) {
        settings.suggestions.excludedHosts =
            (reader.strings("exclude-hosts", of: table) ?? []).compactMap { excludedHost($0) }
    }

    /// The name of a host, in lower case.
    private mutating func excludedHost(_ text: Spanned<String>) -> String? {
        let host = text.value.lowercased()
        if SettingsReader.isHostName(host[...]) { return host }
        let rest = host.drop { $0 == "*" || $0 == "." }
        return reader.refuse(
            .invalidValue, at: text.region, "\(TOMLText.quoted(text.value)) is not the name of a host",
            help: host.hasPrefix("*.") && !rest.isEmpty
                ? "what is below a host is excluded with it: exclude-hosts = [\(TOMLText.quoted(String(rest)))]"
                : "without scheme, port and path: exclude-hosts = [\"bank.example\"]")
    }

    /// `[suggestions.phrases]`: lists of texts by content type.
    mutating func readPhrases(of table: CheckedTable) {
        guard let own = reader.table("phrases", of: table, SettingsSchema.phrases) else { return }
        for type in TextContentType.allCases {
            for text in reader.strings(type.rawValue, of: own) ?? [] {
                // Blanks and these marks at the end are not compared.
                let words = text.value.split { $0.isWhitespace || ":,.–".contains($0) }
                guard !words.isEmpty else {
                    reader.report(
                        .invalidValue, at: text.region, "a phrase has at least one word",
                        help: "write it so: \(type.rawValue) = [\"meet at\"]")
                    continue
                }
                settings.suggestions.phrases[type, default: []].append(text.value)
            }
        }
    }
}
