internal import UsherOperation
internal import UsherScene

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
        run: { (arguments, context) throws(CommandFailure) in
            var update = SceneStateCommand.update(arguments)
            update.handle = arguments.value(handle)
            update.title = arguments.value(title)
            return try SessionDoor(context).change(SceneUpdate(arguments.operands[0], update))
        })
}

/// `usher scene activate|disconnect|close`: what became of a window.
enum SceneStateCommand {
    private static let conditions = [SceneConnectCommand.can, SceneConnectCommand.prefers]

    static let activate = CommandDescription(
        "scene activate", "a window came to the front: it was used last now",
        operands: [.init("SESSION")], options: conditions,
        examples: [.init("usher scene activate clown-1", "the user looks at this window")],
        run: { (arguments, context) throws(CommandFailure) in
            try SessionDoor(context).change(SceneActivate(arguments.operands[0], update(arguments)))
        })

    static let disconnect = CommandDescription(
        "scene disconnect", "a window is gone, but not closed by the user: it is launched again on demand",
        operands: [.init("SESSION")], options: conditions,
        examples: [.init("usher scene disconnect clown-1", "its program ended; the session and its conditions stay")],
        run: { (arguments, context) throws(CommandFailure) in
            try SessionDoor(context).change(SceneDisconnect(arguments.operands[0], update(arguments)))
        })

    static let close = CommandDescription(
        "scene close", "the user closed a window: its session ends",
        operands: [.init("SESSION")], options: conditions,
        discussion: ["Conditions are taken as everywhere, and go with the session."],
        examples: [.init("usher scene close clown-1", "nothing comes to it any more")],
        run: { (arguments, context) throws(CommandFailure) in
            try SessionDoor(context).change(SceneClose(arguments.operands[0]))
        })

    static func update(_ arguments: Arguments) -> SessionUpdate {
        SessionUpdate(
            can: arguments.value(SceneConnectCommand.can), prefers: arguments.value(SceneConnectCommand.prefers))
    }
}
