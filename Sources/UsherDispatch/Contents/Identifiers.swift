internal import UsherJSON
public import UsherOperation
public import UsherScene
public import UsherStore
internal import UsherText

extension Store {
    /// A call with whole ids in the place of their beginnings.
    public func resolvingIdentifiers(in call: any Call) throws(ControlError) -> any Call {
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
        let scheme = Store.Note.scheme + ":"
        if kind == .note, text.utf8.starts(with: scheme.utf8) {
            wanted = String(decoding: text.utf8.dropFirst(scheme.utf8.count), as: UTF8.self)
        }
        let resolution: IdentifierResolution
        do throws(StoreError) {
            resolution = try resolve(wanted, as: kind)
        } catch {
            throw ControlError(error)
        }
        switch resolution {
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

extension ContentService {
    /// An object that has an `id`, with the member `short` after it.
    func withShort(_ kind: IdentifierKind, _ value: JSONValue) throws(ControlError) -> JSONValue {
        guard case .object(var members) = value, let place = members.firstIndex(where: { $0.name == "id" }),
            let id = members[place].value.string
        else { return value }
        let short = try storing { () throws(StoreError) in try store.shortIdentifiers(of: [id], kind) }
        members.insert(.init("short", .string(short.first ?? id)), at: place + 1)
        return .object(members)
    }

    /// The same for each of many.
    func withShort(_ kind: IdentifierKind, _ values: [JSONValue]) throws(ControlError) -> [JSONValue] {
        var answers: [JSONValue] = []
        for value in values { answers.append(try withShort(kind, value)) }
        return answers
    }
}
