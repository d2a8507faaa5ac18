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

    /// A folder of configuration or data: what a variable names, else one in the home.
    static func folder(
        _ variable: String?, _ standard: String, _ environment: [String: String]
    ) throws(CommandFailure) -> String {
        if let given = variable.flatMap({ environment[$0] }), given.utf8.first == UInt8(ascii: "/") { return given }
        if let home = environment["HOME"], home.utf8.first == UInt8(ascii: "/") { return "\(home)/\(standard)" }
        throw .usage(
            "there is no home folder", help: "set $HOME" + (variable.map { ", or $\($0)" } ?? ""), code: .usageMissing)
    }

    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }
}
