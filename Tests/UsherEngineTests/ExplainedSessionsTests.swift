import Foundation
import TestSupport
import Testing
import UsherActivation
import UsherConfiguration
import UsherEngine
import UsherFeatures
import UsherJSON
import UsherPredicate
import UsherScene
import UsherStore

/// Of a large store few sessions are read for an explanation. It is the same as if all were.
@Suite("Explanations of stored sessions")
struct ExplainedSessionsTests {
    static let manifests = [
        "clowns": """
        id = "example.clowntown"
        domains = ["clowntown.example"]
        schemes = ["twin"]
        [targets]
        clown = "https://clowntown.example/clowns/{clown}"
        [[scenes]]
        name = "main"
        launch = { exec = ["true"] }
        [[scenes]]
        name = "clown"
        target = "clown"
        can = 'SELF == $TARGET'
        prefers = 'SELF == $TARGET'
        launch = { exec = ["true"] }
        """,
        "limited": """
        id = "example.limited"
        domains = ["limited.example", "clowntown.example/limited"]
        schemes = ["twin"]
        scenes-limit = 3
        [[scenes]]
        name = "all"
        launch = { exec = ["true"] }
        """,
        "missing": """
        id = "example.missing"
        domains = ["missing.example"]
        [[scenes]]
        name = "all"
        launch = { exec = ["/no/such/program"] }
        """,
    ]
    static let clowns = "https://clowntown.example/clowns/"
    static let targets =
        ["c7", "c40", "in-9", "like-x", "C7", "c7/", "begins/pie", "nobody"].map { clowns + $0 } + [
            "HTTPS://CLOWNTOWN.EXAMPLE/clowns/c40", "https://ClownTown.example/clowns/c41",
            "https://clowntown.example/limited/1", "https://limited.example/", "https://missing.example/x", "twin:x",
            "https://nobody.example/", "geo:52.5,13.4",
        ]

    private func sessions() throws -> [Store.NewSession] {
        let states: [SceneSession.State] = [.connected, .connected, .disconnected, .connecting, .closing]
        return try (0..<150).map { number in
            let app = ["example.clowntown", "example.limited", "example.missing"][number % 10 < 8 ? 0 : number % 10 - 7]
            let target = TargetContentIdentifier(Self.clowns + "c\(number)")
            let text =
                switch number % 9 {
                case 4: #"SELF IN {"\#(Self.clowns)in-\#(number % 20)", "b"}"#
                case 5: #"SELF LIKE "*-x""#
                case 6: #"SELF BEGINSWITH "\#(Self.clowns)begins/""#
                case 7: "TRUEPREDICATE"
                default: #"SELF == "\#(target.text)""#
                }
            let origin: ActivationConditions.Origin = number % 2 == 0 ? .configuration : .session
            let condition = ActivationConditions.Condition(try ScenePredicate(parsing: text), origin: origin)
            return Store.NewSession(
                id: "s\(number)", app: app, scene: app == "example.clowntown" ? "clown" : "all",
                role: number % 13 == 12 ? SceneRole(rawValue: "external") : .windowApplication, target: target,
                conditions: ActivationConditions(
                    canActivate: condition,
                    prefersToActivate: number % 9 == 7 ? .init(.never, origin: .default) : condition),
                state: states[number % states.count], title: "Clown \(number)")
        }
    }

    @Test("are those of all sessions", arguments: targets, [false, true])
    func same(target: String, showsAll: Bool) throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/apps", withIntermediateDirectories: true)
        for (name, text) in Self.manifests {
            try text.write(toFile: folder.path + "/apps/\(name).toml", atomically: true, encoding: .utf8)
        }
        let loaded = ConfigurationLoader.load(path: folder.path, searchPath: "/usr/bin:/bin")
        let store = try Store(directory: folder.path, access: .readWrite, features: .all)
        defer { store.close() }
        // The conditions of these sessions count as those of the manifests.
        try store.follow(loaded.configuration)
        _ = try store.connect(try sessions())
        for number in [3, 90, 31, 8] { _ = try store.change(session: "s\(number)", .init(used: true)) }
        let activator = Activator(
            windowSystem: DryRunWindowSystem(), environment: ["PATH": "/usr/bin:/bin"], stateDirectory: folder.path,
            isDryRun: true)
        func explain(_ sessions: PayloadExplanation.Sessions) throws -> [String] {
            let answer = try PayloadExplanation(
                explaining: PayloadExplanation.line(for: target), app: nil, showsAll: showsAll, in: loaded, sessions,
                following: store, activator: activator, openings: .all)
            // When, and from where, differs.
            return try #require(try JSONValue(parsing: Array(answer.json.utf8)).members)
                .filter { $0.name != "snapshot" }.map { "\($0.name): \($0.value.text())" }
        }
        let all = try explain(.live(try store.sessions().sessions))
        let stored = try explain(.stored)
        for (one, other) in zip(all, stored) { #expect(one == other) }
        #expect(all.count == stored.count)
    }
}
