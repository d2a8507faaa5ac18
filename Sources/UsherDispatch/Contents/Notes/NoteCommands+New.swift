internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherText

extension NoteCommands {
    /// A note with its links and attachments: all of it or nothing.
    func new(_ call: NoteNew) throws(ControlError) -> JSONValue {
        try NoteText.check(call.text)
        var links: [TargetContentIdentifier] = []
        for (index, link) in call.links.enumerated() {
            try NoteCommands.check(link, at: "/links/\(index)")
            let identifier = TargetContentIdentifier(link)
            if !links.contains(identifier) { links.append(identifier) }
        }
        var attachments: [Store.Attachment] = []
        for (index, attachment) in call.attachments.enumerated() {
            attachments.append(try FileDigest.attachment(attachment, at: "/attachments/\(index)"))
        }
        let note = try make(call.text, links: links, attachments: attachments)
        let answer = try whole(note)
        return .object([.init("note", answer), .init("links", answer["links"] ?? .array([]))])
    }

    private func make(
        _ text: String, links: [TargetContentIdentifier], attachments: [Store.Attachment]
    ) throws(ControlError) -> Store.Note {
        do throws(StoreError) {
            return try service.store.write { (state) throws(StoreError) -> Store.Note in
                let note = try state.newNote(text)
                for link in links {
                    let new = Store.NewLink(
                        note: .id(note.id), identifiers: [.init(.targetContentIdentifier, link)])
                    guard case .deleted(let redirection) = try state.add(link: new) else { continue }
                    var why = ""
                    if case .deleted(let note) = redirection.end { why = ": " + note }
                    // Thrown, so that nothing is made.
                    throw StoreError(
                        .contentDeleted, "\(QuotedText.text(link.text)) was deleted\(why)", path: "")
                }
                for file in attachments { try state.attach(file, to: note) }
                return try state.note(.id(note.id)) ?? note
            }
        } catch {
            guard error.code == .contentDeleted else { throw ControlError(error) }
            throw ControlError(
                .contentDeleted, error.message, at: "/links", help: "usher link restore takes a deletion back")
        }
    }

    private static func check(_ link: String, at place: String) throws(ControlError) {
        if link.isEmpty { throw .argument("an identifier cannot be empty", at: place, help: LinkSource.empty) }
        guard link.utf8.count <= TargetContentIdentifier.maximumLength else {
            throw .argument(
                "an identifier has at most \(TargetContentIdentifier.maximumLength) bytes, not \(link.utf8.count)",
                at: place, help: LinkSource.tooLong)
        }
        if link.utf8.contains(0) {
            throw .argument("an identifier cannot hold a NUL character", at: place, help: LinkSource.nul)
        }
    }
}
