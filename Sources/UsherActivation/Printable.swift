/// Text of unknown origin, made fit for a message that may reach a terminal.
package enum Printable {
    /// Control, format and line-breaking characters as `\u{…}`, and no more than `limit` characters. O(limit).
    package static func text(_ text: String, limit: Int = 200) -> String {
        var result = ""
        var count = 0
        for scalar in text.unicodeScalars {
            if count == limit {
                result += "…"
                break
            }
            count += 1
            if disturbs(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The first line with something on it.
    static func firstLine(_ bytes: [UInt8]) -> String? {
        let line = bytes.prefix(4096).split { $0 == 0x0A || $0 == 0x0D }.first { $0.contains { $0 > 0x20 } }
        return line.map { text(String(decoding: $0, as: UTF8.self)) }
    }

    /// Whether a character could move the cursor or turn the writing direction.
    static func disturbs(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
