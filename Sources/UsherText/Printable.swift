/// Text of unknown origin, made fit for a message that may reach a terminal.
public enum Printable {
    /// Control, format and line-breaking characters as `\u{…}`, and no more than `limit` characters. O(limit).
    public static func text(_ text: String, limit: Int = 200) -> String {
        var result = ""
        var count = 0
        for scalar in text.unicodeScalars {
            if count == limit {
                result += "…"
                break
            }
            count += 1
            if disturbs(scalar) {
                result += escape(scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// All of it, with the same characters escaped, in capital digits.
    public static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: disturbs) else { return text }
        return text.unicodeScalars.map { disturbs($0) ? escape($0, uppercase: true) : String($0) }.joined()
    }

    static func escape(_ scalar: Unicode.Scalar, uppercase: Bool = false) -> String {
        "\\u{\(String(scalar.value, radix: 16, uppercase: uppercase))}"
    }

    /// The first line with something on it.
    public static func firstLine(_ bytes: [UInt8]) -> String? {
        let line = bytes.prefix(4096).split { $0 == 0x0A || $0 == 0x0D }.first { $0.contains { $0 > 0x20 } }
        return line.map { text(String(decoding: $0, as: UTF8.self)) }
    }

    /// Whether a character could move the cursor or turn the writing direction.
    public static func disturbs(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}

/// Text from outside, made safe to show: control, bidirectional and separator characters become visible escapes. Joiners
/// within emoji and private characters stay, which `Printable` escapes.
public enum TerminalText {
    public static func escape(_ text: some StringProtocol) -> String {
        guard text.unicodeScalars.contains(where: disturbs) else { return String(text) }
        var safe = ""
        for scalar in text.unicodeScalars {
            if disturbs(scalar) { safe += Printable.escape(scalar) } else { safe.unicodeScalars.append(scalar) }
        }
        return safe
    }

    /// Whether a character moves the cursor, breaks lines or reorders what is shown.
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
