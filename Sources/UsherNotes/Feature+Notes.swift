internal import UsherConfiguration
package import UsherEngine
internal import UsherScene
internal import UsherStore

extension Feature {
    /// Notes, links, redirects, undo.
    package static var notes: Feature {
        var feature = Feature(
            .notes,
            [
                NoteNew.self, NoteShow.self, NoteList.self, NoteEdit.self, NoteAttach.self, NoteAside.self,
                NoteResume.self, NoteDone.self, NoteDelete.self, NoteAppend.self, NoteTags.self, NoteSearch.self,
                NoteImportation.self, LinkAdd.self, LinkShow.self, LinkList.self, LinkRemove.self, LinkSuggest.self,
                RedirectMove.self, RedirectDelete.self, RedirectRestore.self, RedirectList.self, Undo.self,
                UndoList.self,
            ])
        feature.statuses = [
            .noteUnknown: 404, .noteNoneInProgress: 404, .linkUnknown: 404, .redirectNone: 404, .undoNothing: 404,
            .noteChangedMeanwhile: 409, .redirectTaken: 409, .redirectWouldLoop: 409, .redirectTooLong: 409,
            .undoConflict: 409, .redirectDeleted: 410,
        ]
        feature.open = { openings in
            openings.linkedNotes = { (identifiers, app, store) throws(StoreError) in
                try store.suggestions(for: identifiers.map { TargetContentIdentifier($0) }, app: app)
                    .map(LinkedNoteAnswer.init)
            }
        }
        feature.use = { (settings, store) throws(StoreError) in try store.compareAddresses(by: settings.addresses) }
        return feature
    }
}
