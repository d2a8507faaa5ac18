import UsherScene
internal import UsherText

extension ManifestReader {
    mutating func readShortcuts(of table: CheckedTable, into app: inout App) {
        var first = NameMap<SourceLocation>()
        for element in reader.tables("shortcuts", of: table) {
            let shortcut = reader.check(element.value, ManifestSchema.shortcut, region: element.region)
            let type = reader.string("type", of: shortcut)
            let title = reader.string("title", of: shortcut)
            var definition = ShortcutDefinition(
                type: type?.value ?? "", title: title?.value ?? "", location: location(element.region.begin))
            definition.subtitle = reader.string("subtitle", of: shortcut)?.value
            definition.icon = reader.string("icon", of: shortcut).map { ShortcutIcon(manifest: $0.value) }
            definition.target = target("target-content-id", of: shortcut)
            definition.userInfo = userInfo(of: shortcut)
            guard let type, title != nil,
                isFirst(
                    type, in: &first, .duplicateValue, "there are two shortcuts of type",
                    help: "a shortcut is asked for by its type: give one of them another")
            else { continue }
            app.shortcuts.append(definition)
            places.shortcuts.append(shortcut.members["target-content-id"]?.value.region ?? element.region)
        }
    }

    /// A target content identifier: not empty, and not longer than one may be.
    mutating func target(_ key: String, of table: CheckedTable) -> TargetContentIdentifier? {
        guard let text = reader.string(key, of: table) else { return nil }
        guard text.value.utf8.count <= TargetContentIdentifier.maximumLength else {
            return reader.refuse(
                .invalidValue, at: text.region,
                "an identifier has at most \(TargetContentIdentifier.maximumLength) bytes")
        }
        return TargetContentIdentifier(text.value)
    }

    private mutating func userInfo(of table: CheckedTable) -> String? {
        guard let members = reader.members("user-info", of: table), let member = table.members["user-info"] else {
            return nil
        }
        do {
            return try JSONText.object(members, region: member.value.region)
        } catch {
            return reader.refuse(
                .invalidValue, at: error.region, "`user-info` is handed over as JSON, which cannot have \(error.kind)",
                help: "put it in quotes")
        }
    }
}
