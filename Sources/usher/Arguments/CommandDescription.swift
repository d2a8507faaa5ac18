internal import UsherText

/// Everything there is to know about one command: drives parsing, help, suggestions and shell completion.
struct CommandDescription: Sendable {
    /// What stands on the line after the options.
    struct Operand: Sendable {
        enum Count: Sendable {
            case one, optional, any, atLeastOne
        }

        /// As in `SESSION`.
        var name: String
        var count: Count
        /// What it is, where its name alone does not say that: see `values`.
        let given: ValueKind?

        init(_ name: String, _ count: Count = .one, of values: ValueKind? = nil) {
            self.name = name
            self.count = count
            given = values
        }

        var synopsis: String {
            switch count {
            case .one: name
            case .optional: "[\(name)]"
            case .any: "[\(name)]..."
            case .atLeastOne: "\(name)..."
            }
        }
    }

    /// A line that works when it is typed, and what it does.
    struct Example: Sendable {
        var line: String
        var purpose: String

        init(_ line: String, _ purpose: String) {
            self.line = line
            self.purpose = purpose
        }
    }

    typealias Body = @Sendable (Arguments, Context) throws(CommandFailure) -> ExitStatus

    /// What is made only when it is asked for: making it of all commands takes longer than a command that changes one row.
    struct Details: Sendable {
        /// One line, without a full stop.
        var summary: String
        var options: [Option]
        /// What more there is to say, in lines of at most 100 characters.
        var discussion: [String]
        var examples: [Example]
    }

    /// The words that call it: `scene connect`.
    let name: String
    var operands: [Operand]
    let details: @Sendable () -> Details
    var run: Body

    init(
        _ name: String, _ summary: @autoclosure @escaping @Sendable () -> String, operands: [Operand] = [],
        options: @autoclosure @escaping @Sendable () -> [Option] = [],
        discussion: @autoclosure @escaping @Sendable () -> [String] = [],
        examples: @autoclosure @escaping @Sendable () -> [Example], run: @escaping Body
    ) {
        self.init(name, operands: operands, run: run) {
            Details(summary: summary(), options: options(), discussion: discussion(), examples: examples())
        }
    }

    /// A command whose status is 0 unless it throws.
    init(
        _ name: String, _ summary: @autoclosure @escaping @Sendable () -> String, operands: [Operand] = [],
        options: @autoclosure @escaping @Sendable () -> [Option] = [],
        discussion: @autoclosure @escaping @Sendable () -> [String] = [],
        examples: @autoclosure @escaping @Sendable () -> [Example],
        run: @escaping @Sendable (Arguments, Context) throws(CommandFailure) -> Void
    ) {
        let body: Body = { (arguments, context) throws(CommandFailure) in
            try run(arguments, context)
            return .handled
        }
        self.init(name, operands: operands, run: body) {
            Details(summary: summary(), options: options(), discussion: discussion(), examples: examples())
        }
    }

    init(_ name: String, operands: [Operand], run: @escaping Body, details: @escaping @Sendable () -> Details) {
        self.name = name
        self.operands = operands
        self.details = details
        self.run = run
    }

    var path: [String] { name.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) } }

    var summary: String { details().summary }

    var options: [Option] { details().options }

    var discussion: [String] { details().discussion }

    var examples: [Example] { details().examples }

    /// How few and how many operands it takes; nil means any number.
    var operandCount: (least: Int, most: Int?) {
        var least = 0
        var most: Int? = 0
        for operand in operands {
            switch operand.count {
            case .one: (least, most) = (least + 1, most.map { $0 + 1 })
            case .optional: most = most.map { $0 + 1 }
            case .any: most = nil
            case .atLeastOne: (least, most) = (least + 1, nil)
            }
        }
        return (least, most)
    }
}

/// An option of the command line: a flag, or a name with a value.
struct Option: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case flag
        /// Any text; the name stands for it in help.
        case value(String)
        /// A flag, or with `=` a value: `--wait`, `--wait=60`.
        case optionalValue(String)
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
    /// Words beside those of a choice that its command knows and refuses itself: help does not offer them.
    var refused: [String] = []

    /// An option with a value.
    init(_ name: String, _ value: String, _ summary: String, isRepeatable: Bool = false) {
        self.init(name: name, kind: .value(value), summary: summary, isRepeatable: isRepeatable)
    }

    /// A flag that may have a value.
    init(_ name: String, optional value: String, _ summary: String) {
        self.init(name: name, kind: .optionalValue(value), summary: summary, isRepeatable: false)
    }

    /// An option whose value is one of some words.
    init(_ name: String, oneOf words: [String], refusing refused: [String] = [], _ summary: String) {
        self.init(name: name, kind: .choice(words), summary: summary, isRepeatable: false)
        self.refused = refused
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

    /// Whether the next word is its value.
    var takesValue: Bool {
        switch kind {
        case .flag, .optionalValue: false
        case .value, .choice: true
        }
    }

    /// `--target ID`.
    var synopsis: String {
        switch kind {
        case .flag: "--\(name)"
        case .value(let value): "--\(name) \(value)"
        case .optionalValue(let value): "--\(name)[=\(value)]"
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

/// What a command was given, read by its description: options with their values, and operands.
struct Arguments: Sendable {
    /// In the order of the line; a flag has the value "".
    private var options: [(name: String, value: String)]
    let operands: [String]

    init(options: [(name: String, value: String)] = [], operands: [String] = []) {
        self.options = options
        self.operands = operands
    }

    func has(_ option: Option) -> Bool { options.contains { $0.name == option.name } }

    /// The option's value; the last one where it is repeatable.
    func value(_ option: Option) -> String? { options.last { $0.name == option.name }?.value }

    func values(_ option: Option) -> [String] { options.filter { $0.name == option.name }.map(\.value) }

    /// The option's value as a number; nil where it is not given.
    func number(_ option: Option, in range: ClosedRange<Int>) throws(CommandFailure) -> Int? {
        guard let text = value(option) else { return nil }
        if let number = Int(text), range.contains(number) { return number }
        let end = range.upperBound >= Int(Int32.max) ? "on" : "to \(range.upperBound)"
        throw .usage(
            "--\(option.name) cannot be \(QuotedText.text(text))",
            help: "it is a number from \(range.lowerBound) \(end)")
    }
}
