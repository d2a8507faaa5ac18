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
        feature.status = { code in
            switch code {
            case .noteUnknown, .noteNoneInProgress, .linkUnknown, .redirectNone, .undoNothing: 404
            case .noteChangedMeanwhile, .redirectTaken, .redirectWouldLoop, .redirectTooLong, .undoConflict: 409
            case .redirectDeleted: 410
            default: nil
            }
        }
        feature.open = { openings in
            openings.linkedNotes = { (identifiers, app, store) throws(StoreError) in
                let found = try store.read { (state) throws(StoreError) -> [Store.NoteMatch] in
                    // Every explanation asks, and many stores have no link.
                    guard try state.integer("SELECT 1 FROM link LIMIT 1") != nil else { return [] }
                    return try state.suggestions(for: identifiers.map { TargetContentIdentifier($0) }, app: app)
                }
                return found.map(LinkedNoteAnswer.init)
            }
            openings.tiedContents = { (identifier, app, store) throws(StoreError) in
                try store.disagreement(on: identifier, app: app)
            }
        }
        feature.run = { host in
            let documents = DocumentVisits(
                host.store, logger: host.logger, opened: { host.features.opened([$0]) }, suggest: host.suggest)
            var run = FeatureRun()
            run.windows.showsContent = { documents.follow($0, $1) }
            run.windows.ended = { documents.forget($0) }
            return run
        }
        feature.use = { (settings, store) throws(StoreError) in try store.compareAddresses(by: settings.addresses) }
        return feature
    }
}
