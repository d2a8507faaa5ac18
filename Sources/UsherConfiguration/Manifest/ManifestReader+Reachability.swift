import UsherPredicate
import UsherScene
import UsherTarget
internal import UsherText

extension ManifestReader {
    /// Types are compared over all apps, so each has to be unique.
    mutating func check(activityTypes types: [Spanned<String>]) {
        for type in types where !type.value.utf8.contains(UInt8(ascii: ".")) {
            reader.warn(
                .activityTypeWithoutDot, at: type.region,
                "the activity type \(TOMLText.quoted(type.value)) has no dot: another app may declare the same",
                help: "begin it with the app's id")
        }
    }

    /// Warns of rules that can never do what they say.
    mutating func checkReachability(of app: App, sceneTables: Bool) {
        if !sceneTables, app.website?.value != true, app.id != App.agentsID, let id = places.id {
            reader.warn(
                .noEffect, at: id, "the app has no scenes and no website: nothing can be opened",
                help: "add a [[scenes]] table, or website = true")
        }
        checkDomains(of: app)
        // What a scene takes is known when its conditions can be read.
        if hasUnreadConditions { return }
        checkScenes(of: app)
        let acceptsAnything = app.scenes.contains { $0.opens == nil }
        guard !acceptsAnything, !app.scenes.isEmpty else { return }
        var named = NameMap<Void>()
        for name in app.scenes.compactMap(\.target) { named[name] = () }
        // In a manifest of very many scenes and templates, the first ones are looked at.
        var evaluations = 100_000
        for (target, region) in zip(app.targets, places.targets) where named[target.name] == nil {
            evaluations -= app.scenes.count
            guard evaluations >= 0 else { return }
            let sample = TemplateSample.identifier(of: target.template)
            if app.scenes.contains(where: { $0.opens?.value.evaluate(sample) ?? false }) { continue }
            reader.report(
                .templateNeverOpened, at: region,
                "no scene opens what `\(target.name)` builds, such as \(TOMLText.quoted(sample))",
                help: "give a scene target = \(TOMLText.quoted(target.name)), or an `opens` that accepts it")
        }
        checkShortcuts(of: app)
    }

    /// More shortcuts times scenes are not looked at.
    private static let mostShortcutTries = 1 << 20

    /// Warns of shortcuts that do nothing while no window is open, of an app without a default scene.
    private mutating func checkShortcuts(of app: App) {
        guard app.multipleScenes, app.shortcuts.count * app.scenes.count <= ManifestReader.mostShortcutTries else {
            return
        }
        for (shortcut, region) in zip(app.shortcuts, places.shortcuts) {
            guard let target = shortcut.target, app.website?.value != true || !target.isWebAddress else { continue }
            let subject = PredicateSubject(target.text)
            if app.scenes.contains(where: { $0.opens?.value.evaluate(subject) ?? false }) { continue }
            reader.warn(
                .shortcutWithoutScene, at: region,
                "no scene opens the target of the shortcut \(TOMLText.quoted(shortcut.type)): it does nothing while no window "
                    + "is open",
                help: "give a scene an `opens` that accepts \(TOMLText.quoted(target.text)), or correct the target")
        }
    }

    /// Where several apps are configured, an identifier on a host that none of them has belongs to no app.
    private mutating func checkDomains(of app: App) {
        guard !app.domains.isEmpty else { return }
        let hosts = DomainHosts(app.domains.map(\.value))
        for (target, region) in zip(app.targets, places.targets) {
            // A host with a variable in it may become one of the app's.
            guard let host = TargetContentIdentifier(target.template.text).webHost?.host,
                !host.utf8.contains(UInt8(ascii: "{")),
                !hosts.contains(host)
            else {
                checkAssociation(of: target, region, app)
                continue
            }
            reader.warn(
                .templateWithoutOwner, at: region,
                "what `\(target.name)` builds is outside the app's `domains`: beside other apps, it belongs to none",
                help: "add \(TOMLText.quoted(host)) to `domains`")
        }
    }

    /// An association file may leave to the browser what the app's own backends build.
    private mutating func checkAssociation(of target: TargetTemplate, _ region: SourceRegion, _ app: App) {
        let sample = TemplateSample.identifier(of: target.template)
        switch app.verdict(on: TargetContentIdentifier(sample)) {
        case .included, nil: return
        case .excluded(let rule):
            reader.warn(
                .templateWithoutOwner, at: region,
                "what `\(target.name)` builds, such as \(TOMLText.quoted(sample)), is excluded by \(rule.summary)",
                help: "let a component before it include these, \(rule.location)")
        case .unmatched:
            // A sample has letters where the pattern may require digits: only a pattern that can never match is reported.
            let path = Array((TargetContentIdentifier(sample).webHost?.rest ?? "").utf8)
            let rules = app.association?.rules ?? []
            guard !rules.contains(where: { !$0.excludes && path.starts(with: $0.pathPrefix) }) else { return }
            reader.warn(
                .templateWithoutOwner, at: region,
                "what `\(target.name)` builds, such as \(TOMLText.quoted(sample)), matches no component of the app's "
                    + "association file", help: "add a component that includes these")
        }
    }
}

