internal import UsherActivities
internal import UsherLog
internal import UsherNotes
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherText

extension OperationContext {
    func answer(_ link: Store.Link) throws(ControlError) -> LinkAnswer {
        var answer = LinkAnswer(link)
        answer.short = try short(link.id, .link)
        return answer
    }

    /// What is suggested for an activity that became current, by its identifiers; each is an event of the log.
    ///
    /// - Parameters:
    ///   - identifiers: the preferred first.
    ///   - app: the app of the activity.
    func linkedNotes(
        to identifiers: [String], app: String
    ) throws(ControlError) -> [LinkedNoteAnswer] {
        guard !identifiers.isEmpty else { return [] }
        let wanted = identifiers.map { TargetContentIdentifier($0) }
        let found = try storing { () throws(StoreError) in
            try store.suggestions(for: wanted, app: app)
        }
        for suggestion in found {
            logger.log(
                .noteSuggested,
                [
                    "note.id": .text(suggestion.note), "link.id": .text(suggestion.link.id),
                    "link.identifier": .text(suggestion.identifier.text), "target": .text(suggestion.matched.text),
                    "redirect.hops": .number(Int64(suggestion.via.count)),
                ])
        }
        return found.map(LinkedNoteAnswer.init)
    }
}

extension ControlError {
    static func unknown(link id: String) -> ControlError {
        ControlError(
            .linkUnknown, "there is no link \(QuotedText.text(id))", at: "/link",
            help: "usher link list shows the last ones")
    }

    static func deleted(_ redirection: Redirection) -> ControlError {
        let note = if case .deleted(let note) = redirection.end { note } else { "it was deleted" }
        let hops = redirection.hops.map { "\($0.from.text) → \($0.to.text) (\($0.note))" }
        return ControlError(
            .contentDeleted, "the content was deleted: \(([note] + hops).joined(separator: "; "))",
            help:
                "\(redirection.tombstone?.identifier.restoreCommand() ?? "usher content restore ID") takes the deletion back"
        )
    }
}
