internal import UsherJSON
internal import UsherLog
internal import UsherOperation
internal import UsherScene
internal import UsherStore

/// Notes with links to the content that the user looks at.
struct Suggestions {
    private let service: ContentService

    init(_ service: ContentService) { self.service = service }

    /// What is suggested for an activity that became current, by its identifiers; each is an event of the log.
    ///
    /// - Parameter identifiers: the preferred first.
    func of(_ identifiers: [String]) throws(ControlError) -> [JSONValue] {
        guard !identifiers.isEmpty else { return [] }
        let wanted = identifiers.map { TargetContentIdentifier($0) }
        let found = try service.storing { () throws(StoreError) in try service.store.suggestions(for: wanted) }
        for suggestion in found {
            service.logger.info(
                "a note speaks of this content",
                [
                    "note.id": .text(suggestion.note), "link.id": .text(suggestion.link.id),
                    "link.identifier": .text(suggestion.identifier.text), "target": .text(suggestion.matched.text),
                    "redirect.hops": .number(Int64(suggestion.via.count)),
                ])
        }
        return found.map { LinkAnswer.value($0) }
    }
}
