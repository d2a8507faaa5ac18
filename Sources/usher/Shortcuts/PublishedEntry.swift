internal import UsherEngine
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// An app's shortcut items as a desktop entry with actions, for launchers (Desktop Entry Specification 1.5).
struct PublishedEntry {
    /// Says that a file is ours.
    private static let mark = "X-Usher-App="
    private static let prefix = "usher-"
    /// Launchers show a handful.
    static let mostActions = 20

    var app: App
    /// The declared ones, then the dynamic ones; each is publishable.
    var shortcuts: [ShortcutAnswer]
    /// The words that `usher` is called with, its file first, up to the command.
    var program: [String]

    static func fileName(of app: App) -> String { "\(prefix)\(safe(app.id)).desktop" }

    /// Whether a file may be one of ours.
    static func isName(_ name: String) -> Bool { name.hasPrefix(prefix) && name.hasSuffix(".desktop") }

    static func isOurs(_ bytes: [UInt8]) -> Bool {
        bytes.split(separator: UInt8(ascii: "\n")).contains { $0.starts(with: mark.utf8) }
    }

    /// Whether its type can be a word of `Exec`, which has no escapes for what disturbs. No other shortcut is published.
    static func isPublishable(_ shortcut: ShortcutAnswer) -> Bool {
        !shortcut.type.unicodeScalars.contains(where: Printable.disturbs)
    }

    var text: String {
        let shortcuts = Self.named(shortcuts.prefix(Self.mostActions))
        var text = """
            [Desktop Entry]
            Type=Application
            Version=1.1
            Name=\(Self.shown(app.name))
            Comment=\(Self.shown("Shortcuts of \(app.name)"))
            Exec=\(command(shortcuts.first?.shortcut.type ?? ""))
            Terminal=false
            StartupNotify=true
            \(Self.mark)\(Self.string(app.id))

            """
        // Actions are listed with a semicolon after each.
        text += "Actions=" + shortcuts.map { $0.id + ";" }.joined() + "\n"
        for (id, shortcut) in shortcuts {
            text += "\n[Desktop Action \(id)]\nName=\(Self.shown(shortcut.localizedTitle))\n"
            if let icon = shortcut.iconName, !icon.isEmpty { text += "Icon=\(Self.shown(icon))\n" }
            text += "Exec=\(command(shortcut.type))\n"
        }
        return text
    }

    private func command(_ type: String) -> String {
        let words = program + ["shortcut", "perform", "--app", app.id, "--", type]
        return words.map(Self.word).joined(separator: " ")
    }

    /// Ids of actions are letters, digits and hyphens, and each is another.
    private static func named(_ shortcuts: ArraySlice<ShortcutAnswer>) -> [(id: String, shortcut: ShortcutAnswer)] {
        var taken: Set<String> = []
        return shortcuts.enumerated().map { number, shortcut in
            let plain = safe(shortcut.type)
            let id = taken.contains(plain) || plain != shortcut.type ? "\(plain)-\(number + 1)" : plain
            taken.insert(id)
            return (id, shortcut)
        }
    }

    private static func safe(_ text: String) -> String {
        String(decoding: text.utf8.map { $0.isASCIILetterOrDigit ? $0 : UInt8(ascii: "-") }, as: UTF8.self)
    }

    /// This program with some of its options, as words of `Exec`.
    static func program(_ options: [String]) throws(CommandFailure) -> [String] {
        guard let program = OwnProgram.path else {
            throw .usage("this program cannot be found", help: "is /proc there?", code: .usageMissing)
        }
        let words = [program] + options
        for word in words where word.unicodeScalars.contains(where: Printable.disturbs) {
            throw .usage(
                "the path \(QuotedText.text(word)) has control characters, which a desktop entry cannot hold",
                help: "use a path without them")
        }
        return words
    }

    /// A word of Exec: in quotation marks, percent signs doubled, and that as a string of a key file.
    static func word(_ word: String) -> String {
        let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@,+="
        if !word.isEmpty, word.allSatisfy({ plain.contains($0) }) { return word }
        var quoted = "\""
        for scalar in word.unicodeScalars {
            if "\"`$\\".unicodeScalars.contains(scalar) { quoted += "\\" }
            if scalar == "%" { quoted += "%" }
            quoted.unicodeScalars.append(scalar)
        }
        return string(quoted + "\"")
    }

    /// Text that a launcher shows.
    private static func shown(_ text: String) -> String { string(Printable.text(text, limit: .max, as: .plain)) }

    /// A string as key files write it.
    private static func string(_ text: String) -> String {
        var escaped = ""
        for (place, scalar) in text.unicodeScalars.enumerated() {
            switch scalar {
            case "\\": escaped += "\\\\"
            case " " where place == 0: escaped += "\\s"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
