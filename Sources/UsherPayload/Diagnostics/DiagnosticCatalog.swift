/// One row of the table of everything that can be wrong.
public struct DiagnosticEntry: Hashable, Sendable {
    public enum Severity: Hashable, Sendable {
        case error, warning
        /// An error where it makes the payload useless, else a warning.
        case either
    }

    public let name: DiagnosticName
    /// The stable code, such as `U1203`.
    public let code: String
    public let severity: Severity
    public let meaning: String
    /// What the sender should do.
    public let remedy: String

    init(_ name: DiagnosticName, _ code: String, _ severity: Severity, _ meaning: String, remedy: String) {
        self.name = name
        self.code = code
        self.severity = severity
        self.meaning = meaning
        self.remedy = remedy
    }
}

/// The table of dotted names, their codes, meanings and remedies: the one place where they are documented.
public enum DiagnosticCatalog {
    /// All entries, by code.
    public static let entries: [DiagnosticEntry] = (text + notification + carriers).sorted { $0.code < $1.code }

    private static let byName = Dictionary(entries.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    public static func entry(_ name: DiagnosticName) -> DiagnosticEntry {
        guard let entry = byName[name] else { preconditionFailure("\(name.rawValue) is not in the catalog") }
        return entry
    }
}

extension DiagnosticName {
    /// The stable code, such as `U1203`.
    public var code: String { DiagnosticCatalog.entry(self).code }

    /// What the name stands for, in one line.
    public var meaning: String { DiagnosticCatalog.entry(self).meaning }

    /// What the sender should do.
    public var remedy: String { DiagnosticCatalog.entry(self).remedy }
}
