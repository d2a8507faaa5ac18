import UsherJSON
import UsherPayload
import UsherScene
internal import UsherSystem

extension ManifestReader {
    /// `info-plist`: its `UIApplicationShortcutItems` and `NSUserActivityTypes` join the app's. A shortcut of the manifest
    /// goes before one of the same type there.
    mutating func readPropertyList(of table: CheckedTable, into app: inout App) {
        guard let name = reader.string("info-plist", of: table) else { return }
        let bytes: [UInt8]
        do {
            bytes = try FileSystem.read(
                FilePath.resolve(name.value, from: folder), limit: PropertyList.maximumSize, insteadFrom: kept)
        } catch {
            let reason =
                switch error {
                case .notFound: "there is no such file"
                case .notAFile: "it is not a file"
                case .tooLarge: "it has more than \(PropertyList.maximumSize) bytes"
                case .system(let text): text
                }
            reader.report(
                .propertyList, at: name.region, "\(TOMLText.quoted(name.value)) cannot be read: \(reason)",
                help: "the path is relative to the manifest's folder")
            return
        }
        includedFiles.append(IncludedFile(name: name.value, bytes: bytes))
        guard let text = PropertyListText.json(of: bytes), let tree = try? JSONValue(parsing: Array(text.utf8)) else {
            reader.report(
                .propertyList, at: name.region,
                "\(TOMLText.quoted(name.value)) is not a property list with a dictionary",
                help: "convert it to XML or binary form: plutil -convert xml1 Info.plist")
            return
        }
        let list = InfoPropertyList(reading: tree)
        for error in list.errors {
            reader.report(
                .propertyList, at: name.region, "in \(name.value), \(error.pointer): \(error.message)", help: error.help
            )
        }
        for warning in list.warnings {
            reader.warn(
                .propertyList, at: name.region, "in \(name.value), \(warning.pointer): \(warning.message)",
                help: warning.help)
        }
        let place = location(name.region.begin)
        for type in list.activityTypes
        where !app.activityTypes.contains(where: { $0.value.utf8.elementsEqual(type.utf8) }) {
            app.activityTypes.append(Located(type, at: place))
        }
        for item in list.shortcutItems
        where !app.shortcuts.contains(where: { $0.type.utf8.elementsEqual(item.type.utf8) }) {
            if item.localizedTitle?.isEmpty ?? true {
                reader.report(
                    .propertyList, at: name.region,
                    "in \(name.value): the title of \(TOMLText.quoted(item.type)) is empty")
            } else {
                app.shortcuts.append(ShortcutDefinition(item, at: place))
            }
        }
    }
}

extension ShortcutDefinition {
    fileprivate init(_ item: ShortcutItem, at place: SourceLocation) {
        self.init(type: item.type, title: item.localizedTitle ?? "", location: place)
        subtitle = item.localizedSubtitle
        switch item.icon {
        case .symbolName(let name), .templateImageName(let name), .type(let name): icon = name
        case nil: break
        }
        target = item.targetContentIdentifier.map(TargetContentIdentifier.init)
        userInfo = item.userInfo.map { String(decoding: $0, as: UTF8.self) }
    }
}
