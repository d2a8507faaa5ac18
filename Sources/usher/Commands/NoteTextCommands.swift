internal import UsherNotes
internal import UsherOperation

/// `usher note append`: more text for a note, without an editor.
enum NoteAppendCommand {
    static let description = CommandDescription(
        "note append", NoteAppend.operation.summary, operands: [.init("NOTE"), .init("TEXT|-")],
        discussion: ["TEXT - reads standard input."],
        examples: [.init("usher note append current \"and a horn #shopping\"", "one more line")],
        run: { (arguments, context) throws(CommandFailure) -> Void in
            let text = try NoteInput.text(arguments.operands[1])
            let answer = try context.service().call(NoteAppend(note: arguments.operands[0], text: text))
            context.print(note: answer.note)
        })
}

/// `usher note tags`: what notes are tagged with.
enum NoteTagsCommand {
    static let description = CommandDescription(
        NoteTags.self,
        discussion: [
            "usher note list --tag WORD lists the notes with a tag, usher note search \"#WORD …\" finds them."
        ],
        examples: [.init("usher note tags", "every tag, and how many notes have it")]
    ) { answer, _, context in
        context.print(answer, none: "no tags: a # and a word in a note make one", ["tag", "notes"]) { tag in
            [tag.tag, "\(tag.notes)"]
        }
    }
}
