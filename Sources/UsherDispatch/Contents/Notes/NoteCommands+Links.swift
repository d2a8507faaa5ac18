internal import UsherControl
internal import UsherJSON
internal import UsherLog
internal import UsherScene
internal import UsherStore

extension NoteCommands {
    /// The most that are shown with a note; `usher link list --note` shows all.
    static let linkLimit = 1000

    /// The links of a note, the oldest first.
    func links(of note: Store.Note) throws(ControlError) -> [JSONValue] {
        let links = try service.storing { () throws(StoreError) in
            try service.store.links(note: note.id, limit: NoteCommands.linkLimit)
        }
        return links.reversed().map(NoteCommands.answer)
    }

    private static func answer(_ link: Store.Link) -> JSONValue {
        func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        let identifiers = link.identifiers.map { identifier -> JSONValue in
            .object([
                .init("kind", .string(identifier.kind.name)), .init("identifier", .string(identifier.identifier.text)),
            ])
        }
        return .object([
            .init("id", .string(link.id)), .init("note", .string(link.note)), .init("app", text(link.app)),
            .init("title", text(link.title)), .init("identifiers", .array(identifiers)),
            .init("target", text(link.target?.text)), .init("resolved", text(link.resolved?.text)),
            .init("webpage", text(link.webpage?.text)),
            .init("created", .string(Timestamp(microseconds: link.created).text)),
        ])
    }
}
