internal import UsherControl
internal import UsherDispatch
internal import UsherSystem

/// `usher browser host`: what a browser starts to reach usherd.
enum BrowserHostCommand {
    static let description = CommandDescription(
        "browser host", "pass messages on between a browser and usherd",
        // The browser names its extension.
        operands: [.init("EXTENSION", .any)],
        discussion: [
            "Browsers start it, by the manifest that usher browser install writes. It waits for usherd, and ends with",
            "the browser.",
        ],
        examples: [.init("usher browser host --help", "this text: without a browser there is nothing to pass on")],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        guard !ProcessEnvironment.isTerminal(0) else {
            throw .usage("there is no browser at the other end", help: "usher browser install tells browsers of it")
        }
        var relay = BrowserRelay(state: FilePath.absolute(try context.stateFolder()))
        switch relay.run() {
        case .finished: return .handled
        case .failed(let reason): throw CommandFailure(.finding, reason)
        }
    }
}
