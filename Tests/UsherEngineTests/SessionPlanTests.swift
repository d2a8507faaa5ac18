import EngineTestSupport
import Testing
import UsherOperation
import UsherScene
import UsherStore

@testable import UsherEngine

/// What is looked up before sessions are connected, and how many may be.
@Suite("Session plans")
struct SessionPlanTests {
    @Test("more sessions than one request may bring are refused before anything is done")
    func limit() throws {
        let fixture = try DispatchFixture()
        let store = try fixture.openStore()
        let request = SessionRequest(app: fixture.app.id, scene: "main")
        func plan(_ count: Int) throws(ControlError) -> SessionPlan {
            try SessionPlan(
                Array(repeating: request, count: count), in: Configuration(apps: [fixture.app]), known: store,
                windowServer: { _ in nil })
        }
        let error = #expect(throws: ControlError.self) { try plan(SessionPlan.limit + 1) }
        #expect(error?.message == "100001 sessions are too many for one request: nothing was done")
        #expect(error?.help == "connect at most 100000 at once")
        #expect(try plan(SessionPlan.limit).sessions.count == SessionPlan.limit)
    }

    @Test("of one window its client is noted as well; of many, each window system is asked once")
    func servers() throws {
        var asked: [String] = []
        func server(of handle: String) -> String? {
            asked.append(handle)
            if handle.hasPrefix("browser:") { return handle.hasPrefix("browser:f") ? "1.2" : "3.4" }
            if handle.hasPrefix("sway:") { return nil }
            return handle.hasPrefix("x11:") ? ":0/5f#71" : "/tmp/tmux:1:2"
        }
        var alone = HandleServers(count: 1)
        #expect(alone.server(of: "x11:0x1", ask: server) == ":0/5f#71")
        var many = HandleServers(count: 4)
        let handles = [
            "x11:0x1", "@1", "x11:0x2", "@2", "browser:firefox/1", "browser:chromium/1", "browser:firefox/2",
        ]
        let found = handles.map { many.server(of: $0, ask: server) }
        #expect(found == [":0/5f", "/tmp/tmux:1:2", ":0/5f", "/tmp/tmux:1:2", "1.2", "3.4", "1.2"])
        #expect(asked == ["x11:0x1", "x11:0x1", "@1", "browser:firefox/1", "browser:chromium/1"])
        // One that does not answer now may answer a moment later.
        for _ in 1...2 { #expect(many.server(of: "sway:1", ask: server) == nil) }
        #expect(asked.suffix(2) == ["sway:1", "sway:1"])
    }

    @Test("many that are connected through a engine are decided on at once")
    func many() throws {
        let fixture = try DispatchFixture()
        let daemon = try Daemon(fixture)
        let new = (0..<20_000).map { number in
            Store.NewSession(
                id: "s-\(number)", app: fixture.app.id, scene: "main",
                conditions: ActivationConditions(), state: .connected)
        }
        #expect(try daemon.engine.connect(new).count == 20_000)
        #expect(try daemon.engine.sessions().count == 20_000)
        #expect(
            try daemon.engine.sessions().first?.id == daemon.store.sessions().sessions.last?.id,
            "the newest is chosen first")
    }
}
