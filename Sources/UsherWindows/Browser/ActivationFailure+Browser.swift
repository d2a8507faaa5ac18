internal import UsherActivation
internal import UsherScene
internal import UsherSystem
internal import UsherText

extension ActivationFailure {
    static func cannotListen(_ path: String, _ code: Int32) -> ActivationFailure {
        .windowSystem("browser", "browsers cannot be waited for on \(path): \(SystemError.text(code))")
    }

    static func browserNotConnected(_ client: String) -> ActivationFailure {
        ActivationFailure(
            .browserNotConnected, "\(Printable.text(client)) is not connected",
            help: "does it run, and is its Usher extension switched on? usher browser status tells what is missing")
    }

    static func browserLost(_ client: String) -> ActivationFailure {
        ActivationFailure(
            .browserNotConnected, "\(Printable.text(client)) went away while it was asked",
            help: "the next request works when it is back: usher browser status")
    }

    static func browserSilent(_ client: String, milliseconds: Int) -> ActivationFailure {
        ActivationFailure(
            .browserNoAnswer, "\(Printable.text(client)) did not answer within \(milliseconds) ms",
            help: "it may hang: switch its Usher extension off and on again, or start it anew")
    }

    static func browserRefused(_ client: String, _ problem: String) -> ActivationFailure {
        ActivationFailure(.browserRefused, "\(Printable.text(client)): \(Printable.text(problem))")
    }

    static func browserAddress(_ address: String, _ problem: String) -> ActivationFailure {
        ActivationFailure(
            .browserAddress, "no tab is opened for \(Printable.text(address)): \(Printable.text(problem))",
            help: "tabs are opened for http and https; one that shows the address already is found whatever it is")
    }
}
