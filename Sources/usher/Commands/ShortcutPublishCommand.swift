internal import Glibc
internal import UsherConfiguration
internal import UsherDispatch
internal import UsherJSON
internal import UsherLog
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// `usher shortcut publish`: shortcut items in the launchers of the desktop.
enum ShortcutPublishCommand {
    private static let directory = Option(
        "directory", "DIR", "where the entries go (else $XDG_DATA_HOME/applications)")

    static let description = CommandDescription(
        "shortcut publish", "put the shortcut items of apps into the desktop's launchers",
        options: [directory],
        discussion: [
            "Writes a desktop entry for each app that has shortcut items: they are its actions. Entries of ours that",
            "nothing stands behind any more are removed; files of others are left as they are. Say it again after changes.",
        ],
        examples: [
            .init("usher shortcut publish --config Config", "for every app with [[shortcuts]]"),
            .init("usher shortcut publish --config Config --directory entries", "into a folder, to look at"),
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let configuration = try context.loadConfiguration().configuration
        let folder = try folder(arguments, context)
        let program = try program(context)
        var report: [(kind: String, paths: [String])] = []
        var (written, unchanged, removed, foreign): ([String], [String], [String], [String]) = ([], [], [], [])
        var kept: Set<String> = []
        for app in configuration.manifestApps where !app.shortcuts.isEmpty {
            let name = PublishedEntry.fileName(of: app)
            let path = "\(folder)/\(name)"
            // Two apps whose ids differ in signs alone: the second has none.
            guard kept.insert(name).inserted else {
                foreign.append(path)
                continue
            }
            let text = PublishedEntry(app: app, program: program).text
            let found = unsafe access(path, F_OK) == 0 ? FileSystem.contents(of: path, limit: 65_536) ?? [] : nil
            if let found, found.elementsEqual(text.utf8) {
                unchanged.append(path)
            } else if let found, !PublishedEntry.isOurs(found) {
                foreign.append(path)
            } else {
                try NewFile.replace(path, with: text, mode: 0o644)
                written.append(path)
            }
        }
        for name in names(in: folder) where PublishedEntry.isName(name) && !kept.contains(name) {
            let path = "\(folder)/\(name)"
            guard let found = FileSystem.contents(of: path, limit: 65_536), PublishedEntry.isOurs(found) else {
                continue
            }
            guard unsafe unlink(path) == 0 else { throw .usage("cannot remove \(path): \(SystemError.text(errno))") }
            removed.append(path)
        }
        report = [("written", written), ("unchanged", unchanged), ("removed", removed), ("foreign", foreign)]
        if context.writesJSON {
            context.output.write(
                JSONValue.object(report.map { .init($0.kind, .array($0.paths.map { .string($0) })) }).text() + "\n")
        } else {
            for (kind, paths) in report where kind != "foreign" && !paths.isEmpty {
                context.output.write("\(kind):\n" + paths.map { "   \(TerminalText.escape($0))\n" }.joined())
            }
            if written.isEmpty, unchanged.isEmpty { context.errors.note("no app declares shortcut items") }
        }
        context.output.flush()
        for path in foreign {
            context.errors.warning(
                "\(path) is another's, and stays as it is [\(DiagnosticCode.entryForeign)]",
                help: "move it away, or give --directory")
        }
        return foreign.isEmpty ? .handled : .finding
    }

    private static func folder(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> String {
        if let given = arguments.value(directory) { return FilePath.absolute(given) }
        func absolute(_ name: String) -> String? {
            context.environment[name].flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
        }
        if let data = absolute("XDG_DATA_HOME") { return data + "/applications" }
        if let home = absolute("HOME") { return home + "/.local/share/applications" }
        throw .usage("there is no home folder", help: "set $HOME, or give --directory")
    }

    /// This program, with the configuration and the store that are meant now, where they are not the usual ones.
    private static func program(_ context: Context) throws(CommandFailure) -> [String] {
        guard let program = FilePathParts.resolved("/proc/self/exe") else {
            throw .usage("this program cannot be found", help: "is /proc there?")
        }
        var words = [program]
        if let path = context.configurationOption ?? context.environment["USHER_CONFIG"], !path.isEmpty {
            words += ["--config", FilePath.absolute(path)]
        }
        if let path = context.stateOption ?? context.environment["USHER_STATE"], !path.isEmpty {
            words += ["--state", FilePath.absolute(path)]
        }
        return words
    }

    private static func names(in folder: String) -> [String] {
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            names.append(
                unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
                })
        }
        return names.sorted()
    }
}
