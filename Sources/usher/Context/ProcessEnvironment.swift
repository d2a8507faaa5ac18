internal import Glibc
internal import UsherSystem

/// What the process was started with.
enum ProcessEnvironment {
    /// The arguments after the program's name.
    static func arguments() throws(CommandFailure) -> [String] {
        do throws(ProgramArguments.NotText) {
            return try ProgramArguments.all()
        } catch {
            throw .usage(
                "argument \(error.place) is not UTF-8",
                help: "text of another encoding can come in on standard input")
        }
    }

    /// The environment, without the token that `CallerToken` took out of it. Not every command needs it, and the first
    /// dictionary with keys of a type takes a tenth of a start.
    static let variables = ProcessVariables.all()

    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }
}
