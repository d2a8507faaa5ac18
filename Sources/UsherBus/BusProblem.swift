internal import UsherActivation
internal import UsherScene
internal import UsherText

/// Why there is no answer; its text is made where it is known what was asked.
enum BusProblem: Error, Sendable, Hashable {
    /// There is no connection; the reason.
    case absent(String)
    /// There was one.
    case lost
    case timeLimit
    /// An error that was sent: its name, and its text.
    case error(String, String)
    /// No message can be like this, or none that we take.
    case unsuitable(String)
}

extension BusProblem {
    /// For people: what became of a call.
    func failure(_ call: BusCall) -> ActivationFailure {
        let name = Printable.text(call.destination)
        switch self {
        case .absent(let reason):
            return ActivationFailure(
                .busAbsent, "the session bus cannot be reached: \(reason)",
                help: "start Usher within the session (systemd --user has the bus), or set DBUS_SESSION_BUS_ADDRESS")
        case .lost:
            return ActivationFailure(
                .busLost, "the session bus went away while \(name) was to answer \(call.member)",
                help: "the next request makes a new connection, once there is a bus again")
        case .timeLimit:
            return ActivationFailure(
                .busNoReply, "\(name) did not answer \(call.member) within \(call.timeLimit) ms",
                help: "it may be busy or hang; give it longer with `time-limit`")
        case .unsuitable(let what):
            return ActivationFailure(.busMessage, "\(name) cannot be sent \(call.member): \(Printable.text(what))")
        case .error(let error, let text): return Self.failure(call, name, error: error, text: text)
        }
    }

    private static func failure(_ call: BusCall, _ name: String, error: String, text: String) -> ActivationFailure {
        let short = error.utf8.starts(with: standard.utf8) ? String(error.dropFirst(standard.count)) : ""
        let said = Printable.text(text.isEmpty ? error : text)
        switch short {
        case "ServiceUnknown", "NameHasNoOwner":
            return ActivationFailure(
                .busNoService,
                "no process owns the name \(name) on the session bus, and the bus does not know how to start it",
                help: "is it installed? the bus starts what has a file \(name).service in dbus-1/services")
        case "NoReply":
            return ActivationFailure(
                .busLeft, "\(name) ended, or left the session bus, before it answered \(call.member): \(said)",
                help: "a program that the bus starts has the bus's environment: "
                    + "dbus-update-activation-environment DISPLAY WAYLAND_DISPLAY tells it where the screen is")
        case "Timeout", "TimedOut":
            return ActivationFailure(
                .busNotStarted, "\(name) was started, and did not take its name on the session bus in time: \(said)",
                help: "does the Exec of its service file really serve that name?")
        case "UnknownMethod", "UnknownObject", "UnknownInterface", "UnknownProperty":
            return ActivationFailure(
                .busUnknownMethod, "\(name) does not know \(call.interface).\(call.member) at \(call.path): \(said)")
        default:
            if short.utf8.starts(with: "Spawn.".utf8) {
                return ActivationFailure(
                    .busNotStarted, "the bus could not start \(name): \(said)",
                    help:
                        "see the file \(name).service in dbus-1/services; its Exec has to be there, and to keep running"
                )
            }
            return ActivationFailure(
                .busRefused, "\(name) answered \(call.member) with \(Printable.text(error)): \(said)")
        }
    }

    private static let standard = "org.freedesktop.DBus.Error."
}
