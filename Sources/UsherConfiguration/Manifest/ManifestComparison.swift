import UsherScene
internal import UsherText

/// What must differ between manifests.
enum ManifestComparison {
    static func diagnostics(of manifests: [Manifest], sources: SourceMap) -> [ConfigurationDiagnostic] {
        var diagnostics: [ConfigurationDiagnostic] = []
        var ids: [String: SourceLocation] = [:]
        var topics = NameMap<(app: String, place: SourceLocation)>()
        var domains = NameMap<[(app: String, place: SourceLocation)]>()
        var schemes: [String: [(app: String, place: SourceLocation)]] = [:]

        func report(
            _ severity: ConfigurationDiagnostic.Severity, _ code: DiagnosticCode, _ place: SourceLocation, length: Int,
            _ message: String, help: String, related: SourceLocation
        ) {
            diagnostics.append(
                ConfigurationDiagnostic(
                    severity, code, path: place.path, location: place, length: length, message: message, help: help,
                    related: related, sourceLine: sources.text(ofLineAt: place)))
        }

        for manifest in manifests {
            let app = manifest.app
            let path = app.location.path
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
                let place = SourceLocation(
                    path: path, line: topic.region.begin.line, column: topic.region.begin.column)
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
                let place = SourceLocation(
                    path: path, line: scheme.region.begin.line, column: scheme.region.begin.column)
                for other in schemes[scheme.value] ?? [] where other.app != app.id {
                    report(
                        .warning, .claimedTwice, place, length: scheme.region.length,
                        "\(other.app) has the scheme \(TOMLText.quoted(scheme.value)) too",
                        help: "its identifiers go to the app that was used last, unless the sender names one",
                        related: other.place)
                }
                schemes[scheme.value, default: []].append((app.id, place))
            }
            // Association files share out a host; what they claim is compared below.
            for domain in manifest.places.domains where app.association == nil {
                let place = SourceLocation(
                    path: path, line: domain.region.begin.line, column: domain.region.begin.column)
                for other in domains[domain.value] ?? [] where other.app != app.id {
                    report(
                        .warning, .claimedTwice, place, length: domain.region.length,
                        "\(other.app) has the domain \(TOMLText.quoted(domain.value)) too",
                        help: "a link there goes to the app that was used last, unless the sender names one",
                        related: other.place)
                }
                domains[domain.value] = (domains[domain.value] ?? []) + [(app.id, place)]
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
        var owners = NameMap<[App]>()
        var domains: [String] = []
        for app in apps where app.association != nil {
            for domain in app.domains.map(\.value) {
                if owners[domain] == nil { domains.append(domain) }
                owners[domain] = (owners[domain] ?? []) + [app]
            }
        }
        var found: [(app: String, rule: LinkRule, other: SourceLocation)] = []
        var pairs: Set<[SourceLocation]> = []
        for apps in domains.compactMap({ owners[$0] }) where apps.count > 1 {
            var rules: [String: [(app: String, place: SourceLocation)]] = [:]
            for app in apps {
                for rule in app.association?.rules ?? [] where !rule.excludes {
                    let key = "\(rule.form.index)\(rule.summary)"
                    // A file may give one component to several apps, as its site intends.
                    for other in rules[key] ?? [] where other.app != app.id && other.place != rule.location {
                        // Two apps may have several domains in common.
                        if pairs.insert([rule.location, other.place]).inserted {
                            found.append((other.app, rule, other.place))
                        }
                    }
                    rules[key, default: []].append((app.id, rule.location))
                }
            }
        }
        return found
    }
}

extension SourceRegion {
    /// The beginning of a file.
    fileprivate static let start = SourceRegion(
        begin: SourcePosition(line: 1, column: 1), end: SourcePosition(line: 1, column: 1))
}
