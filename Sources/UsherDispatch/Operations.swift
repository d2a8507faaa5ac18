public import UsherOperation

extension OperationTable {
    /// Every operation of `usherd`.
    public static let usher = OperationTable([
        Hello.self, DispatchPayload.self, DispatchStream.self, SceneConnect.self, SceneUpdate.self,
        SceneActivate.self, SceneDisconnect.self, SceneClose.self, SceneList.self, SceneShow.self,
        SceneWindows.self, MediaList.self, DesktopServices.self, MediaPlay.self, DeliveriesList.self,
        DeliveriesShow.self, DeliveriesRetry.self, DeliveriesDrop.self, DeliveriesWait.self, Explain.self,
        Reload.self, Status.self, Yield.self, Records.self, HookJudge.self, HookListen.self,
        ActivityBecomeCurrent.self, ActivityUpdate.self, ActivityResign.self, ActivityList.self,
        ActivityShow.self, ActivitySearch.self, ActivitySave.self, NoteNew.self, NoteShow.self, NoteList.self,
        NoteEdit.self, NoteAttach.self, NoteAside.self, NoteResume.self, NoteDone.self, NoteDelete.self,
        NoteAppend.self, NoteTags.self, NoteSearch.self, NoteImportation.self, LinkAdd.self, LinkShow.self,
        LinkList.self, LinkRemove.self, LinkSuggest.self, RedirectMove.self, RedirectDelete.self,
        RedirectRestore.self, RedirectList.self, Undo.self, UndoList.self, ContactImport.self,
        ContactList.self, InteractionDonate.self, InteractionList.self, InteractionForget.self,
        NoteSignal.self, Remind.self, ReminderList.self, ReminderDelete.self, Suggest.self, Forget.self,
        PerformPlan.self,
    ])
}
