import UsherPredicate
import UsherResolution
import UsherScene

/// Small apps and sessions to resolve against.
enum Sample {
    static let location = SourceLocation(path: "apps/sample.toml", line: 1, column: 1)
    static let crusty = TargetContentIdentifier("https://clowntown.example/clowns/crusty")
    static let bozo = TargetContentIdentifier("https://clowntown.example/clowns/bozo")

    static func scene(
        _ name: String, opens: String? = nil, can: String? = nil, prefers: String? = nil, line: Int = 1
    ) throws -> SceneConfiguration {
        var scene = SceneConfiguration(name: name, location: location)
        func at(_ offset: Int) -> SourceLocation {
            SourceLocation(path: location.path, line: line + offset, column: 9)
        }
        if let opens { scene.opens = Located(try ScenePredicate(parsing: opens), at: at(0)) }
        if let can {
            scene.canActivate = Located(try ScenePredicateTemplate(parsing: can, variables: ["TARGET"]), at: at(1))
        }
        if let prefers {
            scene.prefersToActivate = Located(
                try ScenePredicateTemplate(parsing: prefers, variables: ["TARGET"]), at: at(2))
        }
        return scene
    }

    /// The talk's app: a main scene that takes anything, and a scene for one clown.
    static func clownTown() throws -> App {
        var app = App(id: "example.clowntown", name: "Clown Town", location: location)
        app.domains = [Located("clowntown.example", at: location)]
        app.activityTypes = [Located("example.clowntown.view-clown", at: location)]
        app.website = Located(true, at: location)
        app.scenes = [
            try scene("main"),
            try scene(
                "clown", opens: "SELF LIKE \"https://clowntown.example/clowns/*\"", can: "SELF == $TARGET",
                prefers: "SELF == $TARGET", line: 21),
        ]
        return app
    }

    static func session(
        _ id: String, _ scene: SceneConfiguration, app: App, target: TargetContentIdentifier? = nil, used: Int64? = nil,
        created: Int64 = 0, state: SceneSession.State = .connected
    ) -> SceneSession {
        SceneSession(
            id: id, app: app.id, scene: scene.name, role: scene.role, target: target,
            conditions: scene.conditions(for: target, template: nil).conditions, state: state, used: used,
            created: created)
    }

    static func session(
        _ id: String, can: String = "TRUEPREDICATE", prefers: String = "FALSEPREDICATE", used: Int64? = nil
    )
        throws -> SceneSession
    {
        SceneSession(
            id: id, app: "example.clowntown", scene: "main",
            conditions: ActivationConditions(
                canActivate: .init(try ScenePredicate(parsing: can), origin: .session),
                prefersToActivate: .init(try ScenePredicate(parsing: prefers), origin: .session)),
            used: used, created: 0)
    }

    static func resolver(_ apps: [App], _ sessions: [SceneSession] = []) -> Resolver {
        Resolver(Snapshot(configuration: Configuration(apps: apps), sessions: SessionTable(sessions)))
    }
}
