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
        if !sceneTables, app.website?.value != true, let id = places.id {
            reader.warn(
                .noEffect, at: id, "the app has no scenes and no website: nothing can be opened",
                help: "add a [[scenes]] table, or website = true")
        }
        var creators = SceneCreators()
        for (scene, region) in zip(app.scenes, places.scenes) {
            let creator = creators.creator(insteadOf: scene)
            creators.add(scene)
            let prefers = scene.prefersToActivate?.value.canonicalText
            guard isNever(scene.canActivate?.value.canonicalText), prefers == nil || isNever(prefers) else { continue }
            if isNever(scene.opens?.value.canonicalText) || creator != nil {
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
        checkDomains(of: app)
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

    private func isNever(_ condition: String?) -> Bool { condition == ScenePredicate.never.canonicalText }
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

/// The scenes that open for everything, or for everything that no `opens` accepts: those that come first of their kind.
private struct SceneCreators {
    private var scenes: [SceneConfiguration] = []

    mutating func add(_ scene: SceneConfiguration) {
        guard scene.opens.map({ $0.value == .always }) ?? true else { return }
        let isKnown = scenes.contains {
            $0.role == scene.role && $0.needsTarget == scene.needsTarget && ($0.opens == nil) == (scene.opens == nil)
        }
        if !isKnown { scenes.append(scene) }
    }

    /// The scene before this one that opens for whatever this one would open for; nil if there is none.
    func creator(insteadOf scene: SceneConfiguration) -> String? {
        scenes.first { other in
            guard other.role == scene.role, !other.needsTarget || scene.needsTarget else { return false }
            return other.opens != nil || scene.opens == nil
        }?.name
    }
}
