internal import UsherScene
internal import UsherText

extension SettingsReader {
    /// `[suggestions]`.
    mutating func readSuggestions(of root: CheckedTable) {
        guard let member = root.members["suggestions"], let members = reader.members("suggestions", of: root) else {
            return
        }
        let table = reader.check(members, SettingsSchema.suggestions, region: member.keyRegion)
        var own = SuggestionSettings()
        own.isEnabled = reader.boolean("enabled", of: table)?.value ?? own.isEnabled
        if table.members["kinds"] != nil {
            own.kinds = Set(reader.values("kinds", of: table) { SuggestionKind(rawValue: $0) })
        }
        own.includesPages = reader.boolean("pages", of: table)?.value ?? own.includesPages
        own.includesContacts = reader.boolean("contacts", of: table)?.value ?? own.includesContacts
        let apps = reader.strings("exclude-apps", of: table) ?? []
        for app in apps { add(excludedApp: app) }
        own.excludedApps = apps.map(\.value)
        own.excludedHosts = hosts("exclude-hosts", of: table)
        own.keepDays = reader.integer("keep-days", of: table, in: 0...36_500)?.value ?? own.keepDays
        own.phrases = phrases(of: table)
        settings.suggestions = own
    }

    /// Names of hosts, in lower case.
    private mutating func hosts(_ key: String, of table: CheckedTable) -> [String] {
        (reader.strings(key, of: table) ?? []).compactMap { text in
            let host = text.value.lowercased()
            let isName = host.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), 0x80...: true
                default: false
                }
            }
            guard isName, !host.isEmpty, !host.hasPrefix("."), !host.hasSuffix(".") else {
                let rest = host.drop { $0 == "*" || $0 == "." }
                reader.report(
                    .invalidValue, at: text.region, "\(TOMLText.quoted(text.value)) is not the name of a host",
                    help: host.hasPrefix("*.") && !rest.isEmpty
                        ? "what is below a host is excluded with it: \(key) = [\(TOMLText.quoted(String(rest)))]"
                        : "without scheme, port and path: \(key) = [\"bank.example\"]")
                return nil
            }
            return host
        }
    }

    /// `[suggestions.phrases]`: lists of texts by content type.
    private mutating func phrases(of table: CheckedTable) -> [TextContentType: [String]] {
        guard let member = table.members["phrases"], let members = reader.members("phrases", of: table) else {
            return [:]
        }
        let own = reader.check(members, SettingsSchema.phrases, region: member.keyRegion)
        var phrases: [TextContentType: [String]] = [:]
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
                phrases[type, default: []].append(text.value)
            }
        }
        return phrases
    }
}
