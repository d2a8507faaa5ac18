internal import Glibc
internal import UsherOperation
internal import UsherScene
internal import UsherSystem

/// The command line.
@main
enum Usher {
    // Closures written here would belong to the main actor: the work is in a free function.
    static func main() { runProgram() }
}

private func runProgram() -> Never {
    Interruption.ignoreBrokenPipes()
    Interruption.expectChildren()
    let token = CallerToken.take()
    var context = Context(arguments: Arguments())
    let status: ExitStatus
    do throws(CommandFailure) {
        status = try run(with: token, &context)
    } catch {
        if AgentEventCommand.isMeant {
            status = .handled
        } else {
            context.output.flush()
            context.errors.report(error)
            status = error.status
        }
    }
    context.startedEngine.leave()
    // What it holds is the system's to free, and takes a tenth of a start otherwise: see `Leftovers`.
    withExtendedLifetime(context) { exit(status.rawValue) }
}

/// Reads the command line and runs the command, in a context by its options.
private func run(with token: String?, _ context: inout Context) throws(CommandFailure) -> ExitStatus {
    let words = try ProcessEnvironment.arguments()
    // What follows is another program's command line.
    if let own = ServeCommand.arguments(in: words) {
        return try ServeCommand.become(own, path: ProcessVariables["PATH"])
    }
    let status: ExitStatus
    switch try ArgumentParser.parse(words) {
    case .run(let command, let arguments):
        context = Context(arguments: arguments, token: token)
        status = try command.run(arguments, context)
    case .help(let path):
        context.output.write(HelpText.text(for: path, style: context.style))
        status = .handled
    case .version:
        context.output.write("usher \(UsherVersion.text)\n")
        status = .handled
    case .incomplete(let path):
        let group = path.reduce("usher") { $0 + " " + $1 }
        context.errors.report(.usage("\(group) needs a command", code: .controlCommand))
        context.errors.write(HelpText.brief(for: path, style: context.errors.style))
        status = .usage
    }
    try context.output.finish()
    return status
}
