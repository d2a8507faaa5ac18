internal import UsherEngine
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
