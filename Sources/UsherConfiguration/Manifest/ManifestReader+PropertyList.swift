import UsherJSON
import UsherPayload
import UsherScene
internal import UsherSystem
internal import UsherText

extension ManifestReader {
    /// `info-plist`: its `UIApplicationShortcutItems` and `NSUserActivityTypes` join the app's. A shortcut of the manifest
    /// goes before one of the same type there.
    mutating func readPropertyList(of table: CheckedTable, into app: inout App) {
        guard let (name, settingsName) = propertyListNames(of: table) else { return }
        guard let bytes = bytes(of: name, limit: PropertyList.maximumSize, .propertyList) else { return }
        let listPlace = includedFiles.count
        includedFiles.append(IncludedFile(name: name.value, bytes: bytes))
        let tree: JSONValue
        do {
            tree = try PropertyList.value(of: bytes)
        } catch {
            reader.report(
                .propertyList, at: name.region,
                "\(TOMLText.quoted(name.value)) is not a property list: \(error.message)",
                help: "convert it to XML or binary form: plutil -convert xml1 Info.plist")
            return
        }
        var settings = BuildSettings()
        if let settingsName, let read = buildSettings(settingsName) { settings = read }
        settings.setDefault("PRODUCT_BUNDLE_IDENTIFIER", app.id)
        let (expanded, unknown) = settings.expand(tree, used: InfoPropertyList.used)
        reportVariables(unknown, inFileAt: listPlace)
        let list = InfoPropertyList(reading: expanded)
        for error in list.errors {
            reader.report(
                .propertyList, at: name.region, "in \(name.value), \(error.pointer): \(error.message)",
                help: error.help)
        }
        for warning in list.warnings {
            reader.warn(
                .propertyList, at: name.region, "in \(name.value), \(warning.pointer): \(warning.message)",
                help: warning.help)
        }
        let place = location(name.region.begin)
        readVersion(of: list, name, table, into: &app)
        readSchemes(of: list, name, into: &app)
        var known = NameMap<Void>()
        for type in app.activityTypes { known[type.value] = () }
        for type in list.activityTypes where known[type] == nil {
            known[type] = ()
            app.activityTypes.append(Located(type, at: place))
        }
        var items = NameMap<Void>()
        for item in app.shortcuts { items[item.type] = () }
        for item in list.shortcutItems where items[item.type] == nil {
            items[item.type] = ()
            if item.localizedTitle?.isEmpty ?? true {
                reader.report(
                    .propertyList, at: name.region,
                    "in \(name.value): the title of \(TOMLText.quoted(item.type)) is empty")
            } else {
                app.shortcuts.append(ShortcutDefinition(item, at: place))
            }
        }
    }

    /// `info-plist = "Info.plist"`, or `{ file = "Info.plist", build-settings = "App.xcconfig" }`.
    private mutating func propertyListNames(
        of table: CheckedTable
    ) -> (file: Spanned<String>, settings: Spanned<String>?)? {
        guard let own = reader.table("info-plist", of: table, ManifestSchema.infoPlist) else {
            return reader.string("info-plist", of: table).map { ($0, nil) }
        }
        guard let file = reader.string("file", of: own) else { return nil }
        return (file, reader.string("build-settings", of: own))
    }

    private mutating func buildSettings(_ name: Spanned<String>) -> BuildSettings? {
        let path = FilePath.resolve(name.value, from: folder)
        guard let bytes = try? FileSystem.read(path, limit: PropertyList.maximumSize, insteadFrom: kept) else {
            return reader.refuse(
                .propertyList, at: name.region, "\(TOMLText.quoted(name.value)) cannot be read",
                help: "the path is relative to the manifest's folder")
        }
        includedFiles.append(IncludedFile(name: name.value, bytes: bytes))
        do throws(BuildSettings.Fault) {
            return try BuildSettings(reading: bytes)
        } catch {
            return reader.refuse(.propertyList, at: name.region, "\(name.value):\(error.line): \(error.message)")
        }
    }

    /// Reports variables without a value, at their lines of the property list.
    ///
    /// - Parameter place: of the property list among the included files.
    private mutating func reportVariables(_ names: [String], inFileAt place: Int) {
        guard !names.isEmpty else { return }
        let file = includedFiles[place]
        // A binary property list has no lines.
        let isText = !file.bytes.starts(with: "bplist".utf8)
        let source = SourceFile(
            path: FilePath.resolve(file.name, from: FilePath.parent(of: reader.file.path)),
            bytes: isText ? file.bytes : [])
        includedFiles[place].source = source
        for name in names {
            let offset = ["$(\(name))", "${\(name)}"].compactMap { source.bytes.firstRange(of: Array($0.utf8)) }
                .min { $0.lowerBound < $1.lowerBound }
            let position = offset.map { source.position(of: $0.lowerBound) }
            includedFiles[place].diagnostics.append(
                ConfigurationDiagnostic(
                    .error, .propertyListVariable, path: source.path, location: position.map(source.location),
                    length: offset?.count ?? 1, message: "the variable \(TOMLText.quoted(name)) has no value",
                    help: "set it in a file of build settings: info-plist = { file = \(TOMLText.quoted(file.name)), "
                        + "build-settings = \"App.xcconfig\" }",
                    sourceLine: position.map { String(decoding: source.line($0.line), as: UTF8.self) }))
        }
    }

    /// The version and the number of windows. The manifest's own keys go before; where both are there and differ, that is
    /// a warning.
    private mutating func readVersion(
        of list: InfoPropertyList, _ file: Spanned<String>, _ table: CheckedTable, into app: inout App
    ) {
        if let version = list.version {
            if let own = app.continuation.version {
                if DottedVersion(own.value) != DottedVersion(version) {
                    warnDifference("version", own.value, version, table, file)
                }
            } else if DottedVersion(version) == nil {
                reader.report(
                    .propertyList, at: file.region,
                    "in \(file.value): CFBundleShortVersionString is \(TOMLText.quoted(version)), not numbers with dots "
                        + "between them")
            } else {
                app.continuation.version = Located(version, at: location(file.region.begin))
            }
        }
        if let several = list.supportsMultipleScenes {
            if table.written.contains("multiple-scenes") {
                if several != app.multipleScenes {
                    warnDifference("multiple-scenes", "\(app.multipleScenes)", "\(several)", table, file)
                }
            } else {
                app.multipleScenes = several
            }
        } else if !table.written.contains("multiple-scenes") {
            // As on iOS.
            app.multipleScenes = false
        }
    }

    private mutating func warnDifference(
        _ key: String, _ own: String, _ other: String, _ table: CheckedTable, _ file: Spanned<String>
    ) {
        reader.warn(
            .propertyListDiffers, at: table.members[key]?.value.region ?? file.region,
            "`\(key)` is \(own) here and \(other) in \(file.value): \(own) counts",
            help: "remove one of them, or make them the same")
    }

    private mutating func readSchemes(of list: InfoPropertyList, _ file: Spanned<String>, into app: inout App) {
        var known = Set(app.schemes.map(\.value))
        for scheme in list.schemes {
            guard let name = scheme.schemeName, name != "http", name != "https" else {
                reader.report(
                    .propertyList, at: file.region,
                    "in \(file.value): \(TOMLText.quoted(scheme)) of CFBundleURLTypes is not the name of a URL scheme")
                continue
            }
            guard known.insert(name).inserted else { continue }
            app.schemes.append(Located(name, at: location(file.region.begin)))
            places.schemes.append(Spanned(value: name, region: file.region))
        }
    }
}
