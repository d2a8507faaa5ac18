internal import UsherScene
internal import UsherStore

/// `usher scene update`: new conditions for a window, as an app sets them when it shows something else.
enum SceneUpdateCommand {
    private static let handle = Option("handle", "TEXT", "its window, in the words of its window system")
    private static let title = Option("title", "TEXT", "what it shows, for people")

    static let description = CommandDescription(
        "scene update", "new conditions for a window: it shows something else now",
        operands: [.init("SESSION")],
        options: [SceneConnectCommand.can, SceneConnectCommand.prefers, handle, title],
        discussion: ["Conditions may use $TARGET, the content that the session was made for. What is not given stays."],
        examples: [
            .init(
                "usher scene update clown-1 --prefers 'SELF == \"https://clowntown.example/clowns/bozo\"'",
                "it shows Bozo now")
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        try SessionChanging.change(arguments.operands[0], context) { change in
            if let handle = arguments.value(handle) { change.handle = .some(handle) }
            if let title = arguments.value(title) { change.title = .some(title) }
        } conditions: {
            (arguments.value(SceneConnectCommand.can), arguments.value(SceneConnectCommand.prefers))
        }
    }
}

/// `usher scene activate|disconnect|close`: what became of a window.
enum SceneStateCommand {
    private static let conditions = [SceneConnectCommand.can, SceneConnectCommand.prefers]

    static let activate = CommandDescription(
        "scene activate", "a window came to the front: it was used last now",
        operands: [.init("SESSION")], options: conditions,
        examples: [.init("usher scene activate clown-1", "the user looks at this window")],
        run: { (arguments, context) throws(CommandFailure) in
            try SessionChanging.change(arguments.operands[0], context) { change in
                change.state = .connected
                change.used = true
            } conditions: {
                (arguments.value(SceneConnectCommand.can), arguments.value(SceneConnectCommand.prefers))
            }
        })

    static let disconnect = CommandDescription(
        "scene disconnect", "a window is gone, but not closed by the user: it is launched again on demand",
        operands: [.init("SESSION")], options: conditions,
        examples: [.init("usher scene disconnect clown-1", "its program ended; the session and its conditions stay")],
        run: { (arguments, context) throws(CommandFailure) in
            try SessionChanging.change(arguments.operands[0], context) { change in
                change.state = .disconnected
                change.handle = .some(nil)
                change.handleServer = .some(nil)
            } conditions: {
                (arguments.value(SceneConnectCommand.can), arguments.value(SceneConnectCommand.prefers))
            }
        })

    static let close = CommandDescription(
        "scene close", "the user closed a window: its session ends",
        operands: [.init("SESSION")], options: conditions,
        discussion: ["Conditions are taken as everywhere, and go with the session."],
        examples: [.init("usher scene close clown-1", "nothing comes to it any more")],
        run: { (arguments, context) throws(CommandFailure) in
            let store = try context.openStore(.readWrite)
            defer { store.close() }
            let session = try context.session(arguments.operands[0], in: store)
            _ = try context.storing { () throws(StoreError) in try store.end(session: session.id) }
            context.print(session, state: "closed")
            return .handled
        })
}
