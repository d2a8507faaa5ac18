internal import UsherJSON
internal import UsherOperation
internal import UsherStore

extension NoteCommands {
    /// The most that are shown with a note; `usher link list --note` shows all.
    static let linkLimit = 1000

    /// The links of a note, the oldest first.
    func links(of note: Store.Note) throws(ControlError) -> [JSONValue] {
        let links = try service.storing { () throws(StoreError) in
            try service.store.links(note: note.id, limit: NoteCommands.linkLimit)
        }
        return links.reversed().map { LinkAnswer.value($0) }
    }
}
