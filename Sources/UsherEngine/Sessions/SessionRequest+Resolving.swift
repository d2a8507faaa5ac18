internal import UsherOperation
internal import UsherPredicate
internal import UsherScene
internal import UsherStore
internal import UsherTarget

extension SessionRequest {
    /// A session that is connected again still shows what it showed, unless something else is said.
    mutating func complete(from known: SceneSession?) {
        if target == nil, let known, let shown = known.target, app == nil || app == known.app,
            scene == nil || scene == known.scene
        {
            target = shown.text
        }
    }

    /// The session to be made, by the configuration, and warnings about it.
    ///
    /// - Parameter parsed: condition templates that were parsed before, by text and scene: bulk input repeats them.
    func session(
        in configuration: Configuration, parsed: inout ConditionTexts
    ) throws(ControlError) -> (session: Store.NewSession, warnings: [String]) {
        let app = try app(in: configuration)
        let scene = try scene(in: app)
        if let session, session.isEmpty { throw .session("a session's id cannot be empty", at: "/session") }
        let target = try SessionRequest.identifier(target)
        let template = app.targets.first { $0.name == scene.target }?.template
        var (conditions, unfilled) = scene.conditions(for: target, template: template)
        let hasTexts = can != nil || prefers != nil
        let values = hasTexts ? ConditionTexts.values(target: target, template: template) : [:]
        if let can {
            unfilled.removeAll { $0 == "can" }
            let given = try parsed.condition(can, name: "can", values, template)
            conditions.canActivate = .init(given ?? .never, origin: .session)
            if given == nil { unfilled.append("can") }
        }
        if let prefers {
            unfilled.removeAll { $0 == "prefers" }
            let given = try parsed.condition(prefers, name: "prefers", values, template)
            conditions.prefersToActivate = .init(given ?? .never, origin: .session)
            if given == nil { unfilled.append("prefers") }
        }
        let warnings = unfilled.map { ConditionTexts.warning(unfilled: $0, scene: scene.name, target: target) }
        let new = Store.NewSession(
            id: session, app: app.id, scene: scene.name, role: scene.role, target: target, conditions: conditions,
            state: .connected, handle: handle, handleServer: handleServer, title: title)
        return (new, warnings)
    }

    private func app(in configuration: Configuration) throws(ControlError) -> App {
        let apps = configuration.manifestApps
        guard let name = app else {
            if apps.count == 1 { return apps[0] }
            throw .session(
                "which app? there are \(apps.count)", at: "/app",
                help: "it is one of \(apps.map(\.id).joined(separator: ", "))")
        }
        if let app = configuration.app(id: name) ?? apps.first(where: { $0.topics.contains(name) }) { return app }
        throw .unknown(
            .controlSession, "app", name, among: apps.flatMap { app in [app.id] + app.topics.filter { $0 != app.id } },
            at: "/app", otherwise: apps.isEmpty ? "usher init writes a first configuration" : nil)
    }

    private func scene(in app: App) throws(ControlError) -> SceneConfiguration {
        guard let name = scene else {
            if app.scenes.count == 1 { return app.scenes[0] }
            throw .session(
                "which scene of \(app.id)?", at: "/scene",
                help: "it is one of \(app.scenes.map(\.name).joined(separator: ", "))")
        }
        if let scene = app.scene(named: name) { return scene }
        throw .unknown(.controlSession, "scene of \(app.id)", name, among: app.scenes.map(\.name), at: "/scene")
    }

    /// An identifier, if it is one.
    private static func identifier(_ text: String?) throws(ControlError) -> TargetContentIdentifier? {
        guard let text else { return nil }
        guard !text.isEmpty else {
            throw .session(
                "a target content identifier cannot be empty", at: "/target", help: "leave it out where there is none")
        }
        guard text.utf8.count <= TargetContentIdentifier.maximumLength else {
            throw .session(
                "a target content identifier has at most \(TargetContentIdentifier.maximumLength) bytes, not"
                    + " \(text.utf8.count)", at: "/target")
        }
        return TargetContentIdentifier(text)
    }
}
