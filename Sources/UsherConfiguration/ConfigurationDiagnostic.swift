public import UsherScene
internal import UsherText

/// A mistake in the configuration, where it is, and what to change.
public struct ConfigurationDiagnostic: Error, Sendable, Hashable {
    public enum Severity: String, Sendable, CaseIterable {
        /// Nothing is done with a configuration that has one.
        case error
        case warning
    }

    public var severity: Severity
    public var code: DiagnosticCode
    /// The file, relative to the configuration folder; the folder itself where it could not be read.
    public var path: String
    /// nil where the whole file is meant.
    public var location: SourceLocation?
    /// How many characters from `location` on are meant.
    public var length: Int
    public var message: String
    /// What to change.
    public var help: String?
    /// Another place that has to do with it: the first of two equal names.
    public var related: SourceLocation?
    /// The line of `location`.
    public var sourceLine: String?

    init(
        _ severity: Severity, _ code: DiagnosticCode, path: String, location: SourceLocation? = nil, length: Int = 1,
        message: String, help: String? = nil, related: SourceLocation? = nil, sourceLine: String? = nil
    ) {
        self.severity = severity
        self.code = code
        self.path = path
        self.location = location
        self.length = length
        self.message = message
        self.help = help
        self.related = related
        self.sourceLine = sourceLine
    }

    /// By file, place, and then as found.
    static func precedes(_ one: Self, _ other: Self) -> Bool {
        if one.path != other.path { return one.path.utf8.lexicographicallyPrecedes(other.path.utf8) }
        return (one.location?.line ?? 0, one.location?.column ?? 0)
            < (other.location?.line ?? 0, other.location?.column ?? 0)
    }
}

// MARK: - Text

extension ConfigurationDiagnostic: CustomStringConvertible {
    /// `file:line:column: error: message [code name]`.
    public var headline: String {
        let place = location.map { "\($0)" } ?? path
        return "\(Printable.escaped(place)): \(severity.rawValue): \(Printable.escaped(message)) [\(code)]"
    }

    /// The headline, the line with a caret, and the help; without a line end at the end. Control characters are escaped.
    public var description: String {
        var lines = [headline]
        if let location, let sourceLine {
            let number = String(location.line)
            let width = max(5, number.utf8.count)
            let excerpt = CaretText.Excerpt(line: sourceLine, column: location.column, length: length)
            lines.append(String(repeating: " ", count: width - number.utf8.count) + number + " | " + excerpt.text)
            lines.append(String(repeating: " ", count: width) + " | " + excerpt.marker)
        }
        if let help { lines.append("   help: " + Printable.escaped(help)) }
        if let related { lines.append("   see:  " + Printable.escaped(related.description)) }
        return lines.map { String(Substring($0.utf8.trimmed("", atEnd: " "))) }.joined(separator: "\n")
    }
}
