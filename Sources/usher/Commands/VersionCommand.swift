internal import UsherScene

/// `usher version`, `usher --version`.
enum VersionCommand {
    static let description = CommandDescription(
        "version", "the version of this program",
        examples: [.init("usher version", "print it")],
        run: run)

    @Sendable
    private static func run(_: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        context.output.write("usher \(UsherVersion.text)\n")
        return .handled
    }
}
