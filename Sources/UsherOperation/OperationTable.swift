public import UsherJSON

/// Every operation, by its name.
public enum OperationTable {
    /// In the order of the reference.
    public static let all: [AnyOperation] = [
        AnyOperation(Hello.self), AnyOperation(DispatchPayload.self), AnyOperation(DispatchStream.self),
        AnyOperation(SceneConnect.self), AnyOperation(SceneUpdate.self), AnyOperation(SceneActivate.self),
        AnyOperation(SceneDisconnect.self), AnyOperation(SceneClose.self), AnyOperation(SceneList.self),
        AnyOperation(SceneShow.self), AnyOperation(SceneWindows.self), AnyOperation(MediaList.self),
        AnyOperation(DesktopServices.self),
        AnyOperation(MediaPlay.self),
        AnyOperation(DeliveriesList.self), AnyOperation(DeliveriesShow.self), AnyOperation(DeliveriesRetry.self),
        AnyOperation(DeliveriesDrop.self), AnyOperation(DeliveriesWait.self),
        AnyOperation(Explain.self), AnyOperation(Reload.self), AnyOperation(Status.self), AnyOperation(Yield.self),
        AnyOperation(Records.self), AnyOperation(HookJudge.self), AnyOperation(HookListen.self),
        AnyOperation(ActivityBecomeCurrent.self), AnyOperation(ActivityUpdate.self), AnyOperation(ActivityResign.self),
        AnyOperation(ActivityList.self), AnyOperation(ActivityShow.self), AnyOperation(ActivitySearch.self),
        AnyOperation(ActivitySave.self),
        AnyOperation(NoteNew.self), AnyOperation(NoteShow.self), AnyOperation(NoteList.self),
        AnyOperation(NoteEdit.self), AnyOperation(NoteAttach.self), AnyOperation(NoteAside.self),
        AnyOperation(NoteResume.self), AnyOperation(NoteDone.self), AnyOperation(NoteDelete.self),
        AnyOperation(NoteAppend.self), AnyOperation(NoteTags.self), AnyOperation(NoteSearch.self),
        AnyOperation(NoteImportation.self),
        AnyOperation(LinkAdd.self), AnyOperation(LinkShow.self), AnyOperation(LinkList.self),
        AnyOperation(LinkRemove.self), AnyOperation(LinkSuggest.self),
        AnyOperation(RedirectMove.self), AnyOperation(RedirectDelete.self), AnyOperation(RedirectRestore.self),
        AnyOperation(RedirectList.self), AnyOperation(Undo.self), AnyOperation(UndoList.self),
        AnyOperation(ContactImport.self), AnyOperation(ContactList.self), AnyOperation(InteractionDonate.self),
        AnyOperation(InteractionList.self), AnyOperation(InteractionForget.self), AnyOperation(NoteSignal.self),
        AnyOperation(Remind.self), AnyOperation(ReminderList.self), AnyOperation(ReminderDelete.self),
        AnyOperation(Suggest.self), AnyOperation(Forget.self), AnyOperation(PerformPlan.self),
    ]

    private static let byName: [String: AnyOperation] = Dictionary(
        all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    public static func operation(named name: String) -> AnyOperation? { byName[name] }

    /// Reads a request's arguments.
    ///
    /// - Parameter place: the JSON pointer of the arguments, for errors.
    public static func call(
        _ name: String, _ arguments: JSONValue?, at place: String
    ) throws(ControlError) -> any Call {
        guard let operation = byName[name] else {
            let known = all.map(\.name)
            throw .unknown(
                .controlCommand, "command", name, among: known, at: "/command",
                otherwise: "there is: \(known.joined(separator: ", "))")
        }
        let isStream = operation.type == DispatchPayload.self && arguments?["stream"] != nil
        let type: any Call.Type = isStream ? DispatchStream.self : operation.type
        return try type.init(reading: arguments, at: place)
    }
}
