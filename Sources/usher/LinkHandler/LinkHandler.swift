internal import Glibc
internal import UsherActivation
internal import UsherEngine
internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// Usher as the desktop's handler of links: a desktop entry, the lines of `mimeapps.list` that name it, and what they
/// replaced.
///
/// What was there before is kept in the state folder: `link-handler.json` has `browser`, the desktop entry id of the
/// handler of `https` before Usher (or null), and `schemes` with the entries of each; `link-handler.mimeapps.list` and
/// `link-handler.desktop` are the files as they were, absent where there were none.
struct LinkHandler {
    static let entryName = "usher-link-handler.desktop"

    /// A scheme and the entries that opened its links before Usher, the preferred one first.
    struct Former: AnswerRecord {
        var scheme = ""
        var entries: [String] = []

        static let fields: [Field<Self>] = [
            Field(always: "scheme", \.scheme), Field(always: "before", \.entries),
        ]
    }

    /// What `install` has kept.
    struct Saved: AnswerRecord {
        var browser: String?
        var schemes: [Former] = []

        static let fields: [Field<Self>] = [
            Field(always: "browser", \.browser), Field(always: "schemes", \.schemes),
        ]
    }

    /// The file that says what links of a scheme are opened with.
    let associations: String
    let entry: String
    private let state: String
    private let environment: [String: String]
    private let desktop: RemoteWindows

    init(_ context: Context) throws(CommandFailure) {
        environment = context.environment
        state = FilePath.absolute(try context.stateFolder())
        desktop = context.windowSystems(context.environment).1
        let data = try ProcessEnvironment.folder("XDG_DATA_HOME", ".local/share", context.environment)
        let configuration = try ProcessEnvironment.folder("XDG_CONFIG_HOME", ".config", context.environment)
        entry = "\(data)/applications/\(LinkHandler.entryName)"
        let path = configuration + "/mimeapps.list"
        // Where it is a link, the file that it leads to is changed.
        associations = FilePath.resolved(path) ?? path
    }

    static func type(of scheme: String) -> String { "x-scheme-handler/\(scheme)" }

    static func isOurs(_ entry: String) -> Bool { entry.hasSameBytes(as: entryName) }

    /// The schemes whose links apps claim: those of `schemes`, and `http` and `https` where an app has `domains`. `file` is
    /// not among them: xdg-open opens documents by their types, and GIO would give Usher every file of the desktop.
    static func schemes(of apps: [App]) -> [String] {
        var schemes = Set(apps.flatMap { $0.schemes.map(\.value) })
        if apps.contains(where: { !$0.domains.isEmpty }) { schemes.formUnion(["http", "https"]) }
        schemes.remove("file")
        return schemes.sorted()
    }
}

// MARK: - Associations

extension LinkHandler {
    /// What opens links of a scheme now: the first file that names an entry decides, in the order of the MIME
    /// Applications specification.
    func handlers(of scheme: String) throws(CommandFailure) -> [String] {
        for path in try places() {
            let entries = DefaultApplications(try contents(path) ?? []).entries(for: LinkHandler.type(of: scheme))
            if !entries.isEmpty { return entries }
        }
        return []
    }

    private func places() throws(CommandFailure) -> [String] {
        func folders(_ variable: String, _ standard: String) -> [String] {
            let given = environment[variable] ?? ""
            return (given.isEmpty ? standard : given).split(separator: ":").map(String.init)
        }
        let desktops = (environment["XDG_CURRENT_DESKTOP"] ?? "").split(separator: ":")
            .map { $0.lowercased() + "-mimeapps.list" }.filter { !$0.utf8.contains(UInt8(ascii: "/")) }
        let own = try ProcessEnvironment.folder("XDG_CONFIG_HOME", ".config", environment)
        let configurations = [own] + folders("XDG_CONFIG_DIRS", "/etc/xdg")
        let data =
            ([FilePath.parent(of: entry)]
                + folders("XDG_DATA_DIRS", "/usr/local/share:/usr/share").map { $0 + "/applications" })
        return (configurations + data).flatMap { folder in (desktops + ["mimeapps.list"]).map { "\(folder)/\($0)" } }
    }

