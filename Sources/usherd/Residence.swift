internal import UsherConfiguration
internal import UsherEngine
internal import UsherIngress

/// How long an engine stays, and what follows from that.
struct Residence: Sendable {
    /// As clients are told.
    let isOnDemand: Bool
    /// Whether it is still there when something comes later: a browser, a click on a notification, a request to a hook.
    let awaitsAnswers: Bool
    /// Whether windows are looked at, and the work of a killed run is resumed, only before the first act. Else both are
    /// done at the start.
    let preparesAtFirstAct: Bool
    /// Whether decisions are logged: not on the terminal of a command, whose records say the same.
    let logsDecisions: Bool
    /// What the engine's options are by the settings, as far as residence matters.
    let options: @Sendable (Settings) -> Engine.Options

    /// Stays until it is stopped.
    static let resident = Residence(
        isOnDemand: false, awaitsAnswers: true, preparesAtFirstAct: false, logsDecisions: true
    ) { settings in
        var options = Engine.Options()
        options.queue = settings.deliveries.queue
        options.queueBytes = Int64(settings.deliveries.queueMegabytes) << 20
        options.whenQuiet = CodePages.release
        return options
    }

    /// Started by a command, for as long as there are clients, which see what fails. They and their users wait for room:
    /// nothing is refused, and a store that refuses is given up.
    static func onDemand(logsDecisions: Bool) -> Residence {
        Residence(
            isOnDemand: true, awaitsAnswers: false, preparesAtFirstAct: true, logsDecisions: logsDecisions
        ) { _ in
            var options = Engine.Options()
            options.queue = .max
            options.queueBytes = .max
            options.patience = Engine.Options.commandPatience
            return options
        }
    }
}
