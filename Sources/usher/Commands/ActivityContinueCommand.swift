internal import UsherJSON
internal import UsherOperation
internal import UsherPayload

/// `usher activity continue`: an activity, handed to its app.
enum ActivityContinueCommand {
    private static let session = Option("session", "ID", "the activity of this session, current or kept")
    private static let app = Option("app", "ID", "another app than the activity's own")

    static let description = CommandDescription(
        "activity continue", "continue an activity in its app",
        operands: [.init("ACTIVITY", .optional)], options: [session, app],
        discussion: [
            "ACTIVITY is an id, current, or - for an activity on standard input, a JSON object. The app's window is launched",
            "or focused, and the app is handed the activity; where its app has newer user info, that is asked for first.",
        ],
        examples: [
            .init(
                "usher activity continue - --config Config < Payloads/activities/bare.json",
                "as a hand-off would")
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let engine = try context.engine()
        return try DaemonDispatching(context, engine, source: "activity").run(try line(for: arguments, context, engine))
    }

    /// The envelope to dispatch.
    private static func line(
        for arguments: Arguments, _ context: Context, _ engine: Daemon
    ) throws(CommandFailure) -> [UInt8] {
        let name = arguments.operands.first
        let session = arguments.value(session)
        guard (name == nil) != (session == nil) else {
            throw .usage("which activity? give an id, current, -, or --session ID")
        }
        if name == "-" {
            return envelope(try InputFile("-").readAll(limit: PayloadError.longestLine), app: arguments.value(app))
        }
        let answer = try ContentDoor(context, engine).answer(
            ActivitySave(activity: name, session: session))
        for warning in answer["warnings"]?.elements ?? [] { context.errors.warning(warning.string ?? "") }
        let activity = answer["activity"]
        return envelope(
            Array((activity?["activity"] ?? .null).text(escaping: .minimal).utf8),
            app: arguments.value(app) ?? activity?["app"]?.string)
    }

    /// The activity as it is, with the app beside it.
    private static func envelope(_ activity: [UInt8], app: String?) -> [UInt8] {
        var head = JSONWriter(escaping: .minimal)
        head.beginObject()
        if let app { head.member("app", app) }
        head.key("userActivity")
        return head.bytes + activity + [UInt8(ascii: "}")]
    }
}
