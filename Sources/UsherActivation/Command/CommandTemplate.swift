import UsherScene
internal import UsherText

/// A command with its placeholders understood, to be filled in for one request after the other.
struct CommandTemplate: Sendable {
    let program: String
    private let arguments: [TextTemplate]
    private let environment: [(name: String, value: TextTemplate)]

    init(_ command: Command) throws(ActivationFailure) {
        guard let first = command.arguments.first, !first.isEmpty else { throw .emptyCommand }
        let program = try TextTemplate(first)
        if program.hasPlaceholders { throw .badTemplate(first, "the program may not depend on a payload") }
        if case .literal(let text) = program.segments.first { self.program = text } else { throw .emptyCommand }
        var arguments: [TextTemplate] = []
        for argument in command.arguments.dropFirst() { arguments.append(try TextTemplate(argument)) }
        self.arguments = arguments
        var environment: [(name: String, value: TextTemplate)] = []
        for (name, value) in command.environment.sorted(by: { $0.key < $1.key }) {
            environment.append((name, try TextTemplate(value)))
        }
        self.environment = environment
    }

    /// Whether it names a file that is to be made first.
    var usesPayloadFile: Bool {
        arguments.contains { $0.usesPayloadFile } || environment.contains { $0.value.usesPayloadFile }
    }

    /// The arguments after the program's name. No value is split, and none becomes an option: an argument that begins with
    /// a placeholder must not begin with `-`, unless a literal `--` stands before it.
    func expandArguments(_ task: ActivationTask, payloadFile: String) throws(ActivationFailure) -> [String] {
        var expanded: [String] = []
        var optionsEnded = false
        for template in arguments {
            let value = template.expand(task, payloadFile: payloadFile)
            if !optionsEnded, template.beginsWithPlaceholder, value.utf8.first == UInt8(ascii: "-") {
                throw .dashArgument(template.text, value: value)
            }
            if value.utf8.contains(0) { throw .holdsNUL("the argument \(Printable.text(template.text))") }
            if template.segments == [.literal("--")] { optionsEnded = true }
            expanded.append(value)
        }
        return expanded
    }

    func expandEnvironment(_ task: ActivationTask, payloadFile: String) throws(ActivationFailure)
        -> [EnvironmentVariable]
    {
        var variables: [EnvironmentVariable] = []
        for (name, template) in environment {
            let value = template.expand(task, payloadFile: payloadFile)
            if value.utf8.contains(0) { throw .holdsNUL("the environment variable \(Printable.text(name))") }
            variables.append(EnvironmentVariable(name, value))
        }
        return variables
    }
}
