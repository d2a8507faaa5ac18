internal import Glibc
internal import UsherActivation
internal import UsherScene
internal import UsherText

/// Why a browser did not do what it was asked for.
enum DevToolsProblem: Error {
    /// No process accepts the connection, with errno.
    case unreachable(Int32)
    /// Another user's program is at the other end.
    case foreign
    /// The owner of the program at the other end is unknown.
    case ownerless
    case silent
    /// It closed the connection.
    case ended
    /// The wait was stopped by its caller.
    case stopped
    case garbled(String)
    /// In its own words.
    case refused(String)
    /// What has nothing to do with the protocol.
    case other(ActivationFailure)

    /// Whether the browser is gone, and not only hard to reach.
    var meansGone: Bool {
        switch self {
        case .unreachable(let code): code == ECONNREFUSED
        case .foreign: true
        default: false
        }
    }

    var text: String {
        switch self {
        case .unreachable(ECONNREFUSED): "no process listens there"
        case .unreachable(let code): "it cannot be reached (errno \(code))"
        case .foreign: "a program of another user listens there"
        case .ownerless: "the owner of the program that listens there is not known"
        case .silent: "it does not answer"
        case .ended: "it closed the connection"
        case .stopped: "it is not waited for any more"
        case .garbled(let what): "it does not speak the DevTools protocol: \(what)"
        case .refused(let words): Printable.text(words)
        case .other(let failure): failure.message
        }
    }

    func failure(_ address: DevToolsAddress) -> ActivationFailure {
        let message = "the browser on \(address): \(text)"
        return switch self {
        case .unreachable, .ended, .stopped:
            ActivationFailure(
                .browserNotConnected, message,
                help: "does it run, with --remote-debugging-port=\(address.port) and a --user-data-dir of its own?")
        case .foreign, .ownerless:
            ActivationFailure(
                .browserNotConnected, message,
                help: "run the browser as the user of usherd, on a port that no other user has")
        case .silent: ActivationFailure(.browserNoAnswer, message, help: "it may hang: start it anew")
        case .garbled:
            ActivationFailure(
                .browserRefused, message,
                help: "[browser] devtools names the port of --remote-debugging-port, nothing else")
        case .refused: ActivationFailure(.browserRefused, message)
        case .other(let failure): failure
        }
    }
}
