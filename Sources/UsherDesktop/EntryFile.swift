internal import UsherActivation
internal import UsherSystem
internal import UsherText

/// A desktop entry, read (Desktop Entry Specification 1.5).
struct EntryFile {
    private static let group = "Desktop Entry"

    var entry: DesktopEntry
    var path: String
    var isHidden: Bool
    var isShown: Bool
    var tryExec: String?
    var workingDirectory: String?
    /// The command lines of its actions, by id.
    var actionCommands: [String: String]
    private let bytes: [UInt8]

    /// Throws where the file is no desktop entry of a program.
    init(id: String, path: String, languages: [String], desktops: [String]) throws(ActivationFailure) {
        let bytes = try Self.read(path)
        let file = try Self.keyFile(bytes, path)
        let group = Self.group
        guard file.hasGroup(group) else { throw .brokenEntry(path, line: nil, "it has no group [\(group)]") }
        let type = file.string("Type", in: group)
        guard type == "Application" else {
            throw .brokenEntry(
                path, line: Self.line(of: "Type", in: group, bytes),
                "its Type is \(Printable.text(type ?? "absent")), and only Application can be started")
        }
        var actions: [DesktopEntry.Action] = []
        var commands: [String: String] = [:]
        for action in file.strings("Actions", in: group).prefix(100) {
            let group = Self.actionGroup(action)
            guard let name = file.string("Name", in: group, languages: languages) else { continue }
            actions.append(.init(id: action, name: name, icon: file.string("Icon", in: group, languages: languages)))
            commands[action] = file.string("Exec", in: group)
        }
        entry = DesktopEntry(
            id: id, name: file.string("Name", in: group, languages: languages) ?? id,
            comment: file.string("Comment", in: group, languages: languages),
            icon: file.string("Icon", in: group, languages: languages), path: path,
            exec: file.string("Exec", in: group), windowClass: file.string("StartupWMClass", in: group),
            isTerminal: file.isTrue("Terminal", in: group), isActivatable: file.isTrue("DBusActivatable", in: group),
            actions: actions)
        self.path = path
        self.bytes = bytes
        actionCommands = commands
        isHidden = file.isTrue("Hidden", in: group)
        let only = file.strings("OnlyShowIn", in: group)
        let not = file.strings("NotShowIn", in: group)
        isShown =
            !isHidden && !file.isTrue("NoDisplay", in: group)
            && (only.isEmpty || only.contains { desktops.contains($0) }) && !not.contains { desktops.contains($0) }
        tryExec = file.string("TryExec", in: group).flatMap { $0.isEmpty ? nil : $0 }
        workingDirectory = file.string("Path", in: group).flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func keyFile(_ bytes: [UInt8], _ path: String) throws(ActivationFailure) -> KeyFile {
        try Result { () throws(KeyFileProblem) in try KeyFile(bytes) }
            .mapError { ActivationFailure.brokenEntry(path, line: nil, $0.message) }.get()
    }

    private static func actionGroup(_ action: String) -> String { "Desktop Action \(action)" }

    /// The command line of the entry, or of one of its actions.
    func command(_ action: String?) throws(ActivationFailure) -> ExecLine {
        let group = action.map(Self.actionGroup) ?? Self.group
        guard let text = action.map({ actionCommands[$0] }) ?? entry.exec, !text.isEmpty else {
            throw .brokenEntry(path, line: nil, "[\(Printable.text(group))] has no Exec")
        }
        return try Result { () throws(ExecProblem) in
            try ExecLine(text)
        }.mapError { ActivationFailure.brokenEntry(path, line: Self.line(of: "Exec", in: group, bytes), $0.text) }.get()
    }

    /// The same place for what comes to light when it is filled in.
    func failure(_ problem: ExecProblem, _ action: String?) -> ActivationFailure {
        let group = action.map(Self.actionGroup) ?? Self.group
        return .brokenEntry(
            path, line: Self.line(of: "Exec", in: group, bytes), problem.text, help: problem.help)
    }

    private static func read(_ path: String) throws(ActivationFailure) -> [UInt8] {
        do throws(FileSystem.Failure) {
            return try FileSystem.read(path, limit: KeyFile.largest)
        } catch {
            let isUnreadable = error != .tooLarge && error != .notAFile
            throw .brokenEntry(
                path, line: nil,
                isUnreadable ? "it cannot be read" : "it is no file, or larger than \(KeyFile.largest) bytes")
        }
    }

    /// The number of the line that a key is on.
    private static func line(of key: String, in group: String, _ bytes: [UInt8]) -> Int? {
        var isInside = false
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
            let line = line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            if line.first == UInt8(ascii: "[") { isInside = line.starts(with: "[\(group)]".utf8) }
            guard isInside, line.starts(with: key.utf8) else { continue }
            if line.dropFirst(key.utf8.count).first(where: { $0 != UInt8(ascii: " ") }) == UInt8(ascii: "=") {
                return number + 1
            }
        }
        return nil
    }
}
