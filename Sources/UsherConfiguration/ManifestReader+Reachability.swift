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
                !app.domains.contains(where: { ManifestReader.domain($0.value, covers: host) })
            else { continue }
            reader.warn(
                .templateWithoutOwner, at: region,
                "what `\(target.name)` builds is outside the app's `domains`: beside other apps, it belongs to none",
                help: "add \(TOMLText.quoted(host)) to `domains`")
        }
    }

    /// Whether a host is that of an entry of `domains`: `clowntown.example`, `*.example`, `shop.example/clowns`.
    private static func domain(_ domain: String, covers host: String) -> Bool {
        let name = domain.utf8.prefix { $0 != UInt8(ascii: "/") }
        guard name.starts(with: "*.".utf8) else { return name.elementsEqual(host.utf8) }
        let suffix = name.dropFirst()
        return host.utf8.count > suffix.count && host.utf8.suffix(suffix.count).elementsEqual(suffix)
    }

    private func isUnreachable(_ scene: SceneConfiguration) -> Bool {
        let never = ScenePredicate.never.canonicalText
        return scene.opens?.value.canonicalText == never && scene.canActivate?.value.canonicalText == never
            && (scene.prefersToActivate.map { $0.value.canonicalText == never } ?? true)
    }
}
