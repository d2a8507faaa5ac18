import UsherScene

/// How an app takes user activities: its versions, and the handlers of `[handlers]` that are about them.
extension ManifestReader {
    mutating func readVersions(of table: CheckedTable, into app: inout App) {
        if let version = reader.string("version", of: table) {
            if DottedVersion(version.value) == nil {
                reader.report(
                    .invalidValue, at: version.region,
                    "`version` is numbers with dots between them, found \(TOMLText.quoted(version.value))",
                    help: "write it so: version = \"2.1\"; activities of other versions are compared with it")
            } else {
                app.continuation.version = located(version)
            }
        }
        if let schema = reader.integer("activity-schema", of: table, in: 0...1_000_000_000) {
            app.continuation.schemaVersion = located(schema)
        }
        if let newer = reader.choice("newer", of: table, as: Continuation.Newer.self) {
            app.continuation.newer = newer
            if let member = table.members["newer"], !table.namesVersion {
                reader.warn(
                    .noEffect, at: member.keyRegion, "`newer` has no effect: the manifest names no version",
                    help: "add `version` or `activity-schema`, which an activity's are compared with")
            }
        }
    }

    /// - Parameter app: the manifest itself.
    mutating func readContinuation(
        of handlers: CheckedTable, in app: CheckedTable, into continuation: inout Continuation
    ) {
        continuation.willContinue = tellingHandler("will-continue", of: handlers, ManifestSchema.continuation)
        continuation.continue = tellingHandler("continue", of: handlers, ManifestSchema.continuation)
        continuation.didFail = tellingHandler("did-fail", of: handlers, ManifestSchema.continuation)
        continuation.save = handler("save", of: handlers)
        continuation.upgrade = handler("upgrade", of: handlers)
        if let member = handlers.members["will-continue"], !handlers.written.contains("continue") {
            reader.warn(
                .noEffect, at: member.keyRegion,
                "`will-continue` announces an activity that nothing continues: there is no `continue`",
                help: "add a line such as: continue = { exec = [\"clowntown-continue\"] }")
        }
        if let member = handlers.members["upgrade"], !app.namesVersion {
            reader.warn(
                .noEffect, at: member.keyRegion, "`upgrade` has no effect: the manifest names no version",
                help: "add `version` or `activity-schema`: an activity that is older is given to it")
        }
        let commands = [
            ("will-continue", continuation.willContinue?.command), ("did-fail", continuation.didFail?.command),
            ("save", continuation.save), ("upgrade", continuation.upgrade),
        ]
        for (key, command) in commands where command?.retry != nil {
            reader.report(
                .noEffect, at: handlers.members[key]?.keyRegion ?? handlers.region,
                "`\(key)` is run once for each try of the whole: `retry` has no effect there",
                help: "put retry into the `continue` table")
        }
    }
}

extension CheckedTable {
    /// Whether a manifest says which version of its app it is for.
    fileprivate var namesVersion: Bool { written.contains("version") || written.contains("activity-schema") }
}
