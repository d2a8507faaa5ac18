internal import UsherActivation
internal import UsherAgents
internal import UsherConfiguration
internal import UsherEngine
internal import UsherJSON
internal import UsherScene
internal import UsherStore
internal import UsherText

/// What the way to terminals depends on, as this process sees it; the window systems as the daemon does.
struct TerminalChecks: DoctorPart {
    private let checks: [TerminalCheck]

    init(_ context: Context) throws(CommandFailure) {
        let systems = try SceneWindowsCommand.answer(context).systems
        let path = try? context.configurationPath()
        let settings = path.map { ConfigurationLoader.load(path: $0).configuration.terminal } ?? TerminalSettings()
        checks = try context.activator(isDryRun: true).terminalChecks(systems, settings) + [try Self.agents(context)]
    }

    private static func agents(_ context: Context) throws(CommandFailure) -> TerminalCheck {
        let states = try AgentCommands.states(context).filter { $0.state != .absent }
        let broken = states.filter { $0.state != .installed }.map(\.agent)
        let words = states.map { "\($0.agent) \($0.state.rawValue)" }.joined(separator: ", ")
        return TerminalCheck(
            "agents", broken.isEmpty, states.isEmpty ? "no coding agent reports to usherd" : words,
            help: broken.map { "usher agent install \($0)" }.joined(separator: ", "))
    }

    var findings: [StoreFinding] { [] }

    static func findings(in store: Store, _ context: Context) -> [StoreFinding] { [] }

    /// What is not met.
    func report(to context: Context) {
        for check in checks where !check.isMet {
            let help = check.help.map { ": \($0)" } ?? ""
            context.output.write("   terminals, \(check.check): \(Printable.escaped(check.detail + help))\n")
        }
    }

    func write(to json: inout JSONWriter) {
        json.beginArray("terminal")
        for check in checks {
            json.beginObject()
            json.member("check", check.check)
            json.member("ok", check.isMet)
            json.member("detail", check.detail)
            json.member("help", check.help)
            json.endObject()
        }
        json.endArray()
    }
}
