internal import UsherScene
internal import UsherStore

// Why a redirect is not made or taken back: `U4530` and following. Nothing was changed.
extension Diagnostic {
    /// Why an identifier by itself is refused; nil where it is not.
    init?(of id: TargetContentIdentifier, called name: String) {
        let (length, most) = (id.text.utf8.count, TargetContentIdentifier.maximumLength)
        let fault: String
        if length == 0 {
            fault = "is empty"
        } else if length > most {
            fault = "has \(length) bytes, and an identifier has \(most) at most"
        } else if id.text.utf8.contains(0) {
            fault = "has a NUL, which no identifier has"
        } else {
            return nil
        }
        self.init(.redirectIdentifier, "\(name) \(fault)", help: "give the identifier that the content has")
    }

    static func ontoItself(_ id: TargetContentIdentifier) -> Diagnostic {
        Diagnostic(
            .redirectOntoItself, "\(id.shown) cannot move onto itself", help: "give the identifier that it has now")
    }

    /// - Parameter redirect: the one that leads back to the first.
    static func loop(_ ids: [TargetContentIdentifier], closedBy redirect: Store.Redirect?) -> Diagnostic {
        Diagnostic(
            .redirectWouldLoop, "identifiers would come back to where they were: \(chain(ids))",
            help: "take one of these moves back first: "
                + (redirect.map { restore($0.source, isPrefix: $0.isPrefix) } ?? restore(ids[0])))
    }

    static func tooLong(_ ids: [TargetContentIdentifier]) -> Diagnostic {
        Diagnostic(
            .redirectTooLong,
            "identifiers would need \(ids.count - 1) hops, and \(Redirection.maximumHops) is the most: \(chain(ids))",
            help: "take one of these moves back, and move its content straight to the newest identifier: "
                + restore(ids[0]))
    }

    /// - Parameter tombstone: its destination is nil.
    static func deleted(_ tombstone: Store.Redirect) -> Diagnostic {
        Diagnostic(
            .redirectDeleted, tombstone.note,
            help: "if it is there again, take that back first: \(restore(tombstone.source))")
    }

    static func taken(_ redirect: Store.Redirect) -> Diagnostic {
        Diagnostic(
            .redirectTaken,
            "\(redirect.source.shown) has moved to \(redirect.destination?.shown ?? "") already (\(redirect.note))",
            help: "take that back first: \(restore(redirect.source, isPrefix: redirect.isPrefix))")
    }

    /// - Parameter chain: the redirects that lead it elsewhere.
    static func nothingToRestore(
        _ id: TargetContentIdentifier, isPrefix: Bool, led chain: [Store.Redirect]
    ) -> Diagnostic {
        Diagnostic(
            .redirectNone,
            isPrefix
                ? "no prefix move has the source \(id.shown)" : "\(id.shown) has neither moved nor been deleted",
            help: chain.first.map {
                "it is led elsewhere by \($0.note); \(restore($0.source, isPrefix: $0.isPrefix)) takes that back"
            } ?? "usher content list shows what there is")
    }

    private static func restore(_ id: TargetContentIdentifier, isPrefix: Bool = false) -> String {
        id.restoreCommand(isPrefix: isPrefix)
    }

    /// The first and the last of many.
    private static func chain(_ ids: [TargetContentIdentifier]) -> String {
        let shown = ids.map(\.shown)
        let some = shown.count <= 8 ? shown : shown.prefix(4) + ["… \(shown.count - 7) more …"] + shown.suffix(3)
        return some.joined(separator: " → ")
    }
}

extension TargetContentIdentifier {
    /// For messages: shortened where it is very long.
    fileprivate var shown: String {
        text.unicodeScalars.count <= 300 ? text : String(text.unicodeScalars.prefix(297)) + "..."
    }
}
