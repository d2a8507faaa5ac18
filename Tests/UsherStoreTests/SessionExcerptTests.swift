import StoreTestSupport
import Testing
import UsherPredicate
import UsherScene

@testable import UsherStore

@Suite("The sessions of one question")
struct SessionExcerptTests {
    let folder = TemporaryDirectory()
    static let target = "clown:7"
    /// Those that are configured.
    static let scenes = ["clown", "balloon"]

    /// Thirty sessions of one app in every state, some of another role, and some of another app.
    private func connect(_ store: Store) throws -> [SceneSession] {
        let states: [SceneSession.State] = [.connected, .connected, .disconnected, .connecting, .closing]
        let texts = [
            #"SELF == "clown:7""#, #"SELF == "clown:8""#, #"SELF IN {"clown:7", "clown:9"}"#,
            #"SELF == "a" OR SELF == "b""#,
            #"SELF BEGINSWITH "clown:""#, "FALSEPREDICATE",
        ]
        for number in 0..<30 {
            let condition = try ScenePredicate(parsing: texts[number % texts.count])
            _ = try store.connect([
                Store.NewSession(
                    id: "s\(number)", app: number % 11 == 10 ? "other" : "app",
                    scene: number % 9 == 8 ? "gone" : number % 2 == 0 ? "clown" : "balloon",
                    role: number % 7 == 6 ? SceneRole(rawValue: "external") : .windowApplication,
                    conditions: ActivationConditions(
                        canActivate: .init(number % 4 == 0 ? .never : condition, origin: .session),
                        prefersToActivate: .init(condition, origin: .session)),
                    state: states[number % states.count])
            ])
        }
        for number in [3, 20, 11, 10, 6] { _ = try store.change(session: "s\(number)", .init(used: true)) }
        return try store.sessions().sessions
    }

    @Test("are the first in the order of choice, and those that accept the subject", arguments: [0, 3, 50])
    func question(limit: Int) throws {
        let store = try folder.open()
        let all = try connect(store)
        let excerpt = try #require(
            try store.sessions(
                for: .init(
                    app: "app", role: .windowApplication, scenes: Self.scenes, subjects: [Self.target], limit: limit)))
        let own = all.filter {
            $0.app == "app" && Self.scenes.contains($0.scene) && $0.role == .windowApplication && $0.state != .closing
        }.sorted(by: SceneSession.precedes)
        let accepting = all.filter { session in
            session.app == "app"
                && (session.conditions.canActivate.predicate.evaluate(Self.target)
                    || session.conditions.prefersToActivate.predicate.evaluate(Self.target))
        }
        #expect(excerpt.count == own.count)
        #expect(Set(excerpt.sessions.map(\.id)) == Set((own.prefix(limit + 1) + accepting).map(\.id)))
        #expect(excerpt.sessions.count == Set(excerpt.sessions.map(\.id)).count)
        for app in ["app", "other"] {
            #expect(excerpt.lastUses[app] == all.filter { $0.app == app }.compactMap(\.used).max())
        }
    }

    @Test("are not looked for where a condition cannot be read")
    func unreadable() throws {
        let store = try folder.open()
        _ = try connect(store)
        try folder.sql(#"UPDATE condition SET text = 'SELF MATCHES "a.*"' WHERE text LIKE '% IN {%'"#)
        let question = Store.SessionQuestion(
            app: "app", role: .windowApplication, scenes: Self.scenes, subjects: [Self.target], limit: 5)
        #expect(try store.sessions(for: question)?.sessions.count == nil)
    }
}
