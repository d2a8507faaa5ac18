import UsherScene
internal import UsherSystem
internal import UsherText

extension ManifestReader {
    /// `site-association`: a file that says which addresses of the app's `domains` are the app's.
    mutating func readAssociation(of table: CheckedTable, into app: inout App) {
        guard let member = table.members["site-association"] else { return }
        var name = reader.string("site-association", of: table)
        var appID: Spanned<String>?
        if let inner = reader.table("site-association", of: table, ManifestSchema.association) {
            name = reader.string("file", of: inner)
            appID = reader.string("app-id", of: inner)
        }
        guard let name else { return }
        if !table.written.contains("domains") {
            reader.report(
                .associationWithoutDomains, at: member.keyRegion,
                "`site-association` needs `domains`: an association file does not name the hosts that serve it",
                help: "add the hosts: domains = [\"clowntown.example\"]")
        }
        guard let bytes = bytes(of: name, limit: ConfigurationLoader.maximumFileSize, .associationUnreadable) else {
            return
        }
        let source = SourceFile(
            path: FilePath.resolve(name.value, from: FilePath.parent(of: reader.file.path)), bytes: bytes)
        var association = AssociationReader(file: source)
        association.read(bytes)
        includedFiles.append(
            IncludedFile(name: name.value, bytes: bytes, source: source, diagnostics: association.diagnostics))
        let isBroken = association.diagnostics.contains { $0.severity == .error }
        let entries = association.entries.filter { entry in entry.appIDs.contains { isOurs($0, app, appID?.value) } }
        if entries.isEmpty, !isBroken {
            reportNoEntry(of: association.entries.flatMap(\.appIDs), app, at: appID ?? name, file: name.value)
        }
        let rules = entries.flatMap(\.rules)
        let size = rules.reduce(0) { $0 + $1.size }
        if size > ManifestReader.maximumAssociationSize {
            reader.report(
                .associationTooComplex, at: name.region,
                "the patterns of \(TOMLText.quoted(name.value)) have \(size) steps: more than "
                    + "\(ManifestReader.maximumAssociationSize) take too long",
                help: "use fewer values with wildcards in substitution variables")
            return
        }
        app.association = SiteAssociation(path: source.path, rules: rules)
    }

    /// The bytes of a file that the manifest names; nil where it cannot be read, which is reported.
    mutating func bytes(of name: Spanned<String>, limit: Int, _ code: DiagnosticCode) -> [UInt8]? {
        do {
            return try FileSystem.read(FilePath.resolve(name.value, from: folder), limit: limit, insteadFrom: kept)
        } catch {
            return reader.refuse(
                code, at: name.region, "\(TOMLText.quoted(name.value)) cannot be read: \(error.text(limit: limit))",
                help: "the path is relative to the manifest's folder")
        }
    }

    /// Steps of all patterns for each byte of an identifier.
    private static let maximumAssociationSize = 1_000_000

    /// An id of the file is the app's where what follows its prefix is the app's id, or one of its topics.
    private func isOurs(_ id: String, _ app: App, _ wanted: String?) -> Bool {
        if let wanted { return id.hasSameBytes(as: wanted) }
        let name = id.utf8.drop { $0 != UInt8(ascii: ".") }.dropFirst()
        return name.elementsEqual(app.id.utf8) || app.topics.contains { $0.utf8.elementsEqual(name) }
    }

    private mutating func reportNoEntry(of ids: [String], _ app: App, at place: Spanned<String>, file: String) {
        var known: [String] = []
        for id in ids where !known.contains(id) && known.count < 8 { known.append(id) }
        let close =
            known.first { isOurs($0, app, nil) } ?? Spelling.closest(to: "ABCDE12345." + app.id, among: known)
            ?? known.first
        reader.report(
            .associationNoEntry, at: place.region,
            "\(TOMLText.quoted(file)) has no entry for \(place.value == file ? app.id : place.value)"
                + (known.isEmpty ? "" : ": its apps are \(known.joined(separator: ", "))"),
            help: close.map {
                "where one of them is meant, name it: "
                    + "site-association = { file = \(TOMLText.quoted(file)), app-id = \(TOMLText.quoted($0)) }"
            } ?? "add an entry to `details` whose `appIDs` has \(TOMLText.quoted("ABCDE12345." + app.id))")
    }
}
