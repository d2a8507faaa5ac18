import UsherScene

/// What is typed into a window: literal text and named keys.
///
/// Keys are named by the manifest only, as `<Enter>` or `<C-c>`; a payload's text is always text. What looks like no key
/// (`<b>`, `a < b`) is literal.
public enum KeyStroke: Sendable, Hashable {
    case text(String)
    /// In tmux's spelling: `Enter`, `C-c`, `M-x`, `F5`.
    case key(String)
}

struct KeySequence: Sendable {
    private enum Part {
        case text(PlaceholderText)
        case key(String)
    }

    private let parts: [Part]
    /// Whether anything of a payload is typed.
    let hasPlaceholders: Bool

    init(_ command: Command) throws(ActivationFailure) {
        guard !command.arguments.isEmpty else { throw .emptyCommand }
        var parts: [Part] = []
        for argument in command.arguments {
            for piece in Self.split(argument) {
                switch piece {
                case .key(let name): parts.append(.key(name))
                case .text(let text): parts.append(.text(try PlaceholderText(text)))
                }
            }
        }
        self.parts = parts
        hasPlaceholders = parts.contains {
            if case .text(let template) = $0 { template.hasPlaceholders } else { false }
        }
    }

    /// Whether it names a file that is to be made first.
    var usesPayloadFile: Bool {
        parts.contains { if case .text(let template) = $0 { template.usesPayloadFile } else { false } }
    }

    func expand(_ task: ActivationTask, payloadFile: String) throws(ActivationFailure) -> [KeyStroke] {
        var strokes: [KeyStroke] = []
        for part in parts {
            switch part {
            case .key(let name): strokes.append(.key(name))
            case .text(let template):
                let text = template.expand(task, payloadFile: payloadFile)
                if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
                    throw .unsafeText(text)
                }
                if !text.isEmpty { strokes.append(.text(text)) }
            }
        }
        return strokes
    }

    private static func split(_ argument: String) -> [KeyStroke] {
        var pieces: [KeyStroke] = []
        var text: [UInt8] = []
        var rest = argument.utf8[...]
        while let byte = rest.first {
            if byte == UInt8(ascii: "<"), let end = rest.firstIndex(of: UInt8(ascii: ">")) {
                let name = String(decoding: rest[rest.index(after: rest.startIndex)..<end], as: UTF8.self)
                if isKey(name) {
                    if !text.isEmpty { pieces.append(.text(String(decoding: text, as: UTF8.self))) }
                    text = []
                    pieces.append(.key(name))
                    rest = rest[end...].dropFirst()
                    continue
                }
            }
            text.append(byte)
            rest = rest.dropFirst()
        }
        if !text.isEmpty { pieces.append(.text(String(decoding: text, as: UTF8.self))) }
        return pieces
    }

    private static let names: Set<String> = [
        "Enter", "Escape", "Tab", "BTab", "Space", "BSpace", "Up", "Down", "Left", "Right", "Home", "End", "PageUp",
        "PageDown", "PPage", "NPage", "PgUp", "PgDn", "IC", "DC", "Insert", "Delete", "F1", "F2", "F3", "F4", "F5",
        "F6",
        "F7", "F8", "F9", "F10", "F11", "F12",
    ]

    /// A named key, or a key of one character with a modifier: `C-c`.
    private static func isKey(_ name: String) -> Bool {
        var rest = name.utf8[...]
        var hasModifier = false
        while rest.count > 2, let modifier = rest.first, "CMS".utf8.contains(modifier),
            rest.dropFirst().first == UInt8(ascii: "-")
        {
            hasModifier = true
            rest = rest.dropFirst(2)
        }
        if hasModifier, rest.count == 1, let byte = rest.first, byte > 0x20, byte < 0x7F { return true }
        return names.contains(String(decoding: rest, as: UTF8.self))
    }
}
