internal import CLinux
internal import Dispatch
internal import Glibc
internal import UsherConfiguration
internal import UsherControl
internal import UsherDispatch
internal import UsherHTTP
internal import UsherIngress
internal import UsherLog
internal import UsherScene
internal import UsherStore

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
        let options: DaemonOptions
        do throws(DaemonOptions.Failure) {
            options = try DaemonOptions(DaemonOptions.words())
        } catch {
            throw DaemonFailure(error.message, help: error.help)
        }
        if options.asksForHelp || options.asksForVersion {
            let text = options.asksForHelp ? DaemonOptions.help : "usherd \(UsherVersion.text)\n"
            return FileOutput.write(Array(text.utf8), to: 1) ? 0 : 1
        }
        return try DaemonRun(options, inherited: inherited).run()
    } catch {
        DaemonNotices.failure(error)
        return 2
    }
}

extension DaemonOptions {
    /// The arguments after the program's name.
    ///
    /// One that is not UTF-8 is refused rather than repaired: a repaired path would be another one.
    fileprivate static func words() throws(DaemonOptions.Failure) -> [String] {
        var words: [String] = []
        var place = 1
        while let pointer = unsafe usher_argument(Int32(place)) {
            guard let word = unsafe String(validatingCString: pointer) else {
                throw DaemonOptions.Failure(message: "argument \(place) is not UTF-8", help: "usherd --help")
            }
            words.append(word)
            place += 1
        }
        return words
    }
}
