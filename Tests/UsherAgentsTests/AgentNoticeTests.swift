import EngineTestSupport
import TestSupport
import Testing
import UsherActivation
import UsherConfiguration
import UsherEngine
import UsherFeatures
import UsherLog
import UsherOperation
import UsherScene
import UsherStore
import UsherSystem

@testable import UsherAgents

/// What is shown of sessions that wait, and of those whose turn is over.
struct AgentNoticeTests {
    /// What operations ask of the engine here.
    private struct Services: EngineServices {
        let engine: Engine

        var intake: any Intake { engine }
        var hello: ControlHello {
            ControlHello(version: "1", pid: 1, configuration: "", digest: "", state: "")
        }
        var configuration: LoadedConfiguration { .empty }
        var activator: Activator { Activator(windowSystem: DryRunWindowSystem(), environment: [:], stateDirectory: "") }
        var followedSystems: [String] { [] }
        var status: StatusAnswer { StatusAnswer() }
        func prepareToAct() {}
        func waitForDeliveries() {}
        func reload() throws(ControlError) -> ReloadAnswer { ReloadAnswer() }
        func yield() throws(ControlError) {}
        func judge(_ call: HookJudge) throws(ControlError) -> HookVerdict { throw .protocolViolation("no hook") }
    }

    private let desk: Desk
    private let settings: AgentSettings

    init() throws {
        var settings = AgentSettings()
        settings.doneAfter = 1
        self.settings = settings
        let fixture = try DispatchFixture()
        fixture.app = try #require(
            LoadedConfiguration.empty.withNotes(program: "true", search: ProgramSearch(path: nil)).configuration
                .app(id: "usher.agents"))
        desk = try Desk(fixture)
    }

    private func report(
        _ state: AgentSession.State, _ tool: String? = nil, _ request: [String] = [], kind: AgentChange.Kind? = nil,
        by settings: AgentSettings? = nil, shows: Bool = true
    ) throws {
        var configuration = Configuration(apps: [desk.fixture.app])
        configuration.agents = settings ?? self.settings
        let engine = desk.daemon.engine
        var context = OperationContext(
            desk.daemon.store, sessions: engine, configuration: configuration, activator: nil,
            logger: engine.logger, engine: Services(engine: engine), openings: .all)
        context.notifies = { shows }
        context.withdraw = { engine.withdrawNotification(of: $0) }
        var report = AgentReport()
        (report.session, report.state, report.kind) = ("s", state, kind)
        (report.tool, report.request, report.cwd) = (tool, request, "/tmp/circus")
        _ = try context.perform(report)
        engine.waitUntilIdle()
    }

    private var shown: [String] { desk.presenter.with { $0.shown.map { "\($0.summary) | \($0.body)" } } }

    @Test func waitingNotifiesAtOnceAndWorkWithdraws() throws {
        try report(.working)
        #expect(shown.isEmpty)
        try report(.waiting, "Bash", ["ls a-secret", "why: \u{202E}x"], kind: .permission)
        #expect(shown == ["claude: circus | Bash: ls a-secret\nwhy: \\u{202e}x"])
        let record = try #require(desk.records.with { $0.last })
        #expect(record.source == "agent" && record.action == .notify && record.outcome == .done)
        let agent = try #require(try desk.daemon.store.agents().first)
        #expect(agent.delivery == record.id)
        // The journal and the log know that there was a notification, and not what it said.
        let files = try FileSystem.names(in: desk.fixture.folder).map { name in
            FileSystem.contents(of: "\(desk.fixture.folder)/\(name)", limit: 1 << 26) ?? []
        }
        func has(_ text: String) -> Bool { files.contains { $0.firstRange(of: Array(text.utf8)) != nil } }
        #expect(has("claude: circus") && !has("secret"))
        #expect(!record.json.contains("secret") && !desk.fixture.log.lines.contains { $0.contains("secret") })

        // The agent's own notification of the same request is none more; another request takes the place of the first.
        try report(.waiting, nil, ["Claude needs your permission"], kind: .permission)
        #expect(shown.count == 1)
        try report(.waiting, "Write", ["file"], kind: .permission)
        #expect(shown.count == 2 && desk.presenter.with { $0.numbers } == [1, 1])
        try report(.working)
        try waitUntil("it is withdrawn") { desk.presenter.with { $0.closed } == [1] }
        #expect(try desk.daemon.store.agents().first?.delivery == nil)
    }

    @Test func theEndOfAShortTurnIsNotToldOf() throws {
        try report(.working)
        var patient = settings
        patient.doneAfter = 3_600_000
        try report(.done, by: patient)
        #expect(shown.isEmpty)
        try report(.working)
        // The turn took a millisecond at least.
        let deadline = Deadline(inMilliseconds: 2)
        _ = Poll.wait(for: -1, until: deadline)
        try report(.done)
        #expect(shown == ["claude: circus | is done"])
        try report(.done)
        #expect(shown.count == 1)
        try report(.ended)
        try waitUntil("it is withdrawn") { desk.presenter.with { $0.closed } == [1] }
    }

    @Test func whatIsNotReplacedIsWithdrawn() throws {
        try report(.working)
        try report(.waiting, "Bash", ["ls"], kind: .permission)
        #expect(shown.count == 1)
        try report(.waiting, kind: .question, shows: false)
        try waitUntil("it is withdrawn") { desk.presenter.with { $0.closed } == [1] }
        #expect(shown.count == 1)
    }

    @Test func settingsSayWhatIsShown() throws {
        var quiet = settings
        quiet.notify = [.done]
        try report(.waiting, "Bash", ["ls"], kind: .permission, by: quiet)
        try report(.working)
        try report(.waiting, "Bash", ["ls"], kind: .permission, shows: false)
        #expect(shown.isEmpty && desk.records.with { $0.isEmpty })
        try report(.working)
        var short = settings
        short.show = .name
        try report(.waiting, "Bash", ["ls"], kind: .permission, by: short)
        #expect(shown == ["claude: circus | Bash"])
        try report(.working)
        try report(.waiting, "Bash", [String(repeating: "x", count: 5000)], kind: .permission)
        #expect(try #require(shown.last).count == "claude: circus | ".count + 1001)
        try report(.working)
        try report(.waiting, kind: .question)
        #expect(shown.last == "claude: circus | asks a question")
    }
}
