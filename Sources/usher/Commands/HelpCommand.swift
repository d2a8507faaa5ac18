/// `usher help [COMMAND]`. The parser makes it the same as `usher COMMAND --help`.
enum HelpCommand {
    static let description = CommandDescription(
        "help", "what a command does, with examples",
        operands: [.init("COMMAND", .any)],
        examples: [
            .init("usher help", "every command"),
            .init("usher help scene connect", "one command, the same as usher scene connect --help"),
        ],
        run: { (_, context) throws(CommandFailure) in
            context.output.write(HelpText.text(for: [], style: context.style))
            return .handled
        })
}
