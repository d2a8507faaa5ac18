/// Every command, in the order of the help. A new one is a file in Commands and a line here.
enum CommandTable {
    static let commands: [CommandDescription] = [
        InitCommand.description,
        DispatchCommand.description,
        ExplainCommand.description,
        CheckCommand.description,
        OpenCommand.description,
        SceneListCommand.description,
        SceneWindowsCommand.description,
        ScenePickCommand.description,
        SceneContentCommand.description,
        SceneConnectCommand.description,
        SceneStateCommand.update,
        SceneStateCommand.activate,
        SceneStateCommand.disconnect,
        SceneRequestCommands.focus,
        SceneRequestCommands.new,
        SceneStateCommand.close,
        TerminalCommands.place,
        TerminalCommands.focus,
        TerminalCommands.attach,
        AgentCommands.install,
        AgentCommands.remove,
        AgentCommands.status,
        AgentEventCommand.description,
        AgentCommands.list,
        AgentCommands.next,
        AgentCommands.focus,
        AgentCommands.answer,
        ActivityChangeCommands.becomeCurrent,
        ActivityChangeCommands.update,
        ActivityChangeCommands.resign,
        ActivityLookCommands.list,
        ActivityLookCommands.show,
        ActivityLookCommands.search,
        ShortcutListCommand.description,
        ShortcutPerformCommand.description,
        ShortcutChangeCommands.set,
        ShortcutChangeCommands.add,
        ShortcutChangeCommands.remove,
        ShortcutImportCommand.description,
        ShortcutPublishCommand.description,
        ActivityContinueCommand.description,
        SuggestCommand.description,
        NoteNewCommand.description,
        NoteShowCommand.description,
        PickCommand.notes,
        NoteListCommand.description,
        NoteEditCommand.description,
        NoteAppendCommand.description,
        NoteOpenCommand.description,
        NoteStateCommand.aside,
        NoteStateCommand.resume,
        NoteStateCommand.done,
        NoteStateCommand.delete,
        NoteAttachCommand.description,
        NoteTagsCommand.description,
        NoteSearchCommand.description,
        NoteExportCommand.description,
        NoteImportCommand.description,
        DeliveriesListCommand.description,
        DeliveriesShowCommand.description,
        DeliveriesRetryCommand.description,
        DeliveriesDropCommand.description,
        DeliveriesAnswerCommand.description,
        HookAddCommand.description,
        HookListCommand.description,
        HookTestCommand.description,
        HookLogCommand.description,
        HookListenCommand.description,
        LinkAddCommand.description,
        LinkShowCommand.description,
        LinkListCommand.description,
        LinkOpenCommand.description,
        PickCommand.links,
        LinkSuggestCommand.description,
        LinkShowCommand.remove,
        ContentCommands.moved,
        ContentCommands.deleted,
        ContentCommands.restore,
        ContentCommands.list,
        UndoCommand.description,
        MediaListCommand.description,
        PerformCommand.description,
        NotificationScheduleCommand.description,
        NotificationListCommands.pending,
        NotificationListCommands.delivered,
        NotificationListCommands.remove,
        NotificationTimesCommand.description,
        RemindCommands.remind,
        RemindCommands.list,
        RemindCommands.delete,
        InteractionDonateCommand.description,
        InteractionCommands.list,
        InteractionCommands.forget,
        ContactImportCommand.description,
        ContactListCommand.description,
        SignalCommand.description,
        ForgetCommand.description,
        LinkHandlerCommands.install,
        LinkHandlerCommands.remove,
        LinkHandlerCommands.status,
        PredicateEvalCommand.description,
        PredicatePrintCommand.description,
        PayloadInspectCommand.description,
        PageInspectCommand.description,
        BrowserInstallCommand.description,
        BrowserStatusCommand.description,
        BrowserHostCommand.description,
        BrowserPauseCommands.pause,
        BrowserPauseCommands.resume,
        DesktopCommands.install,
        DesktopCommands.remove,
        ServeCommand.description,
        StatusCommand.description,
        ReloadCommand.description,
        CompletionCommand.description,
        TargetBuildCommand.description,
        TargetMatchCommand.description,
        TargetLintCommand.description,
        TargetListCommand.description,
        TargetCanonicalCommand.description,
        PlaceParseCommand.description,
        DoctorCommand.description,
        HelpCommand.description,
        VersionCommand.description,
    ]

    /// The first words of the commands that a dispatcher needs, by task, those of every day first. `usher help` says what each does.
    static let main: [(title: String, words: [String])] = [
        ("every day", ["open", "dispatch", "shortcut", "explain", "scene", "terminal", "deliveries"]),
        ("set up and check", ["init", "check", "doctor", "serve", "status", "reload"]),
        ("senders", ["hook", "target"]),
    ]

    /// All others, by task.
    static let others: [(title: String, words: [String])] = [
        ("at a time", ["notification", "remind", "reminder"]),
        ("notes", ["note", "link", "content", "undo"]),
        ("what you do", ["activity", "suggest", "perform", "interaction", "contact", "media", "signal", "forget"]),
        ("desktop", ["link-handler", "browser", "desktop", "agent"]),
        ("tools", ["predicate", "payload", "page", "place", "completion", "help", "version"]),
    ]

