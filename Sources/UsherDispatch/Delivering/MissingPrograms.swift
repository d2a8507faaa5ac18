internal import UsherActivation
internal import UsherResolution
internal import UsherScene

// Which programs are there is read with the configuration; they come and go without it.

extension Resolver {
    /// Whether a decision rests on programs that came or went since they were looked for; then it is to be made again. Looks
    /// only where a program is to be launched, or one of the app's was missing.
    mutating func isOutdated(_ decision: Decision, by programs: ProgramLocator) -> Bool {
        guard let app = decision.app else { return false }
        let missing = snapshot.missingPrograms
        let misses = !missing.isEmpty && app.scenes.contains { missing.contains(.init(app: app.id, scene: $0.name)) }
        guard misses || decision.action == .launch else { return false }
        return looks(atProgramsOf: app, by: programs)
    }

    /// Looks for all programs of an app: whether anything is different.
    mutating func looks(atProgramsOf app: App?, by programs: ProgramLocator) -> Bool {
        guard let app else { return false }
        var missing = snapshot.missingPrograms
        for scene in app.scenes {
            let name = Snapshot.SceneName(app: app.id, scene: scene.name)
            if scene.isInstalled(by: programs) { missing.remove(name) } else { missing.insert(name) }
        }
        guard missing != snapshot.missingPrograms else { return false }
        replaceMissingPrograms(missing)
        return true
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
