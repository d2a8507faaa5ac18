extension LogEvent {
    /// Every event there is and was. Written by Scripts/generate-log-events; a line is never removed, its id never changed.
    public static let catalog: [LogEvent] = [
        LogEvent("input-empty", .notice, "the input is empty: nothing to dispatch", "74e0df1232e24b8e8993e8db03aa6686"),
        LogEvent(
            "window-gone", .notice, "the chosen window is gone, deciding again",
            "e57ef39f34de441bbfcf0cf0e5b0a105"),
        LogEvent(
            "record-not-journalled", .error, "a record could not be journalled",
            "16e5875faaa44455879201016dc99620"),
        LogEvent("delivery-done", .info, "a request was carried out", "ec3e4368e9544172ada9ef46e9ab3231"),
        LogEvent("delivery-duplicate", .info, "a request was sent before", "b1faf1962c7545a2a3b054f63924f43f"),
        LogEvent("delivery-failed", .error, "a request could not be carried out", "e55ca5cb3a8c4e6a8de47b51fd30824f"),
        LogEvent(
            "delivery-recovered", .notice, "a delivery that was left open is finished",
            "3ea5bf4ec3d146af93b468a85134af4b"),
        LogEvent(
            "condition-unreadable", .warning, "a stored condition cannot be read and counts as false",
            "dbabf9a7059d47cf96337296118457d1"),
        LogEvent(
            "records-not-journalled", .error, "records could not be journalled",
            "c588f59e5ff74f32b6439274dbb32001"),
        LogEvent("store-not-pruned", .warning, "the store could not be pruned", "bd1220ab256740339fa675816978923d"),
        LogEvent(
            "there-no-journal-to-log", .warning, "there is no journal to log to",
            "da5f57583b3a4fd7858ea5c067e5d7f1"),
        LogEvent(
            "configuration-unchanged", .debug, "the configuration was read again; nothing has changed",
            "32eda4be9e35474b94a0cf2ac89a61e1"),
        LogEvent(
            "configuration-changed", .notice, "the configuration was read again",
            "ddcdd92f61b84f79bbeb7d3b28cda93d"),
        LogEvent(
            "configuration-warning", .warning, "the configuration has a warning",
            "9d6956eb4e2d4c048ae7ac10aecbe220"),
        LogEvent(
            "restart-needed", .warning, "a changed setting needs a restart of usherd",
            "bdf362ad188141ed944351f12a8ceaca"),
        LogEvent("configuration-error", .error, "the configuration has an error", "93c91d6f97d443e0b8f7421bcbf4ab3c"),
        LogEvent(
            "configuration-refused", .error, "the configuration could not be read again; the old one stays",
            "61d2aea9604b4731ada72f7b367db675"),
        LogEvent("certificate-changed", .notice, "a certificate was read again", "b195aec74e95403bb7b00efce9050d92"),
        LogEvent(
            "certificate-refused", .error, "a changed certificate cannot be used; the old one stays",
            "091e131fd65b45a1a528e92d5a1a31a7"),
        LogEvent(
            "connections-full", .warning, "there are too many connections; new ones wait",
            "5426e52d31a640ea977b8b4e536bc7ea"),
        LogEvent(
            "connection-not-taken", .warning, "a connection could not be taken",
            "94a447c893764de582341f4b34666f09"),
        LogEvent("user-refused", .warning, "another user's connection was refused", "42222e921386470291af01df703f1442"),
        LogEvent(
            "drain-incomplete", .warning, "the time to stop was over before all was answered",
            "4c8c1c7c487b444caec729572873c711"),
        LogEvent("server-ended", .error, "the server ended", "76cd156f02af47f687157c824a01d048"),
        LogEvent("daemon-ready", .notice, "the daemon is ready", "c95bd2b7c7f249cfa70f259be644e992"),
        LogEvent(
            "journal-missing", .warning, "there is no journal; the log goes to standard error",
            "337061d140f842f084cf310aac995556"),
        LogEvent(
            "recovery-failed", .error, "what a killed run left behind could not be read",
            "2e0f279a92ea46fd8212ba5f23714ea8"),
        LogEvent(
            "daemon-stopping", .notice, "the daemon stops: what was begun is finished",
            "68e4a9f7244f45e9957aa7cc6a613be7"),
        LogEvent(
            "handlers-running", .warning, "handlers still run; the next start finds what they did",
            "8c4daac8a6524a7dbec18fa2118d7959"),
        LogEvent("daemon-stopped", .notice, "the daemon has stopped", "7900d940ecb54931bd2671ac7d72a4a4"),
        LogEvent(
            "waiting-not-read", .error, "waiting requests could not be taken up",
            "3b850dfe4c47454980eae89cd1959da9"),
        LogEvent(
            "delivery-retried", .notice, "a request failed and is tried again",
            "7dbefab7e1654962bd1ef084a85b2376"),
        LogEvent(
            "requests-not-journalled", .error, "requests could not be journalled",
            "022271ec86b344cc8b03449a796771cf"),
        LogEvent(
            "secrets-exposed", .warning,
            "a file with secrets is open to others; make it readable for its owner only (chmod 600)",
            "863f013661014cbfa53e299afe59bdbe"),
        LogEvent(
            "secrets-unreadable", .error, "secrets cannot be read, and nobody gets in with them",
            "f8cce565964e4a4ba7cab5ca317e4f58"),
        LogEvent("request-refused", .info, "a request was refused", "27b1e2a8f84a494babf02def20ea2c8c"),
        LogEvent(
            "hook-has-no-secret-that", .warning, "a hook has no secret that can be read, and lets nobody in",
            "7be955a6182a4329a6b8c3922f05ed93"),
        LogEvent(
            "step-not-journalled", .error, "a step of a request could not be journalled yet",
            "6dd4668f60a04d5988b2f52554df7b44"),
        LogEvent(
            "delivery-ended-with-error", .notice, "a delivery ended with an error",
            "81a2e60cfc5d40a7b5df1e57deea487c"),
        LogEvent("activity-became-current", .info, "an activity became current", "38e8bcbde289476794198a4f52725fb4"),
        LogEvent("user-info-not-fresh", .warning, "an app gave no fresh user info", "97078cc9ab63487d98b396abfc8f7737"),
        LogEvent("note-suggested", .info, "a note speaks of this content", "86639fa3c7ac452481818c074d875bff"),
        LogEvent(
            "window-process-ended", .notice, "the process of a window ended, and its session is disconnected",
            "ce65ddec28f94d3882e3274d62460bcc"),
        LogEvent(
            "scene-program-gone", .notice, "the program of a scene is gone, deciding again",
            "5462507ec4b6490796cdc7b9368c9906"),
        LogEvent("notification-pressed", .info, "a notification was pressed", "d409d55450714b88a0f465edd8669b8c"),
        LogEvent(
            "notification-pressed-again", .info, "a notification was pressed again: once counts",
            "a9c16a1102ad4529ad74575da585521e"),
        LogEvent(
            "notification-foreign", .debug, "a notification that is none of ours was pressed",
            "8c5e74dcf01743479932e9d8853d1b4c"),
        LogEvent("notification-ended", .info, "a notification is shown no more", "649f13715db845ce964f18af4bdfe40a"),
        LogEvent(
            "notification-server-gone", .notice, "a notification server is gone, and what it showed",
            "4ef1b9d985c24bcab1cf42253ae5adc2"),
        LogEvent(
            "notifications-not-shown", .notice, "notifications cannot be shown",
            "2470d2ef16634d1187d7b9a86702a712"),
        LogEvent(
            "notification-not-noted", .error, "what became of a notification could not be written down",
            "5d28cb23c3484dbe8c4ee3e0316a2b61"),
        LogEvent(
            "windows-could-not-be-followed", .warning, "the windows could not be followed",
            "9f922815b8374ea781b1ddf4799da00a"),
        LogEvent(
            "server-of-window-gone-and", .notice, "the server of a window is gone, and its session is disconnected",
            "355f13a914b24a65a1a03a6e2ace0abe"),
        LogEvent(
            "window-closed-and-its-session", .info, "a window was closed, and its session has ended",
            "fff272e120554c12a9acaf888f846c92"),
        LogEvent(
            "window-of-session-found", .info, "the window of a session was found",
            "afe5542587674b8d82fd5b64201f5236"),
        LogEvent(
            "window-matched-to-scene", .info, "a window was matched to a scene",
            "b75a5c09bb824c41982e6ad8162b82c5"),
        LogEvent(
            "several-scenes-describe-window-and", .notice, "several scenes describe a window, and none gets it",
            "58c40026dcb54c71be4be74e6ca10388"),
        LogEvent("browsers-cannot-connect", .warning, "browsers cannot connect", "40071fe3833b482f841c994fae6122dc"),
        LogEvent(
            "push-held-back", .info, "a push was held back: its app has interrupted often enough",
            "dd7237cba6604ec3b6859e47be7d2984"),
        LogEvent(
            "launch-left", .notice, "a launch is left to the next run of the daemon",
            "d6681be109e64f9b89ab653f9acb5c55"),
        LogEvent(
            "swaysock-left-over", .warning, "SWAYSOCK is left over from an earlier session: DISPLAY is used",
            "315baf06c6364c54ba25195c54d63b41"),
        LogEvent(
            "delivery-in-unexpected-state", .error, "a delivery was in another state than expected",
            "2da4a0e5679f4e41993fed9ff9fcff3e"),
    ]
}
