internal import UsherJSON
internal import UsherStore
internal import UsherText

extension JSONWriter {
    mutating func exportLine(_ row: ContentRow) {
        beginObject()
        switch row {
        case .note(let note): exportMembers(note)
        case .link(let link): exportMembers(link)
        case .redirect(let redirect):
            member("kind", ExportFormat.LineKind.redirect.rawValue)
            member("number", redirect.number)
            member("source", redirect.source)
            member("destination", redirect.destination)
            member("is_prefix", redirect.isPrefix)
            member("made", redirect.made)
            member("reason", redirect.reason)
        }
        endObject()
        newline()
    }

    private mutating func exportMembers(_ note: ContentRow.Note) {
        member("kind", ExportFormat.LineKind.note.rawValue)
        member("id", note.id)
        member("text", note.text)
        member("state", note.state)
        member("line", note.line)
        member("created", note.created)
        member("changed", note.changed)
        beginArray("attachments")
        for attachment in note.attachments {
            beginObject()
            member("path", attachment.path)
            member("digest", attachment.digest)
            member("size", attachment.size)
            member("added", attachment.added)
            endObject()
        }
        endArray()
    }

    private mutating func exportMembers(_ link: ContentRow.Link) {
        member("kind", ExportFormat.LineKind.link.rawValue)
        member("id", link.id)
        member("note", link.note)
        member("app", link.app)
        member("title", link.title)
        member("created", link.created)
        beginArray("identifiers")
        for identifier in link.identifiers {
            beginObject()
            let place = Int(clamping: identifier.kind) - 1
            let kinds = ContentRow.Identifier.kinds
            member("kind", kinds.indices.contains(place) ? kinds[place] : String(identifier.kind))
            member("identifier", identifier.identifier)
            endObject()
        }
        endArray()
        guard let document = link.document else { return nullMember("activity") }
        // As a text, so that not a byte of it changes.
        if let text = String(validating: document, as: UTF8.self) {
            member("activity", text)
        } else {
            member("activity_base64", Base64.encode(document))
        }
    }
}
