/// Text of unknown origin, made fit to be shown: on terminals, in logs, messages and annotations, in desktop entries and
/// notifications.
public enum Printable {
    /// What becomes of a character that disturbs.
    public enum Form: Sendable {
        /// It becomes visible as `\u{…}`.
        case escaped
        /// A control character becomes a blank, any other is left out: for graphical programs, which read no escapes.
        case plain
    }

    /// The text without characters that disturb; of more than `limit` characters, the first and `…`. O(limit).
    ///
    /// - Parameter kept: stays as it is, though it disturbs.
    public static func text(
        _ text: some StringProtocol, limit: Int = 200, as form: Form = .escaped, keeping kept: Unicode.Scalar? = nil
    ) -> String {
        if text.utf8.count <= limit {
            // Most texts are plain.
            let whole = String(text)
            if whole.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return whole }
        }
        var result = ""
        var count = 0
        for scalar in text.unicodeScalars {
            if count == limit {
                result += "…"
                break
            }
            count += 1
            if scalar == kept || !disturbs(scalar) {
                result.unicodeScalars.append(scalar)
            } else if form == .escaped {
                result += escape(scalar)
            } else if scalar.properties.generalCategory == .control {
                result += " "
            }
        }
        return result
    }

    /// All of it, with what disturbs as `\u{…}`.
    public static func escaped(_ text: some StringProtocol, keeping kept: Unicode.Scalar? = nil) -> String {
        guard text.unicodeScalars.contains(where: disturbs) else { return String(text) }
        return self.text(text, limit: .max, keeping: kept)
    }

    static func escape(_ scalar: Unicode.Scalar) -> String { "\\u{\(String(scalar.value, radix: 16))}" }

    /// The last line with something on it.
    public static func lastLine(of text: String) -> String? {
        let line = text.utf8.split { $0 == 0x0A || $0 == 0x0D }.last { $0.contains { $0 > 0x20 } }
        return line.map { self.text(Substring($0)) }
    }

    /// Whether a character controls a terminal (C0, DEL, C1), separates lines, or reorders what is shown (UAX #9); a byte
    /// order mark, too.
    @inlinable
    public static func disturbs(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}

/// Words from outside in messages.
public enum QuotedText {
    /// In double quotes, shortened where it is long.
    public static func text(_ text: String) -> String {
        text.unicodeScalars.count <= 120 ? "\"\(text)\"" : "\"\(String(text.unicodeScalars.prefix(117)))...\""
    }
}

/// Whether and how text is coloured: never where standard output is no terminal or `NO_COLOR` is set.
public struct TerminalStyle: Sendable {
    public var isColoured: Bool

    public init(isColoured: Bool) { self.isColoured = isColoured }

    public static let plain = TerminalStyle(isColoured: false)

    public enum Color: String, Sendable {
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    public func color(_ text: String, _ color: Color) -> String { wrap(text, color.rawValue) }
    public func emphasise(_ text: String) -> String { wrap(text, "1") }
    public func dim(_ text: String) -> String { wrap(text, "2") }

    private func wrap(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
