internal import Glibc
internal import UsherScene
internal import UsherSystem

/// The command line.
@main
enum Usher {
    // Closures written here would belong to the main actor: the work is in a free function.
    static func main() { runProgram() }
}

private func runProgram() -> Never {
    var context: Context?
    let status = runCommand(&context)
    // What it holds is the system's to free, and takes a tenth of a start otherwise.
    withExtendedLifetime(context) { exit(status) }
}

/// Reads the command line, runs the command, reports how it ended.
private func runCommand(_ kept: inout Context?) -> Int32 {
    Interruption.ignoreBrokenPipes()
    Interruption.expectChildren()
    var variables = ProcessVariables.all()
    let token = CallerToken.take(from: &variables)
    let environment = variables
    var context = Context(arguments: Arguments(), environment: environment)
    defer { kept = context }
    do throws(CommandFailure) {
        let words = try ProcessEnvironment.arguments()
        // What follows is another program's command line.
        if let own = ServeCommand.arguments(in: words) {
            return try ServeCommand.become(own, path: environment["PATH"]).rawValue
        }
        let status: ExitStatus
        switch try ArgumentParser.parse(words) {
        case .run(let command, let arguments):
            context = Context(arguments: arguments, environment: environment, token: token)
            status = try command.run(arguments, context)
        case .help(let path):
            context.output.write(HelpText.text(for: path, style: context.style))
            status = .handled
        case .version:
            context.output.write("usher \(UsherVersion.text)\n")
            status = .handled
        case .incomplete(let path):
            context.errors.write(HelpText.brief(for: path, style: context.errors.style))
            status = .usage
        }
        try context.output.finish()
        context.startedEngine.leave()
        return status.rawValue
    } catch {
        context.output.flush()
        context.errors.report(error)
        context.startedEngine.leave()
        return error.status.rawValue
    }
}
