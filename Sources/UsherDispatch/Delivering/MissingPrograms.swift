internal import UsherActivation
internal import UsherResolution
internal import UsherScene

// Which programs are there is read with the configuration; they come and go without it.

extension Resolver {
    func restsOnPrograms(_ decision: Decision) -> Bool {
        if decision.action == .launch { return true }
        guard let app = decision.resolution.app else { return false }
        return snapshot.missingPrograms.contains { $0.app == app }
    }

    /// Looks for all programs of an app: what is missing now; nil where nothing is different.
    func missingPrograms(afterLookingFor app: App?, by programs: ProgramLocator) -> Set<SceneName>? {
        guard let app else { return nil }
        var missing = snapshot.missingPrograms
        for scene in app.scenes {
            let name = SceneName(app: app.id, scene: scene.name)
            if scene.isInstalled(by: programs) { missing.remove(name) } else { missing.insert(name) }
        }
        return missing == snapshot.missingPrograms ? nil : missing
    }
}

extension SceneConfiguration {
    /// Whether the program that launches it is there; true where none does.
    func isInstalled(by programs: ProgramLocator) -> Bool {
        guard let launch, let program = launch.command.arguments.first else { return true }
        switch launch.place {
        case .exec, .tmux: break
        // Whether an entry or a bus name is there is known when it is asked for.
        case .desktop, .dbus: return true
        }
        return programs.isInstalled(program)
    }
}
