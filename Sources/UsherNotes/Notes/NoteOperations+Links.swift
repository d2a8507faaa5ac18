internal import UsherEngine
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherText

/// A change of a link of a note, checked: the store can carry it out.
enum NoteLinkChange: Sendable {
    /// By ids.
    case remove(String)
    case rename(String, title: String?)
    /// Of the note, whatever the new link says.
    case add(Store.NewLink)
}

extension NoteLinkEdit {
    /// The changes of links in a request. Looks at the files that new links lead to.
    static func changes(_ edits: [NoteLinkEdit]) throws(ControlError) -> [NoteLinkChange] {
        var changes: [NoteLinkChange] = []
        for (index, edit) in edits.enumerated() {
            if let target = edit.target {
                let identifier = try LinkSource.identifier(
                    .targetContentIdentifier, target, at: "/links/\(index)/target")
                changes.append(
                    .add(LinkSource(title: edit.title, identifiers: [identifier]).link(of: .current)))
            } else if let link = edit.link {
                changes.append(edit.remove ? .remove(link) : .rename(link, title: edit.title))
            }
        }
        return changes
    }
}

extension StoreState {
    /// Changes links of a note. What another one has removed meanwhile stays removed; links that were added meanwhile stay.
    ///
    /// Throws for a new link to deleted content.
    mutating func change(_ changes: [NoteLinkChange], of note: Store.Note) throws(StoreError) {
        try removing(as: .noteEdit, of: note.id) { (state) throws(StoreError) in
            for change in changes { try state.change(change, of: note) }
        }
    }

    private mutating func change(_ change: NoteLinkChange, of note: Store.Note) throws(StoreError) {
        switch change {
        case .remove(let id):
            if try isLink(id, of: note) { _ = try remove(link: id) }
        case .rename(let id, let title):
            if try isLink(id, of: note) { _ = try rename(link: id, to: title) }
        case .add(var link):
            link.note = .id(note.id)
            try addToLiving(link)
        }
    }

    private mutating func isLink(_ id: String, of note: Store.Note) throws(StoreError) -> Bool {
        try link(id: id)?.note.hasSameBytes(as: note.id) ?? false
    }

    /// Makes a link; throws where its content was deleted, so that nothing else of the transaction is done either.
    mutating func addToLiving(_ link: Store.NewLink) throws(StoreError) {
        guard case .deleted(let redirection) = try add(link: link) else { return }
        var why = ""
        if case .deleted(let note) = redirection.end { why = ": " + note }
        let target = Store.LinkIdentifier.preferred(of: link.identifiers)?.text ?? ""
        throw StoreError(.contentDeleted, "\(QuotedText.text(target)) was deleted\(why)", path: "")
    }
}
