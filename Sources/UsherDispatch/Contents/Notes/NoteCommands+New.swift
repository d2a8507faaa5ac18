internal import UsherControl
internal import UsherJSON
internal import UsherScene
internal import UsherStore

extension NoteCommands {
    /// A note with its links and attachments: all of it or nothing.
    func new(_ arguments: JSONValue) throws(ControlError) -> JSONValue {
        let arguments = try reader(arguments, ["text", "links", "attachments"])
        let text = try arguments.requiredText("text")
        try NoteText.check(text)
        var links: [TargetContentIdentifier] = []
        for (index, link) in try arguments.texts("links").enumerated() {
            try NoteCommands.check(link, at: "/links/\(index)")
            let identifier = TargetContentIdentifier(link)
            if !links.contains(identifier) { links.append(identifier) }
        }
        var attachments: [Store.Attachment] = []
        for (index, attachment) in try arguments.texts("attachments").enumerated() {
            attachments.append(try FileDigest.attachment(attachment, at: "/attachments/\(index)"))
        }
        let (wanted, files) = (links, attachments)
        let note = try changing { (state) throws(StoreError) -> Store.Note in
            let note = try state.newNote(text)
            for link in wanted { try state.link(note, to: link) }
            for file in files { try state.attach(file, to: note) }
            return try state.note(.id(note.id)) ?? note
        }
        let answer = try whole(note)
        return .object([.init("note", answer), .init("links", answer["links"] ?? .array([]))])
    }

    private static func check(_ link: String, at place: String) throws(ControlError) {
        if link.isEmpty { throw .argument("an identifier cannot be empty", at: place) }
        guard link.utf8.count <= TargetContentIdentifier.maximumLength else {
            throw .argument(
                "an identifier has at most \(TargetContentIdentifier.maximumLength) bytes, not \(link.utf8.count)",
                at: place)
        }
        if link.utf8.contains(0) { throw .argument("an identifier cannot hold a NUL character", at: place) }
    }
}
