internal import Glibc
internal import UsherIngress
internal import UsherScene
internal import UsherSystem

/// The daemon.
@main
enum Usherd {
    // Closures written here would belong to the main actor: the work is in a free function.
    static func main() { exit(runDaemon()) }
}

/// Reads the command line, starts, serves until a signal comes, and stops in order.
private func runDaemon() -> Int32 {
    Interruption.ignoreBrokenPipes()
    Interruption.expectChildren()
    // Before there are threads: it changes the environment.
    let inherited = SocketActivation.descriptors()
    do throws(DaemonFailure) {
        let words = try Result { () throws(ProgramArguments.NotText) in try ProgramArguments.all() }
            .mapError { DaemonFailure("argument \($0.place) is not UTF-8", help: "usherd --help") }.get()
        let options = try DaemonOptions(words)
        if options.asksForHelp || options.asksForVersion {
            let text = options.asksForHelp ? DaemonOptions.help : "usherd \(UsherVersion.text)\n"
            return FileOutput.write(Array(text.utf8), to: 1) ? 0 : 1
        }
        if options.answersForWindows {
            return DesktopSession(environment: ProcessVariables.all()).answer()
        }
        if let form = options.onDemand { return OnDemandRun(options, log: form).run() }
        return try DaemonRun(options, inherited: inherited).run()
    } catch {
        DaemonNotices.failure(error)
        return 2
    }
}
