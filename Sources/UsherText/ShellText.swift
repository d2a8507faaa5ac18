/// Commands as a POSIX shell reads them: to show, and to paste.
///
/// POSIX.1-2024, Shell Command Language, 2.2 Quoting; `$'…'` is 2.2.4.
public enum ShellText {
    /// Enough to tell commands apart, in reports.
    public static let reportLimit = 400
    /// Enough for every command but the largest, to be pasted whole.
    public static let planLimit = 8192

    /// Words with anything unusual quoted. After `limit` characters of them follows `…`.
    public static func command(_ words: [String], limit: Int = reportLimit) -> String {
        var text = ""
        var rest = limit
        for (index, word) in words.enumerated() {
            let cut = String(word.unicodeScalars.prefix(max(0, rest)))
            text += (index > 0 ? " " : "") + quoted(cut, isFirst: index == 0)
            guard cut.utf8.count == word.utf8.count else { return text + "…" }
            rest -= cut.unicodeScalars.count + 1
        }
        return text
    }

    /// One word, such that the shell reads the same text, and that a terminal can show.
    private static func quoted(_ word: String, isFirst: Bool) -> String {
        if word.unicodeScalars.contains(where: Printable.disturbs) { return escaped(word) }
        // `NAME=value` before a command is an assignment, and `{a,b}` and `{1..3}` are many words in some shells.
        let isExpansion = word.utf8.contains(UInt8(ascii: "{")) && (word.contains(",") || word.contains(".."))
        let isAssignment = isFirst && word.utf8.contains(UInt8(ascii: "="))
        let isPlain = !word.isEmpty && !isExpansion && !isAssignment && word.utf8.allSatisfy(isPlainByte)
        return isPlain ? word : inQuotationMarks(word)
    }

    /// In single quotes, which a shell reads as they are; a single quote in it stands between two such texts.
    package static func inQuotationMarks(_ word: String) -> String {
        "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }

    /// In the form with escapes, since the text has characters that are not to be shown.
    private static func escaped(_ word: String) -> String {
        var text = "$'"
        for scalar in word.unicodeScalars {
            switch scalar {
            case "\n": text += #"\n"#
            case "\t": text += #"\t"#
            case "'", "\\": text += "\\\(scalar)"
            case _ where Printable.disturbs(scalar):
                for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                    let digits = String(byte, radix: 8)
                    text += "\\" + String(repeating: "0", count: 3 - digits.utf8.count) + digits
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "'"
    }

    private static func isPlainByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "-_./:=@%+,{}".utf8.contains(byte)
    }
}