// MARK: - Scenes

extension ManifestReader {
    /// Warns of scenes that nothing leads to, that are always made anew, and that an earlier one keeps from being made.
    ///
    /// - Complexity: linear in the number of scenes.
    private mutating func checkScenes(of app: App) {
        var creators = SceneCreators()
        var creator: [Int?] = []
        var firstOfRole: [SceneRole: String] = [:]
        for (place, region) in zip(app.scenes.indices, places.scenes) {
            let scene = app.scenes[place]
            let first = creators.first(insteadOf: scene)
            creator.append(first)
            creators.add(scene, at: place)
            let isNeverUsedAgain = isNever(scene.canActivate) && (scene.prefersToActivate.map { isNever($0) } ?? true)
            if !app.multipleScenes {
                if let only = firstOfRole[scene.role], scene.launch != nil {
                    warn(ofSecond: scene, region, beside: only)
                }
                firstOfRole[scene.role] = firstOfRole[scene.role] ?? scene.name
            } else if isNeverUsedAgain {
                warn(ofUnusable: scene, region, insteadOf: first.map { app.scenes[$0].name })
            } else if let first, scene.launch != nil {
                warn(ofShadowed: scene, region, by: app.scenes[first])
            }
        }
        // Without several scenes no condition is asked.
        if app.multipleScenes { checkTakers(of: app, creator: creator) }
        checkShown(in: app)
    }

    /// Warns of scenes whose windows come forward for any target, and show the one that they were launched for.
    ///
    /// A command that brings the window forward has the target in its environment, and may show it.
    private mutating func checkShown(in app: App) {
        guard !app.continuation.isHandled else { return }
        for (scene, region) in zip(app.scenes, places.scenes)
        where scene.launch?.carriesTarget == true && !scene.isCommand && scene.show == nil && scene.content.isEmpty {
            if case .exec = scene.focus?.method { continue }
            if app.multipleScenes {
                let takesAll = scene.canActivate.map { $0.value.canonicalText == ScenePredicate.always.canonicalText }
                guard takesAll ?? true, scene.opens == nil || scene.newScene == .whenNoneCan else { continue }
            }
            reader.warn(
                .contentNotShown, at: region,
                "a window of the scene \(TOMLText.quoted(scene.name)) comes forward for any target, but shows the one that "
                    + "it was launched for: the scene has no `show`",
                help: app.multipleScenes
                    ? "add `show`, or say with `can` what the window shows, such as can = 'SELF == $TARGET'"
                    : "add `show`, or multiple-scenes = true and a `can`")
        }
    }

    private mutating func warn(ofUnusable scene: SceneConfiguration, _ region: SourceRegion, insteadOf creator: String?)
    {
        if creator != nil || scene.opens?.value == .never {
            let opens =
                creator.map { "`\($0)`, which comes first, opens instead, and it can nothing" }
                ?? "it opens for nothing, can nothing"
            reader.warn(
                .sceneUnreachable, at: region,
                "nothing ever leads to the scene \(TOMLText.quoted(scene.name)): \(opens) and prefers nothing",
                help: "give it an `opens`, a `can` or a `prefers` that holds for something"
            )
        } else if scene.launch != nil {
            reader.warn(
                .sceneAlwaysNew, at: region,
                "each request for the scene \(TOMLText.quoted(scene.name)) makes a new window: its `can` is "
                    + "FALSEPREDICATE, and it has no `prefers`",
                help: "to use its windows again, add prefers = 'SELF == $TARGET'")
        }
    }

    private mutating func warn(ofSecond scene: SceneConfiguration, _ region: SourceRegion, beside only: String) {
        reader.warn(
            .shadowed, at: region,
            "no request makes a window of the scene \(TOMLText.quoted(scene.name)): the app has one window, of the scene "
                + TOMLText.quoted(only),
            help: "where it has several, write multiple-scenes = true (an Info.plist without "
                + "UIApplicationSupportsMultipleScenes means false)")
    }

    private mutating func warn(
        ofShadowed scene: SceneConfiguration, _ region: SourceRegion, by first: SceneConfiguration
    ) {
        let name = TOMLText.quoted(first.name)
        if scene.opens == nil, first.opens == nil {
            reader.warn(
                .secondDefault, at: region,
                "no request makes a window of the scene \(TOMLText.quoted(scene.name)): it has no `opens`, and \(name), "
                    + "which comes first, is the default",
                help: "give it an `opens`; where only `usher scene new` is to make it, write opens = 'FALSEPREDICATE'",
                related: first.location)
        } else {
            reader.warn(
                .shadowed, at: region,
                "no request makes a window of the scene \(TOMLText.quoted(scene.name)): \(name), which comes first, opens "
                    + "for all that it would open for",
                help: "put the scene with the narrower `opens` first, or change one of the two",
                related: first.opens?.location ?? first.location)
        }
    }

