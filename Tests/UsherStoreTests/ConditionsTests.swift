import StoreTestSupport
import Testing
import UsherPredicate
import UsherScene

@testable import UsherStore

/// Conditions of sessions when the configuration changes.
@Suite("Conditions of the present configuration")
struct ConditionsTests {
    let folder = TemporaryDirectory()
    static let here = SourceLocation(path: "apps/a.toml", line: 1, column: 1)

    /// - Parameters:
    ///   - can: of the scene `clown`.
    ///   - scene: its name.
    private func configuration(_ digest: String, can: String?, scene: String = "clown") throws -> Configuration {
        var app = App(id: "example.clowntown", name: "Clown Town", location: Self.here)
        var clown = SceneConfiguration(name: scene, location: Self.here)
        clown.canActivate = try can.map {
            Located(try ScenePredicateTemplate(parsing: $0, variables: ["TARGET"]), at: Self.here)
        }
        app.scenes = [clown]
        var configuration = Configuration(apps: [app], digest: digest)
        configuration.manifests = [1]
        return configuration
    }

    private func texts(_ sessions: [SceneSession]) -> [String] {
        sessions.map {
            "\($0.id) \($0.conditions.canActivate.predicate.canonicalText) \($0.conditions.canActivate.origin) "
                + "\($0.conditions.prefersToActivate.predicate.canonicalText) \($0.conditions.prefersToActivate.origin)"
        }
    }

    @Test("what was not set at run time is that of the scene, in the store and in a list that was read")
    func follows() throws {
        let store = try folder.open()
        var given = Store.NewSession.clown("2", id: "given")
        given.conditions.canActivate = .init(equals("own"), origin: .session)
        _ = try store.connect([.clown("1", id: "one"), given, .main(id: "main")])
        let before = texts(try store.sessions().sessions)
        let own = #"SELF == "https://clowntown.example/clowns/2""#
        let steps: [(Configuration, [String])] = [
            (
                try configuration("sha256:1", can: "SELF BEGINSWITH $TARGET"),
                [
                    #"one SELF BEGINSWITH "https://clowntown.example/clowns/1" configuration FALSEPREDICATE default"#,
                    #"given SELF == "own" session FALSEPREDICATE default"#, before[2],
                ]
            ),
            (
                try configuration("sha256:2", can: nil),
                [
                    "one TRUEPREDICATE default FALSEPREDICATE default",
                    #"given SELF == "own" session FALSEPREDICATE default"#, before[2],
                ]
            ),
        ]
        #expect(before[1] == #"given SELF == "own" session \#(own) configuration"#)
        for (configuration, expected) in steps {
            let generation = try store.generation()
            var read = try store.sessions()
            read.follow(configuration)
            #expect(texts(read.sessions) == expected)
            #expect(try !store.isFollowing(configuration))
            #expect(try store.follow(configuration))
            #expect(texts(try store.sessions().sessions) == expected)
            #expect(try store.generation() > generation)
            #expect(try store.isFollowing(configuration))
            #expect(try !store.follow(configuration), "once is enough")
        }
        // A scene that is not configured keeps its conditions, until it is.
        let gone = try configuration("sha256:3", can: "FALSEPREDICATE", scene: "other")
        let last = texts(try store.sessions().sessions)
        #expect(try !store.follow(gone))
        #expect(texts(try store.sessions().sessions) == last)
        #expect(try store.sessions().sessions.map(gone.hasScene) == [false, false, false])
        #expect(try store.follow(steps[0].0))
        #expect(texts(try store.sessions().sessions) == steps[0].1)
    }

    @Test("more sessions than one transaction takes")
    func many() throws {
        let store = try folder.open()
        _ = try store.connect((0..<6000).map { .clown("\($0)") })
        #expect(try store.follow(configuration("sha256:1", can: "SELF ENDSWITH $TARGET")))
        #expect(
            try store.sessions().sessions.allSatisfy {
                $0.conditions.canActivate.predicate.canonicalText.contains("ENDSWITH")
            })
    }

    @Test("a file of version 17 gets the column")
    func upgraded() throws {
        try folder.open().close()
        try folder.makeVersion17()
        let store = try folder.open()
        #expect(try store.follow(configuration("sha256:1", can: nil)) == false)
        #expect(try folder.texts("SELECT conditions FROM store") == ["sha256:1"])
    }
}
