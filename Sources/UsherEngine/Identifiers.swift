internal import UsherConfiguration
public import UsherOperation
public import UsherScene
public import UsherStore
internal import UsherText

extension Store {
    /// A call with whole ids in the place of their beginnings.
    public func resolvingIdentifiers<C: Call>(in call: C) throws(ControlError) -> C {
        try call.resolvingIdentifiers { (text, kind, place) throws(ControlError) in
            try identifier(text, kind, at: place)
        }
    }

    /// The whole id that a text means; the text itself where it means none.
    ///
    /// - Parameter place: the member that it was given as, for errors.
    public func identifier(
        _ text: String, _ kind: IdentifierKind, at place: String
    ) throws(ControlError) -> String {
        var wanted = text
        let scheme = App.notesScheme + ":"
        if kind == .note, text.utf8.starts(with: scheme.utf8) {
            wanted = String(decoding: text.utf8.dropFirst(scheme.utf8.count), as: UTF8.self)
        }
        switch try ControlError.storing(try resolve(wanted, as: kind)) {
        case .one(let id): return id
        case .none: return text
        case .several(let ids, let hasMore):
            throw ControlError(
                .idAmbiguous,
                "\(QuotedText.text(text)) is the beginning of several ids of \(kind.plural):"
                    + " \(ids.joined(separator: ", "))\(hasMore ? " and more" : "")", at: place,
                help: "give more characters of the one that is meant")
        }
    }
}

extension OperationContext {
    /// The shortest beginning of an id that no other one of its kind has.
    package func short(_ id: String, _ kind: IdentifierKind) throws(ControlError) -> String {
        try storing(try store.shortIdentifiers(of: [id], kind)).first ?? id
    }
}