    /// nil where there is no file.
    private func contents(_ path: String) throws(CommandFailure) -> [UInt8]? {
        do throws(FileSystem.Failure) {
            return try FileSystem.read(path, limit: 1 << 20)
        } catch {
            if error == .notFound { return nil }
            let reason =
                switch error {
                case .tooLarge: "it is larger than 1 MiB"
                case .notAFile: "it is no regular file"
                case .system(let text): text
                case .notFound: "it is not there"
                }
            throw .usage(
                "\(path) cannot be read: \(reason)", help: "nothing was done; make it readable, or move it away",
                code: .usageFile)
        }
    }
}

// MARK: - Installing

extension LinkHandler {
    /// - Parameters:
    ///   - schemes: what is to be opened with Usher.
    ///   - browser: the desktop entry for pages that no app claims; nil means the handler of `https` before Usher.
    ///   - text: the desktop entry.
    func install(_ schemes: [String], browser given: String?, entry text: String) throws(CommandFailure) {
        let current = try contents(associations)
        let currentEntry = try contents(entry)
        let saved = try saved()
        // What would be there without Usher.
        let base = saved == nil ? current : try associationsWithoutUsher(saved, current)
        let without = DefaultApplications(base ?? [])
        let former = try schemes.map { (scheme) throws(CommandFailure) -> Former in
            let own = without.entries(for: LinkHandler.type(of: scheme))
            let entries = own.isEmpty ? try handlers(of: scheme) : own
            return Former(scheme: scheme, entries: entries.filter { !LinkHandler.isOurs($0) })
        }
        let browser = try browser(
            given, saved, former: try without.entries(for: LinkHandler.type(of: "https")) + handlers(of: "https"),
            isNeeded: schemes.contains("https"))
        var new = without
        for scheme in schemes { new.set(LinkHandler.type(of: scheme), to: LinkHandler.entryName) }
        try write(Saved(browser: browser, schemes: former))
        if saved == nil {
            try put(currentEntry, at: keptEntry)
            try put(current, at: keptAssociations)
        } else if base != contentsOrNil(keptAssociations) {
            try put(base, at: keptAssociations)
        }
        do throws(CommandFailure) {
            if currentEntry != Array(text.utf8) { try replace(entry, Array(text.utf8)) }
            if current != new.bytes { try replace(associations, new.bytes) }
        } catch {
            // Nothing was done: what was written first is taken back.
            if saved == nil { _ = try? remove() }
            throw error
        }
    }

    private func browser(
        _ given: String?, _ saved: Saved?, former: [String], isNeeded: Bool
    ) throws(CommandFailure) -> String? {
        if let given {
            let id = given.hasSuffix(".desktop") ? given : given + ".desktop"
            guard !LinkHandler.isOurs(id) else {
                throw .noBrowser("\(LinkHandler.entryName) is Usher itself, which would open its own links without end")
            }
            do throws(ActivationFailure) {
                _ = try desktop.entries(id)
            } catch {
                if error.code == .entryUnknown || error.code == .entryBroken { throw .noBrowser(error.message) }
            }
            return id
        }
        if let browser = saved?.browser ?? former.first(where: { !LinkHandler.isOurs($0) }) { return browser }
        guard isNeeded else { return nil }
        throw .noBrowser(
            former.isEmpty
                ? "no application is the handler of https links" : "the handler of https links is Usher itself")
    }
}

// MARK: - Removing

extension LinkHandler {
    /// Puts both files back as they were; where one was edited since, only what is Usher's is taken out of it.
    ///
    /// False where nothing was installed.
    func remove() throws(CommandFailure) -> Bool {
        let saved = try saved()
        let current = try contents(associations)
        let isRegistered = current.map { LinkHandler.namesUsher(DefaultApplications($0), saved) } ?? false
        guard saved != nil || isRegistered || FileSystem.exists(entry) else { return false }
        let restored = try associationsWithoutUsher(saved, current)
        if restored != current { try put(restored, at: associations) }
        if let currentEntry = try contents(entry), LinkHandler.isOurEntry(currentEntry) {
            try put(try contents(keptEntry), at: entry)
        }
        // A folder that cannot be written is no obstacle where nothing is kept.
        for path in [keptEntry, keptAssociations, record] where FileSystem.exists(path) { try NewFile.remove(path) }
        return true
    }