    /// Commands with similar names, by a command: what that one is not for.
    static let siblings = [
        "terminal attach": "To bring a terminal forward: usher terminal focus",
        "scene activate": "To bring a window forward: usher scene focus",
        "scene focus": "To report that the user looks at a window: usher scene activate",
        "remind": "To see or delete reminders: usher reminder. A payload at a time: usher notification schedule",
        "reminder list": "To make one: usher remind TEXT",
        "reminder delete": "To make one: usher remind TEXT",
        "notification schedule": "To be reminded of what is current: usher remind TEXT",
        "perform": "To perform a shortcut item: usher shortcut perform TYPE",
        "shortcut perform": "To call or write to a contact, or to search: usher perform VERB",
        "suggest": "To see the notes about what is in front: usher link suggest",
        "link suggest": "To see places, people, media and apps of late: usher suggest",
        "link remove": "To say that content is gone: usher content deleted",
        "content moved": "Links follow by themselves. To take a link away: usher link remove",
        "content deleted": "To take a link away: usher link remove",
    ]

    /// What the first words that hold several commands are about.
    static let groups: [(name: String, summary: String)] = [
        ("scene", "the sessions of windows"),
        ("terminal", "the windows, tabs and tmux panes of processes"),
        ("agent", "coding agents, as their hooks report them"),
        ("shortcut", "the shortcut items of apps"),
        ("activity", "what users do in apps, to be continued and found again"),
        ("note", "what you write down, with links to content"),
        ("deliveries", "what came in, and what became of it"),
        ("hook", "what senders post to the daemon, and what becomes of it"),
        ("link", "links of notes to content"),
        ("content", "where content moved, and what was deleted"),
        ("media", "the media players that run"),
        ("notification", "notifications that come at a time, once or again and again"),
        ("reminder", "what you want to be reminded of"),
        ("interaction", "what you did with apps, as these donate it"),
        ("contact", "the people of your address book"),
        ("link-handler", "links of the whole desktop, opened with usher"),
        ("browser", "tabs of browsers, by Usher's extension in them"),
        ("desktop", "what Usher needs in a desktop to know its windows"),
        ("predicate", "activation conditions, evaluated and printed"),
        ("payload", "payloads, with their meaning and their errors"),
        ("page", "structured data of web pages"),
        ("target", "target content identifiers: built, taken apart, judged, compared"),
        ("place", "places that geo: URIs and links of maps name"),
    ]

    /// Commands of earlier versions, and words that come to mind, with what does the same today.
    static let replacements = [
        "list": "usher scene list, or usher deliveries list", "sessions": "usher scene list",
        "windows": "usher scene list", "focus": "usher scene focus", "close": "usher scene close",
        "log": "usher deliveries list, or usher hook log", "history": "usher deliveries list",
        "send": "usher dispatch", "push": "usher dispatch", "notify": "usher dispatch, or usher notification schedule",
        "schedule": "usher notification schedule", "start": "usher serve", "daemon": "usher serve",
        "validate": "usher check", "deliveries log": "usher deliveries list", "scene windows": "usher scene list",
        "link move": "usher content moved", "link restore": "usher content restore",
        "link redirects": "usher content list",
        "link delete": "usher content deleted, or usher link remove for the id of a link",
        "reminder add": "usher remind", "reminder new": "usher remind", "reminder set": "usher remind",
        "notification new": "usher notification schedule", "notification add": "usher notification schedule",
        "notification list": "usher notification pending", "hook new": "usher hook add",
        "scene open": "usher scene new, or usher scene focus SESSION", "scene show": "usher scene focus",
        "scene raise": "usher scene focus", "shortcut run": "usher shortcut perform",
    ]

    /// The commands that begin with these words.
    static func commands(in group: [String]) -> [CommandDescription] {
        let name = name(of: group)
        return commands.filter { name.isEmpty || $0.name == name || $0.name.utf8.starts(with: (name + " ").utf8) }
    }

    static func command(_ path: [String]) -> CommandDescription? {
        let name = name(of: path)
        return commands.first { $0.name == name }
    }

    /// With the first `joined` of a process the runtime looks for a conformance: a twentieth of a start.
    private static func name(of path: [String]) -> String {
        path.dropFirst().reduce(path.first ?? "") { $0 + " " + $1 }
    }

    /// The command that is meant where the words after these ones are no command of theirs, but its operand: a note's text.
    static func command(withoutWord group: [String]) -> CommandDescription? {
        group == ["note"] ? NoteNewCommand.description : nil
    }

    /// The words that can follow these ones, each once, in the order of the table.
    static func words(after group: [String]) -> [String] {
        let start = group.isEmpty ? "" : name(of: group) + " "
        var words: [String] = []
        for command in commands where command.name.utf8.starts(with: start.utf8) {
            let rest = command.name.utf8.dropFirst(start.utf8.count)
            let word = String(Substring(rest.prefix { $0 != UInt8(ascii: " ") }))
            if !words.contains(word) { words.append(word) }
        }
        return words
    }

    /// Whether a command's name goes on with a word after these ones.
    static func knows(_ word: String, after group: [String]) -> Bool {
        if word.utf8.contains(UInt8(ascii: " ")) { return false }
        let start = group.isEmpty ? word : name(of: group) + " " + word
        return commands.contains { command in
            command.name.utf8.starts(with: start.utf8)
                && command.name.utf8.dropFirst(start.utf8.count).first ?? UInt8(ascii: " ") == UInt8(ascii: " ")
        }
    }

    /// Every option of any command by this name: to read a line whose command is not known yet.
    static func option(named name: String) -> Option? {
        (Option.global + [Option.version]).first { $0.name == name }
            ?? commands.lazy.flatMap(\.options).first { $0.name == name }
    }
}