    /// Warns of a scene that was given no `can`, and so takes what others would open for while it has a window.
    ///
    /// An `[[expect]]` that says so, or `can = 'TRUEPREDICATE'`, shows that it is meant.
    private mutating func checkTakers(of app: App, creator: [Int?]) {
        var expected = NameMap<Bool>()
        for test in app.expectations where test.reason == .can || test.reason == nil {
            guard let scene = test.scene, test.open.contains(where: { $0.scene.hasSameBytes(as: scene) }) else {
                continue
            }
            expected[scene] = true
        }
        /// By the text of the role, for the reason of `NameMap`: the scenes of which requests make a window that an open window can
        /// take instead.
        var openers: [String: [String]] = [:]
        for (scene, creator) in zip(app.scenes, creator) where scene.launch != nil && creator == nil {
            let goesFirst = scene.opens != nil && scene.newScene == .unlessPreferred
            if goesFirst || scene.opens?.value == .never { continue }
            openers[scene.role.rawValue, default: []].append(scene.name)
        }
        var takers: [String: [(name: String, region: SourceRegion)]] = [:]
        for (scene, region) in zip(app.scenes, places.scenes)
        where scene.canActivate == nil && !scene.isCommand && expected[scene.name] == nil {
            takers[scene.role.rawValue, default: []].append((scene.name, region))
        }
        for scene in app.scenes {
            guard let all = takers.removeValue(forKey: scene.role.rawValue), let taker = all.first else { continue }
            let others = (openers[scene.role.rawValue] ?? []).filter { !$0.hasSameBytes(as: taker.name) }
            guard !others.isEmpty else { continue }
            let more = all.count > 1 ? "; \(ManifestReader.names(all.dropFirst().map { $0.name })) the same" : ""
            reader.warn(
                .takesEverything, at: taker.region,
                "while the scene \(TOMLText.quoted(taker.name)) has a window, it takes every request that no window prefers, "
                    + "because it has no `can`: no window of \(ManifestReader.names(others)) is made" + more,
                help: "say with `can` what it can show; where it can show all, write can = 'TRUEPREDICATE'")
        }
    }

    /// Up to three names.
    private static func names(_ names: [String]) -> String {
        let shown = names.prefix(3).map(TOMLText.quoted).joined(separator: ", ")
        return names.count > 3 ? "\(shown) and \(names.count - 3) more" : shown
    }

    private func isNever(_ condition: Located<ScenePredicateTemplate>?) -> Bool {
        condition?.value.canonicalText == ScenePredicate.never.canonicalText
    }
}

/// The hosts of entries of `domains`, as `App.has(host:)` takes them: each is found without looking at all.
struct DomainHosts {
    private var hosts: Set<String> = []
    /// What hosts end with, from the dot on.
    private var endings: Set<String> = []

    init(_ domains: [String]) {
        for domain in domains {
            let host = domain.prefix { $0 != "/" }
            if host.utf8.starts(with: "*.".utf8) {
                endings.insert(String(host.dropFirst()))
            } else {
                hosts.insert(String(host))
            }
        }
    }

    func contains(_ host: String) -> Bool {
        hosts.contains(host)
            || host.indices.dropFirst().contains { host[$0] == "." && endings.contains(String(host[$0...])) }
    }
}

/// The scenes so far of a manifest, by what they open for.
private struct SceneCreators {
    /// By role and condition: the first scene, and the first that also opens without a target.
    private var firsts = NameMap<(first: Int, withoutTarget: Int?)>()

    private static func key(_ role: SceneRole, _ opens: ScenePredicate?) -> String {
        opens.map { "\(role.rawValue)\0\($0.canonicalText)" } ?? role.rawValue
    }

    mutating func add(_ scene: SceneConfiguration, at place: Int) {
        let key = SceneCreators.key(scene.role, scene.opens?.value)
        let known = firsts[key]
        firsts[key] = (known?.first ?? place, known?.withoutTarget ?? (scene.needsTarget ? nil : place))
    }

    /// The place of an earlier scene that opens for whatever this one would open for; nil if there is none.
    func first(insteadOf scene: SceneConfiguration) -> Int? {
        // One that opens for nothing says so.
        if scene.opens?.value == .never { return nil }
        let keys = [scene.opens?.value, .always].map { SceneCreators.key(scene.role, $0) }
        return keys.compactMap { firsts[$0] }.compactMap { scene.needsTarget ? $0.first : $0.withoutTarget }.min()
    }
}