    private static func namesUsher(_ associations: DefaultApplications, _ saved: Saved?) -> Bool {
        (saved?.schemes.map(\.scheme) ?? ["http", "https"])
            .contains { associations.entries(for: type(of: $0)).contains(where: isOurs) }
    }

    private static func isOurEntry(_ bytes: [UInt8]) -> Bool {
        bytes.split(separator: UInt8(ascii: "\n")).contains { $0.elementsEqual(LinkHandlerEntry.mark.utf8) }
    }

    /// The associations as they were before Usher, or, where they were edited since, without Usher. nil means no file.
    private func associationsWithoutUsher(_ saved: Saved?, _ current: [UInt8]?) throws(CommandFailure) -> [UInt8]? {
        guard let saved else {
            var list = DefaultApplications(current ?? [])
            for scheme in ["http", "https"] {
                list.remove(LinkHandler.entryName, from: LinkHandler.type(of: scheme), former: [])
            }
            return current == nil ? nil : list.bytes
        }
        let before = try contents(keptAssociations)
        var installed = DefaultApplications(before ?? [])
        for former in saved.schemes { installed.set(LinkHandler.type(of: former.scheme), to: LinkHandler.entryName) }
        guard let current else { return nil }
        if current == installed.bytes { return before }
        let original = DefaultApplications(before ?? [])
        var list = DefaultApplications(current)
        for former in saved.schemes {
            let type = LinkHandler.type(of: former.scheme)
            list.remove(LinkHandler.entryName, from: type, former: original.entries(for: type))
        }
        if !original.hasGroup { list.removeEmptyGroup() }
        return before == nil && list.bytes.isEmpty ? nil : list.bytes
    }
}

// MARK: - What is kept

extension LinkHandler {
    private var record: String { state + "/link-handler.json" }
    private var keptAssociations: String { state + "/link-handler.mimeapps.list" }
    private var keptEntry: String { state + "/link-handler.desktop" }

    /// What `install` has kept; nil where nothing is installed.
    func saved() throws(CommandFailure) -> Saved? {
        guard let bytes = try contents(record) else { return nil }
        guard let saved = try? Saved(reading: bytes) else {
            throw .usage(
                "\(record) is damaged", help: "remove it, then run usher link-handler install --browser ENTRY",
                code: .usageFile)
        }
        return saved
    }

    private func write(_ saved: Saved) throws(CommandFailure) {
        let text = saved.jsonValue.text() + "\n"
        guard contentsOrNil(record) != Array(text.utf8) else { return }
        try NewFile.replace(record, with: text, mode: 0o600)
    }

    private func contentsOrNil(_ path: String) -> [UInt8]? { try? FileSystem.read(path, limit: 1 << 20) }

    /// - Parameter bytes: nil where there is to be no file.
    private func put(_ bytes: [UInt8]?, at path: String) throws(CommandFailure) {
        if let bytes { try replace(path, bytes) } else if FileSystem.exists(path) { try NewFile.remove(path) }
    }

    private func replace(_ path: String, _ bytes: [UInt8]) throws(CommandFailure) {
        try NewFile.replace(path, with: bytes, mode: FileSystem.mode(of: path) ?? 0o644)
    }
}

/// The desktop entry that opens links with Usher (Desktop Entry Specification 1.5).
struct LinkHandlerEntry {
    /// A line that says that a file is ours.
    static let mark = "X-Usher-Link-Handler=true"

    /// The words that `usher` is called with, its file first, up to the command.
    var program: [String]
    var schemes: [String]

    var text: String {
        """
        [Desktop Entry]
        Type=Application
        Version=1.1
        Name=Usher
        Comment=Opens links in the window that shows them
        Exec=\((program + ["open", "--"]).map(PublishedEntry.word).joined(separator: " ")) %u
        Terminal=false
        NoDisplay=true
        StartupNotify=true
        MimeType=\(schemes.map { LinkHandler.type(of: $0) + ";" }.joined())
        \(Self.mark)

        """
    }
}

extension CommandFailure {
    fileprivate static func noBrowser(_ message: String) -> CommandFailure {
        .refusal(
            .linkHandlerNoBrowser, message,
            help: "name the browser for pages that no app claims: usher link-handler install --browser firefox.desktop")
    }
}
