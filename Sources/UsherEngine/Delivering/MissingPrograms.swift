internal import UsherActivation
internal import UsherResolution
internal import UsherScene

// Which programs are there is read with the configuration; they come and go without it.

extension Resolver {
    func restsOnPrograms(_ decision: Decision) -> Bool {
        if decision.action == .launch { return true }
        guard !snapshot.missingPrograms.isEmpty, let app = decision.resolution.app else { return false }
        return snapshot.missingPrograms.contains { $0.app == app }
    }

    /// Looks for the programs that a decision rests on: what is missing now; nil where nothing is different.
    ///
    /// That is the program of the chosen scene: were another one gone as well, the choice would be the same. Where the app
    /// lacks one, all of its programs.
    ///
    /// - Parameter looksForAll: at all programs of the app in any case, as an explanation names each.
    func missingPrograms(
        afterLookingFor decision: Decision, by programs: ProgramLocator, looksForAll: Bool = false
    ) -> Set<SceneName>? {
        guard let app = decision.appID, let place = decision.resolution.appPlace else { return nil }
        let isAnyMissing = snapshot.missingPrograms.contains { $0.app == app }
        let scenes = snapshot.configuration.apps[place].scenes
        var found: Set<SceneName>?
        for scene in scenes.indices where looksForAll || isAnyMissing || scene == decision.resolution.scenePlace {
            let isInstalled = scenes[scene].program.map(programs.isInstalled) ?? true
            if isInstalled, !isAnyMissing { continue }
            let name = SceneName(app: app, scene: scenes[scene].name)
            guard snapshot.missingPrograms.contains(name) == isInstalled else { continue }
            var missing = found ?? snapshot.missingPrograms
            if isInstalled { missing.remove(name) } else { missing.insert(name) }
            found = missing
        }
        return found
    }
}
