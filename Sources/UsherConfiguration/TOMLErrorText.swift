/// Says in plain words what toml++ says in its own.
enum TOMLErrorText {
    static func explain(_ text: String, in file: SourceFile, at position: SourcePosition) -> (String, help: String?) {
        var message = text
        if text.hasPrefix("Error while parsing "), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
            let subject = text[..<colon].dropFirst("Error while parsing ".utf8.count)
            let rest = text[text.utf8.index(after: colon)...].drop { $0 == " " }
            message = "this is not TOML (\(subject)): \(rest)"
        }
        if text.contains("expected '='") {
            let help =
                assignment(in: file, at: position).map { "a key and its value are joined by `=`: \($0)" }
                ?? "a key and its value are joined by `=`, and a table begins with its name in brackets: [targets]"
            return (message, help)
        }
        if text.contains("could not determine value type") {
            return (
                "this is no value", "text stands in quotes: \"…\"; otherwise a number, true, false, [list] or {table}"
            )
        }
        if text.contains("cannot redefine existing") {
            return (message, "a name can be set once in a table; [[double brackets]] add one more table to a list")
        }
        if text.contains("inline table"), text.contains("'\\n'") {
            return (message, "an inline table {…} stays on one line, and no comma stands behind its last value")
        }
        if text.contains("unknown escape sequence") {
            return (message, "write '…' with single quotes, in which a backslash is itself, or double the backslash")
        }
        if text.contains("string"), text.contains("control characters") || text.contains("end-of-file") {
            return (message, "the closing quote is missing, or stands on another line; '''…''' may have several lines")
        }
        if text.contains("expected a comment or whitespace") {
            return (message, "a text with quotes in it stands in single quotes: opens = 'SELF == \"x\"'")
        }
        return (message, nil)
    }

    /// A line such as `id: a` or `id "a"` as TOML: its key is parted from its value by another sign, or by none.
    private static func assignment(in file: SourceFile, at position: SourcePosition) -> String? {
        let line = file.line(position.line)
        let end = file.offset(of: position)
        guard line.startIndex <= end, end <= line.endIndex else { return nil }
        func text(_ bytes: ArraySlice<UInt8>) -> String {
            let words = bytes.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
                .prefix { $0.first != UInt8(ascii: "#") }
            return String(decoding: Array(words.joined(separator: [UInt8(ascii: " ")])), as: UTF8.self)
        }
        let key = text(line[..<end])
        let rest = line[end...]
        let value = text(rest.first == UInt8(ascii: ":") ? rest.dropFirst() : rest)
        guard !key.isEmpty, let first = value.utf8.first, value.utf8.count <= 80 else { return nil }
        let isValue = value == "true" || value == "false" || "\"'[{0123456789+-".utf8.contains(first)
        return "\(key) = \(isValue ? value : TOMLText.quoted(value))"
    }
}
