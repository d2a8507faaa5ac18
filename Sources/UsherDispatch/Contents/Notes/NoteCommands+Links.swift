internal import UsherControl
internal import UsherJSON
internal import UsherLog
internal import UsherScene
internal import UsherStore

extension NoteCommands {
    /// The links of a note, as `link` commands answer them.
    func links(of note: Store.Note) throws(ControlError) -> [JSONValue] {
        let links = try service.storing { () throws(StoreError) in try service.store.plainLinks(of: note) }
        return links.map { link in
            .object([
                .init("id", .string(link.id)), .init("note", .string(note.id)),
                .init("title", link.title.map { .string($0) } ?? .null),
                .init("target", .string(link.identifier)),
                .init("created", .string(Timestamp(microseconds: link.created).text)),
            ])
        }
    }
}
