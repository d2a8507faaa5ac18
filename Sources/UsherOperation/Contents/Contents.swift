/// An operation on activities, notes, links or redirects.
public protocol ContentCall: Call {
    /// Whether an app's save command may be run for it, which may make changes itself.
    var mayAskApp: Bool { get }
}

extension ContentCall {
    public var mayAskApp: Bool { false }
}

/// The operations on contents.
public enum ContentOperations {
    /// In the order of the reference.
    static let types: [any ContentCall.Type] = [
        ActivityBecomeCurrent.self, ActivityUpdate.self, ActivityResign.self, ActivityList.self, ActivityShow.self,
        ActivitySearch.self, ActivitySave.self,
        NoteNew.self, NoteShow.self, NoteList.self, NoteEdit.self, NoteAttach.self, NoteAside.self, NoteResume.self,
        NoteDone.self, NoteDelete.self, NoteSearch.self, NoteImportation.self,
        LinkAdd.self, LinkShow.self, LinkList.self, LinkRemove.self, LinkSuggest.self,
        RedirectMove.self, RedirectDelete.self, RedirectRestore.self, RedirectList.self,
    ]

    private static let byName: [String: any ContentCall.Type] = Dictionary(
        uniqueKeysWithValues: types.map { ($0.name, $0) })

    /// Their names, as they stand in requests.
    public static let names = types.map { $0.name }

    public static func type(named name: String) -> (any ContentCall.Type)? { byName[name] }

    /// What there is to know of each.
    public static let all: [AnyOperation] = types.map { type in
        func describe<C: ContentCall>(_ type: C.Type) -> AnyOperation { AnyOperation(type) }
        return describe(type)
    }
}
