internal import UsherJSON
internal import UsherPayload
internal import UsherScene
internal import UsherStore
internal import UsherTarget

/// The problems found in an activity, as answers list them.
enum ActivityFindings {
    /// Each with `id`, `code`, `name`, `found`, `message` and `suggestion`: first of the activity, then of its identifiers.
    static func values(
        _ document: ActivityDocument, after earlier: ActivityDocument?, app: App, session: SceneSession
    ) -> [JSONValue] {
        let subject = document.lintSubject
        let identifiers = identifiers(of: document)
        // Schemes and templates are what an app's own identifiers are made by.
        let hasOwn = !app.targets.isEmpty || !app.schemes.isEmpty || session.target != nil
        var values: [JSONValue] = []
        for finding in ActivityLint.findings(
            in: subject, after: earlier?.lintSubject, hasOwnIdentifiers: hasOwn)
        {
            values.append(
                value(
                    id: identifiers.first, finding.code.number, finding.code.rawValue, finding.found, finding.message,
                    finding.suggestion))
        }
        for id in identifiers {
            for finding in TargetLint.findings(in: id) {
                values.append(
                    value(
                        id: id, finding.code.number, finding.code.rawValue, finding.found, finding.message,
                        finding.suggestion))
            }
        }
        return values
    }

    private static func identifiers(of document: ActivityDocument) -> [String] {
        var list: [String] = []
        let activity = document.activity
        for case let id? in [activity.targetContentIdentifier, activity.persistentIdentifier, activity.webpageURL]
        where !list.contains(where: { $0.utf8.elementsEqual(id.utf8) }) {
            list.append(id)
        }
        return list
    }

    private static func value(
        id: String?, _ code: String, _ name: String, _ found: String, _ message: String, _ suggestion: String
    ) -> JSONValue {
        .object([
            .init("id", id.map { .string($0) } ?? .null), .init("code", .string(code)), .init("name", .string(name)),
            .init("found", .string(found)), .init("message", .string(message)),
            .init("suggestion", .string(suggestion)),
        ])
    }
}
