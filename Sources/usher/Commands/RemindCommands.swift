internal import UsherOperation
internal import UsherScene
internal import UsherSuggestions
internal import UsherSystem
internal import UsherText

/// `usher remind` and `usher reminder list|delete`.
enum RemindCommands {
    static let remind = CommandDescription(
        Remind.self, called: "remind", operands: [("text", .init("TEXT"))],
        discussion: [
            "Linked to what the user looks at, the activity or the document of the window in front: a click on the notification",
            "opens it. On a terminal, standard error says to what, or why to nothing.",
            "usherd shows the notification, once, and late rather than never: after a sleep of the machine, too. Prints the",
            "reminder's id; with --json all of it.",
        ],
        examples: [
            .init("usher remind \"Call Crusty\" --in 2h", "in two hours"),
            .init("usher remind \"Ask for balloons\" --when-opens https://clowntown.example/", "at the next visit"),
            .init("usher remind \"Buy a horn\" --when car", "on the next signal of this name"),
        ]
    ) { answer, _, context in
        context.tell(linkedTo: answer.target, hasReason: !answer.warnings.isEmpty)
        context.print(id: answer.id, of: answer)
        context.noteUnlessServed()
        noteUnlessShown(context)
    }

    /// Says why a resident usherd could not show it now.
    private static func noteUnlessShown(_ context: Context) {
        guard let daemon = try? context.daemon(ofAnyConfiguration: true), !daemon.hello.isOnDemand,
            let services = try? daemon.answer(DesktopServices()).get()
        else { return }
        if services.sessionBus.lack != nil {
            context.errors.warning(
                "it waits, and usherd has no session bus on which it could be shown"
                    + " [\(DiagnosticCode.reminderNoBus)]",
                help: "run usherd in the session of the desktop, so that DBUS_SESSION_BUS_ADDRESS is set")
        } else if let lack = services.reminders.lack {
            context.errors.warning(lack)
        }
    }

    static let list = CommandDescription(
        ReminderList.self, examples: [.init("usher reminder list", "the oldest first")]
    ) { answer, _, context in
        context.print(
            answer, none: "no reminders: usher remind TEXT makes one", listed: (.reminder, \.id),
            ["state", "when", "text", "target"]
        ) { reminder in
            [reminder.state.rawValue, condition(of: reminder), reminder.text, reminder.target ?? ""]
        }
    }

    static let delete = CommandDescription(
        ReminderDelete.self, operands: [("reminder", .init("ID", of: .reminders))],
        examples: [.init("usher reminder delete 0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20", "it is not shown")]
    ) { answer, _, context in context.print(answer, text: "deleted: \(Printable.escaped(answer.text))\n") }

    private static func condition(of reminder: ReminderAnswer) -> String {
        if let time = reminder.at { return LocalClock.system.text(time) }
        if let target = reminder.whenOpens { return "opens \(target)" }
        return "signal \(reminder.when ?? "")"
    }
}

/// `usher signal`: records an event outside the apps.
enum SignalCommand {
    static let description = CommandDescription(
        NoteSignal.self, called: "signal", operands: [("signal", .init("NAME"))],
        discussion: [
            "Rules of the system call it when something is plugged in, or comes near: headphones, bluetooth, car, home and",
            "work are known names. Reminders that wait for it are shown, and suggestions go by it.",
        ],
        examples: [.init("usher signal headphones", "they were plugged in")]
    ) { answer, _, context in
        if context.writesJSON { context.print(json: answer) }
    }
}

/// `usher forget`: what suggestions are made of.
enum ForgetCommand {
    static let description = CommandDescription(
        Forget.self, called: "forget",
        discussion: [
            "Activities with each time that they were current, interactions, contacts, reminders and signals, and what",
            "the journal has of them; files that handlers got, and disconnected sessions. Notes and their links stay; what",
            "else stays is said. It is gone for good: usher undo does not bring it back.",
        ],
        examples: [
            .init("usher forget --since 1h --dry-run", "how much the last hour is"),
            .init("usher forget --source clowntown.example", "what is of this site"),
            .init("usher forget --all", "everything"),
        ]
    ) { answer, arguments, context in
        if context.writesJSON {
            // The warnings were written.
            var counts = answer
            counts.warnings = []
            return context.print(json: counts)
        }
        context.output.write(
            "\(answer.events) events, \(answer.interactions) interactions, \(answer.contacts) contacts,"
                + " \(answer.reminders) reminders\n")
    }
}
