internal import UsherJSON
internal import UsherScene
internal import UsherStore
internal import UsherTarget

/// What speaks against a new link: whether its identifiers, and the activity that it is made from, lead back in years.
enum LinkFindings {
    /// Each with `id`, `code`, `name`, `found`, `message` and `suggestion`: first of the activity, then of the identifiers.
    static func of(_ source: LinkSource, in configuration: Configuration) -> [JSONValue] {
        var identifiers: [String] = []
        for identifier in source.identifiers.map(\.identifier.text)
        where !identifiers.contains(where: { $0.utf8.elementsEqual(identifier.utf8) }) {
            identifiers.append(identifier)
        }
        var values: [JSONValue] = []
        if let activity = source.activity, let document = try? ActivityDocument(activity.document) {
            let app = configuration.app(id: activity.app)
            let hasOwn = app.map { !$0.targets.isEmpty || !$0.schemes.isEmpty } ?? false
            for finding in ActivityLint.findings(in: document.lintSubject, hasOwnIdentifiers: hasOwn) {
                values.append(
                    value(
                        identifiers.first, finding.code.number, finding.code.rawValue, finding.found, finding.message,
                        finding.suggestion))
            }
        }
        for identifier in identifiers {
            for finding in TargetLint.findings(in: identifier) {
                values.append(
                    value(
                        identifier, finding.code.number, finding.code.rawValue, finding.found, finding.message,
                        finding.suggestion))
            }
        }
        return values
    }

    private static func value(
        _ id: String?, _ code: String, _ name: String, _ found: String, _ message: String, _ suggestion: String
    ) -> JSONValue {
        .object([
            .init("id", id.map { .string($0) } ?? .null), .init("code", .string(code)), .init("name", .string(name)),
            .init("found", .string(found)), .init("message", .string(message)),
            .init("suggestion", .string(suggestion)),
        ])
    }
}
