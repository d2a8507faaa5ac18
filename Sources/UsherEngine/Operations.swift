package import UsherOperation

/// The operations that are of no feature, in the order of the reference.
package let engineOperations: [any Call.Type] = [
    Hello.self, DispatchPayload.self, DispatchStream.self, SceneConnect.self, SceneUpdate.self, SceneActivate.self,
    SceneDisconnect.self, SceneClose.self, SceneFocus.self, SceneNew.self, SceneList.self, SceneShow.self,
    SceneWindows.self, TerminalWhere.self, TerminalFocus.self, DeliveriesList.self, DeliveriesShow.self,
    DeliveriesRetry.self, DeliveriesDrop.self, DeliveriesAnswer.self, DeliveriesWait.self, Explain.self, Reload.self,
    Status.self, Yield.self, Records.self, TargetList.self,
    ShortcutList.self, ShortcutSet.self, ShortcutAdd.self, ShortcutRemove.self, HookJudge.self, HookListen.self,
]
