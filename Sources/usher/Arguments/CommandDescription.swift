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

        init(_ name: String, _ count: Count = .one) {
            self.name = name
            self.count = count
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

    /// The words that call it: `["scene", "connect"]`.
    var path: [String]
    /// One line, without a full stop.
    var summary: String
    var operands: [Operand]
    var options: [Option]
    /// What more there is to say, in lines of at most 100 characters.
    var discussion: [String]
    var examples: [Example]
    var run: Body

    init(
        _ path: String, _ summary: String, operands: [Operand] = [], options: [Option] = [], discussion: [String] = [],
        examples: [Example], run: @escaping Body
    ) {
        self.path = path.split(separator: " ").map(String.init)
        self.summary = summary
        self.operands = operands
        self.options = options
        self.discussion = discussion
        self.examples = examples
        self.run = run
    }

    var name: String { path.joined(separator: " ") }

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
