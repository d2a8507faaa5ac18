import UsherScene

/// What must differ between manifests.
enum ManifestComparison {
    static func diagnostics(of manifests: [Manifest], sources: SourceMap) -> [ConfigurationDiagnostic] {
        var diagnostics: [ConfigurationDiagnostic] = []
        var ids: [String: SourceLocation] = [:]
        var topics: [[UInt8]: (app: String, place: SourceLocation)] = [:]
        var domains: [[UInt8]: (app: String, place: SourceLocation)] = [:]
        var schemes: [String: (app: String, place: SourceLocation)] = [:]

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
                    .error, .duplicateApp, app.location, length: manifest.places.id?.length ?? 1,
                    "there are two apps with the id \(TOMLText.quoted(app.id))", help: "give one of them another id",
                    related: first)
                continue
            }
            ids[app.id] = app.location
            // An app answers to its id as well, whatever its topics.
            let id = Placed(value: app.id, region: manifest.places.id ?? .start)
            for topic in manifest.places.topics + [id] {
                let place = SourceLocation(
                    path: path, line: topic.region.begin.line, column: topic.region.begin.column)
                if let first = topics[Array(topic.value.utf8)], first.app != app.id {
                    report(
                        .error, .duplicateTopic, place, length: topic.region.length,
                        "the topic \(TOMLText.quoted(topic.value)) means \(first.app) already",
                        help: "a push is for one app: each topic stands in one manifest", related: first.place)
                } else {
                    topics[Array(topic.value.utf8)] = (app.id, place)
                }
            }
            for scheme in manifest.places.schemes {
                let place = SourceLocation(
                    path: path, line: scheme.region.begin.line, column: scheme.region.begin.column)
                if let first = schemes[scheme.value], first.app != app.id {
                    report(
                        .warning, .claimedTwice, place, length: scheme.region.length,
                        "\(first.app) has the scheme \(TOMLText.quoted(scheme.value)) too",
                        help: "its identifiers go to the app that was used last, unless the sender names one",
                        related: first.place)
                } else {
                    schemes[scheme.value] = (app.id, place)
                }
            }
            // Association files share out a host.
            for domain in manifest.places.domains where app.association == nil {
                let place = SourceLocation(
                    path: path, line: domain.region.begin.line, column: domain.region.begin.column)
                if let first = domains[Array(domain.value.utf8)], first.app != app.id {
                    report(
                        .warning, .claimedTwice, place, length: domain.region.length,
                        "\(first.app) has the domain \(TOMLText.quoted(domain.value)) too",
                        help: "a link there goes to the app that was used last, unless the sender names one",
                        related: first.place)
                } else {
                    domains[Array(domain.value.utf8)] = (app.id, place)
                }
            }
        }
        return diagnostics
    }
}

extension SourceRegion {
    /// The beginning of a file.
    fileprivate static let start = SourceRegion(
        begin: SourcePosition(line: 1, column: 1), end: SourcePosition(line: 1, column: 1))
}
