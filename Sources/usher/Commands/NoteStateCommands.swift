internal import UsherDispatch
internal import UsherJSON
internal import UsherOperation
internal import UsherSystem

/// `usher note aside|resume|done|delete`: what becomes of a note.
enum NoteStateCommand {
    static let aside = CommandDescription(
        "note aside", "put the note in progress aside, or another one back there",
        operands: [.init("NOTE", .optional)],
        examples: [.init("usher note aside", "no note is in progress then")],
        run: { (arguments, context) throws(CommandFailure) in
            try change(NoteAside(note: arguments.operands.first), context)
        })

    static let resume = CommandDescription(
        "note resume", "take up a note again: it is then the one in progress",
        operands: [.init("NOTE", .optional)],
        discussion: ["Without NOTE it is the one that was put aside last."],
        examples: [.init("usher note resume", "the note before")],
        run: { (arguments, context) throws(CommandFailure) in
            try change(NoteResume(note: arguments.operands.first), context)
        })

    static let done = CommandDescription(
        "note done", "the note in progress, or another one, is done",
        operands: [.init("NOTE", .optional)],
        examples: [.init("usher note done", "it stays, with its links, and is suggested as before")],
        run: { (arguments, context) throws(CommandFailure) in
            try change(NoteDone(note: arguments.operands.first), context)
        })

    static let delete = CommandDescription(
        "note delete", "remove a note with its links and attachments",
        operands: [.init("NOTE")],
        discussion: ["Attached files stay where they are."],
        examples: [.init("usher note delete current", "it cannot be had back")],
        run: { (arguments, context) throws(CommandFailure) in
            try change(NoteDelete(note: arguments.operands[0]), context)
        })

    private static func change(_ call: any ContentCall, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let answer = try ContentDoor(context).answer(call)
        context.errors.warnings(of: answer)
        context.print(note: answer["note"] ?? .null)
        return .handled
    }
}

/// `usher note attach`: a file that belongs to a note.
enum NoteAttachCommand {
    static let description = CommandDescription(
        "note attach", "attach a file to a note: by its path, or by its digest",
        operands: [.init("NOTE"), .init("PATH|sha256:…")],
        discussion: ["The file stays where it is; its size and digest are taken now."],
        examples: [.init("usher note attach current Config/usher.toml", "the note in progress gets it")],
        run: { (arguments, context) throws(CommandFailure) in
            let file = absolute(arguments.operands[1])
            let isDigest = file.utf8.starts(with: "sha256:".utf8)
            let answer = try ContentDoor(context).answer(
                NoteAttach(note: arguments.operands[0], path: isDigest ? nil : file, digest: isDigest ? file : nil))
            context.errors.warnings(of: answer)
            context.print(note: answer["note"] ?? .null)
            return .handled
        })

    /// A path from the root on; a digest as it is.
    static func absolute(_ text: String) -> String {
        text.utf8.starts(with: "sha256:".utf8) || text.isEmpty ? text : FilePath.absolute(text)
    }
}
