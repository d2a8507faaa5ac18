import UsherPredicate
import UsherScene
import UsherTarget
internal import UsherText

extension ManifestReader {
    mutating func readScenes(of table: CheckedTable, into app: inout App) {
        var first: [[UInt8]: SourceLocation] = [:]
        for element in reader.tables("scenes", of: table) {
            let scene = reader.check(element.value, ManifestSchema.scene, region: element.region)
            guard let name = reader.string("name", of: scene) else {
                // Its other mistakes are worth saying all the same.
                _ = configuration(named: "", of: scene, in: app)
                continue
            }
            if let place = first[Array(name.value.utf8)] {
                reader.report(
                    .duplicateScene, at: name.region, "there are two scenes named \(TOMLText.quoted(name.value))",
                    help: "give one of them another name", related: place)
                continue
            }
            first[Array(name.value.utf8)] = location(name.region.begin)
            app.scenes.append(configuration(named: name.value, of: scene, in: app))
            places.scenes.append(element.region)
        }
    }

    private mutating func configuration(
        named name: String, of table: CheckedTable, in app: App
    ) -> SceneConfiguration {
        var scene = SceneConfiguration(name: name, location: location(table.region.begin))
        readRole(of: table, into: &scene)
        let template = target(of: table, in: app)
        scene.target = template?.name
        scene.opens = condition("opens", of: table) { text throws(PredicateError) in
            try ScenePredicate(parsing: text)
        }
        let variables = SessionVariables(
            template: template, targets: app.targets, isTemplateUnknown: table.written.contains("target"))
        scene.canActivate = sessionCondition("can", of: table, variables)
        scene.prefersToActivate = sessionCondition("prefers", of: table, variables)
        readNewScene(of: table, into: &scene)
        scene.launch = launchHandler(of: table)
        scene.focus = focusHandler(of: table)
        scene.show = showHandler(of: table)
        if let opens = table.members["opens"], scene.launch == nil, !table.written.contains("launch") {
            reader.warn(
                .sceneWithoutLaunch, at: opens.keyRegion,
                "`opens` has no effect: the scene has no `launch` to open a window with",
                help: "add a line such as: launch = { exec = [\"clowntown\", \"--\", \"{target}\"] }")
        }
        return scene
    }

    private mutating func readRole(of table: CheckedTable, into scene: inout SceneConfiguration) {
        guard let role = reader.string("role", of: table) else { return }
        scene.role = SceneRole(rawValue: role.value)
        if let meant = Suggestion.closest(to: role.value, among: [SceneRole.windowApplication.rawValue]),
            meant != role.value
        {
            reader.report(
                .invalidValue, at: role.region, "there is no role \(TOMLText.quoted(role.value))",
                help: "did you mean \(TOMLText.quoted(meant))?")
        }
    }

    private mutating func target(of table: CheckedTable, in app: App) -> TargetTemplate? {
        guard let name = reader.string("target", of: table) else { return nil }
        if let template = app.targets.first(where: { $0.name.utf8.elementsEqual(name.value.utf8) }) { return template }
        let names = app.targets.map(\.name)
        let help: String
        if let meant = Suggestion.closest(to: name.value, among: names) {
            help = "did you mean \(TOMLText.quoted(meant))?"
        } else if names.isEmpty {
            help = "declare it under [targets]: \(name.value) = \"https://clowntown.example/clowns/{clown}\""
        } else {
            help = "[targets] has " + names.map(TOMLText.quoted).joined(separator: ", ")
        }
        reader.report(
            .unknownTarget, at: name.region, "[targets] has no template named \(TOMLText.quoted(name.value))",
            help: help)
        return nil
    }

    private mutating func readNewScene(of table: CheckedTable, into scene: inout SceneConfiguration) {
        guard let policy = reader.choice("new-scene", of: table, as: SceneConfiguration.NewScenePolicy.self) else {
            return
        }
        scene.newScene = policy
        if policy == .unlessPreferred, !table.written.contains("opens"), let member = table.members["new-scene"] {
            reader.warn(
                .noEffect, at: member.keyRegion,
                "`new-scene` has no effect: it is about the identifiers that the scene's own `opens` accepts",
                help: "add `opens`")
        }
    }

    /// `can` and `prefers`: conditions of a session, which know its target.
    private mutating func sessionCondition(
        _ key: String, of table: CheckedTable, _ variables: SessionVariables
    ) -> Located<ScenePredicateTemplate>? {
        condition(key, of: table) { text throws(PredicateError) in
            do throws(PredicateError) {
                return try ScenePredicateTemplate(parsing: text, variables: variables.known(in: text))
            } catch {
                throw variables.leadingToTemplate(error)
            }
        }
    }

    private mutating func condition<Predicate>(
        _ key: String, of table: CheckedTable, parse: (String) throws(PredicateError) -> Predicate
    ) -> Located<Predicate>? {
        guard let text = reader.string(key, of: table, mayBeEmpty: true) else { return nil }
        do {
            return Located(try parse(text.value), at: location(text.region.begin))
        } catch {
            reader.report(
                .predicate(error.code),
                at: reader.region(ofBytes: error.offset, count: error.length, inStringAt: text.region), error.message,
                help: error.hint)
            return nil
        }
    }
}
