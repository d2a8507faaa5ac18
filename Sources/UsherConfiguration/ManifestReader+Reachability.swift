import UsherPredicate
import UsherScene
import UsherTarget

extension ManifestReader {
    /// Warns of rules that can never do what they say.
    mutating func checkReachability(of app: App, sceneTables: Bool) {
        if !sceneTables, app.website?.value != true, let id = places.id {
            reader.warn(
                .noEffect, at: id, "the app has no scenes and no website: nothing can be opened",
                help: "add a [[scenes]] table, or website = true")
        }
        for (scene, region) in zip(app.scenes, places.scenes) where isUnreachable(scene) {
            reader.warn(
                .sceneUnreachable, at: region,
                "nothing ever leads to the scene \(TOMLText.quoted(scene.name)): it opens for nothing, can nothing and "
                    + "prefers nothing", help: "give it an `opens`, a `can` or a `prefers` that holds for something")
        }
        checkDomains(of: app)
        let acceptsAnything = app.scenes.contains { $0.opens == nil }
        guard !acceptsAnything, !app.scenes.isEmpty else { return }
        for (target, region) in zip(app.targets, places.targets) {
            if app.scenes.contains(where: { $0.target?.utf8.elementsEqual(target.name.utf8) ?? false }) { continue }
            let sample = TemplateSample.identifier(of: target.template)
            if app.scenes.contains(where: { $0.opens?.value.evaluate(sample) ?? false }) { continue }
            reader.report(
                .templateNeverOpened, at: region,
                "no scene opens what `\(target.name)` builds, such as \(TOMLText.quoted(sample))",
                help: "give a scene target = \(TOMLText.quoted(target.name)), or an `opens` that accepts it")
        }
    }

    /// Where several apps are configured, an identifier on a host that none of them has belongs to nobody.
    private mutating func checkDomains(of app: App) {
        guard !app.domains.isEmpty else { return }
        for (target, region) in zip(app.targets, places.targets) {
            // A host with a variable in it may become one of the app's.
            guard let host = TargetContentIdentifier(target.template.text).webHost?.host,
                !host.utf8.contains(UInt8(ascii: "{")),
                !app.has(host: host)
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
            // A sample has letters where the pattern may want digits: only what can never match is told.
            let path = Array((TargetContentIdentifier(sample).webHost?.rest ?? "").utf8)
            let rules = app.association?.rules ?? []
            guard !rules.contains(where: { !$0.excludes && path.starts(with: $0.pathPrefix) }) else { return }
            reader.warn(
                .templateWithoutOwner, at: region,
                "what `\(target.name)` builds, such as \(TOMLText.quoted(sample)), matches no component of the app's "
                    + "association file", help: "add a component that includes these")
        }
    }

    private func isUnreachable(_ scene: SceneConfiguration) -> Bool {
        let never = ScenePredicate.never.canonicalText
        return scene.opens?.value.canonicalText == never && scene.canActivate?.value.canonicalText == never
            && (scene.prefersToActivate.map { $0.value.canonicalText == never } ?? true)
    }
}
