/// An option of the command line: a flag, or a name with a value.
struct Option: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case flag
        /// Any text; the name stands for it in help.
        case value(String)
        /// One of these words.
        case choice([String])
    }

    /// Without its dashes.
    var name: String
    var kind: Kind
    /// One line of help, in lower case, without a full stop.
    var summary: String
    /// A flag or a value may be given several times.
    var isRepeatable: Bool

    /// An option with a value.
    init(_ name: String, _ value: String, _ summary: String, isRepeatable: Bool = false) {
        self.init(name: name, kind: .value(value), summary: summary, isRepeatable: isRepeatable)
    }

    /// An option whose value is one of some words.
    init(_ name: String, oneOf words: [String], _ summary: String) {
        self.init(name: name, kind: .choice(words), summary: summary, isRepeatable: false)
    }

    /// An option without a value.
    init(flag name: String, _ summary: String) {
        self.init(name: name, kind: .flag, summary: summary, isRepeatable: true)
    }

    private init(name: String, kind: Kind, summary: String, isRepeatable: Bool) {
        self.name = name
        self.kind = kind
        self.summary = summary
        self.isRepeatable = isRepeatable
    }

    var takesValue: Bool { kind != .flag }

    /// `--target ID`.
    var synopsis: String {
        switch kind {
        case .flag: "--\(name)"
        case .value(let value): "--\(name) \(value)"
        case .choice(let words): "--\(name) \(words.joined(separator: "|"))"
        }
    }
}

/// The options that every command takes.
extension Option {
    static let config = Option(
        "config", "DIR|FILE", "the configuration (else $USHER_CONFIG, $XDG_CONFIG_HOME/usher, /etc/usher)")
    static let state = Option("state", "DIR", "the folder of usher.db (else $USHER_STATE, $XDG_STATE_HOME/usher)")
    static let json = Option(flag: "json", "JSON also on a terminal")
    static let quiet = Option(flag: "quiet", "no progress, notes or hints, only errors")
    static let logFormat = Option("log-format", oneOf: ["json", "text", "journal"], "the form of the log")
    static let logLevel = Option(
        "log-level", oneOf: ["debug", "info", "notice", "warning", "error"], "the least level that is logged")
    static let help = Option(flag: "help", "this text (also -h)")
    static let version = Option(flag: "version", "the version (without a command)")

    static let global = [config, state, json, quiet, logFormat, logLevel, help]
}
