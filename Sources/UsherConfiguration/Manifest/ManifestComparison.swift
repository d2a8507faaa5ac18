import UsherScene
internal import UsherText

/// What must differ between manifests.
enum ManifestComparison {
    private typealias Claim = (app: String, place: SourceLocation)

    static func diagnostics(of manifests: [Manifest], sources: SourceMap) -> [ConfigurationDiagnostic] {
        var diagnostics: [ConfigurationDiagnostic] = []
        var ids: [String: SourceLocation] = [:]
        var topics = NameMap<Claim>()
        var domains = NameMap<[Claim]>()
        var schemes = NameMap<[Claim]>()
        var shortcutTypes = NameMap<Claim>()
        var activityTypes = NameMap<Claim>()

        func report(
            _ severity: ConfigurationDiagnostic.Severity, _ code: DiagnosticCode, _ place: SourceLocation, length: Int,
            _ message: String, help: String, related: SourceLocation
        ) {
            diagnostics.append(
                ConfigurationDiagnostic(
                    severity, code, path: place.path, location: place, length: length, message: message, help: help,
                    related: related, sourceLine: sources.text(ofLineAt: place)))
        }

        func claim(
            _ name: Spanned<String>, _ app: App, _ claims: inout NameMap<[Claim]>, _ what: String, help: String
        ) {
            let place = SourceLocation(path: app.location.path, name.region.begin)
            let known = claims[name.value] ?? []
            for other in known where other.app != app.id {
                report(
                    .warning, .claimedTwice, place, length: name.region.length,
                    "\(other.app) has the \(what) \(TOMLText.quoted(name.value)) too", help: help, related: other.place)
            }
            if known.count < kept { claims[name.value] = known + [(app.id, place)] }
        }

        func declare(
            _ type: String, _ app: App, _ place: SourceLocation?, _ types: inout NameMap<Claim>, _ what: String
        ) {
            guard let place else { return }
            guard let first = types[type] else {
                types[type] = (app.id, place)
                return
            }
            if first.app == app.id { return }
            report(
                .warning, .typeWithoutOwner, place, length: 1,
                "\(first.app) declares the \(what) type \(TOMLText.quoted(type)) too: a request that does not name its app "
                    + "is for neither",
                help: "begin it with the app's id, or remove one", related: first.place)
        }

        for manifest in manifests {
            let app = manifest.app
            if let first = ids[app.id] {
                report(
                    .error, .duplicateValue, app.location, length: manifest.places.id?.length ?? 1,
                    "there are two apps with the id \(TOMLText.quoted(app.id))", help: "give one of them another id",
                    related: first)
                continue
            }
            ids[app.id] = app.location
            // An app answers to its id as well, whatever its topics.
            let id = Spanned(value: app.id, region: manifest.places.id ?? .start)
            for topic in manifest.places.topics + [id] {
                let place = SourceLocation(path: app.location.path, topic.region.begin)
                if let first = topics[topic.value], first.app != app.id {
                    report(
                        .error, .duplicateValue, place, length: topic.region.length,
                        "the topic \(TOMLText.quoted(topic.value)) means \(first.app) already",
                        help: "a push is for one app: each topic stands in one manifest", related: first.place)
                } else {
                    topics[topic.value] = (app.id, place)
                }
            }
            for scheme in manifest.places.schemes {
                claim(
                    scheme, app, &schemes, "scheme",
                    help: "its identifiers go to the app that was used last, unless the sender names one")
            }
            for shortcut in app.shortcuts { declare(shortcut.type, app, shortcut.location, &shortcutTypes, "shortcut") }
            for type in app.activityTypes { declare(type.value, app, type.location, &activityTypes, "activity") }
            // Association files share out a host; what they claim is compared below.
            for domain in manifest.places.domains where app.association == nil {
                claim(
                    domain, app, &domains, "domain",
                    help: "a link there goes to the app that was used last, unless the sender names one")
            }
        }
        for app in manifests.map(\.app) {
            for domain in app.domains where !domain.value.utf8.contains(UInt8(ascii: "/")) {
                for rule in app.association?.rules ?? [] where !rule.excludes {
                    // It accounts for as much of an address as an entry of `domains` with the same beginning.
                    guard let prefix = rule.coveredPrefix, rule.literalLength == prefix.count else { continue }
                    let name = domain.value + String(decoding: prefix, as: UTF8.self)
                    for other in domains[name] ?? [] where other.app != app.id {
                        report(
                            .warning, .claimedTwice, rule.location, length: 1,
                            "\(other.app) has the domain \(TOMLText.quoted(name)), and the component "
                                + "\(TOMLText.quoted(rule.summary)) claims the same",
                            help: "a link there goes to the app that was used last, unless the sender names one",
                            related: other.place)
                    }
                }
            }
        }
        for (file, rule, other) in equalRules(of: manifests.map(\.app)) {
            report(
                .warning, .claimedTwice, rule.location, length: 1,
                "\(file) has the component \(TOMLText.quoted(rule.summary)) of the same domain too",
                help: "a link there goes to the app that was used last, unless the sender names one", related: other)
        }
        return diagnostics
    }

    /// The components of association files that another app's file has for the same domain: the other's id, the
    /// component, and its place in the other's file.
    private static func equalRules(of apps: [App]) -> [(app: String, rule: LinkRule, other: SourceLocation)] {
        var places = NameMap<Int>()
        // In the order of the domains: the indexes of the apps that have one.
        var owners: [[Int]] = []
        for (index, app) in apps.enumerated() where app.association != nil {
            for domain in app.domains.map(\.value) {
                if places[domain] == nil {
                    places[domain] = owners.count
                    owners.append([])
                }
                if let place = places[domain] { owners[place].append(index) }
            }
        }
        var found: [(app: String, rule: LinkRule, other: SourceLocation)] = []
        var pairs: Set<[SourceLocation]> = []
        var compared: Set<[Int]> = []
        // Two apps may have very many domains in common.
        for owners in owners where owners.count > 1 && compared.insert(owners).inserted {
            var rules: [String: [Claim]] = [:]
            for app in owners.map({ apps[$0] }) {
                for rule in app.association?.rules ?? [] where !rule.excludes {
                    let key = "\(rule.form.index)\(rule.summary)"
                    // A file may give one component to several apps, as its site intends.
                    let others = rules[key] ?? []
                    for other in others where other.app != app.id && other.place != rule.location {
                        if pairs.insert([rule.location, other.place]).inserted {
                            found.append((other.app, rule, other.place))
                        }
                    }
                    if others.count < kept { rules[key, default: []].append((app.id, rule.location)) }
                }
            }
        }
        return found
    }

    /// With so many of those that claim the same each one is compared: pairs of very many would be as many as their square.
    private static let kept = 8
}
