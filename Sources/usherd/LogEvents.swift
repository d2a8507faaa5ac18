internal import UsherLog

extension LogEvent {
    static let storeNotPruned = LogEvent(
        "store-not-pruned", .warning, "the store could not be pruned",
        id: "bd1220ab256740339fa675816978923d")
    static let configurationUnchanged = LogEvent(
        "configuration-unchanged", .debug, "the configuration was read again; nothing has changed",
        id: "32eda4be9e35474b94a0cf2ac89a61e1")
    static let configurationChanged = LogEvent(
        "configuration-changed", .notice, "the configuration was read again",
        id: "ddcdd92f61b84f79bbeb7d3b28cda93d")
    static let configurationWarning = LogEvent(
        "configuration-warning", .warning, "the configuration has a warning",
        id: "9d6956eb4e2d4c048ae7ac10aecbe220")
    static let restartNeeded = LogEvent(
        "restart-needed", .warning, "a changed setting needs a restart of usherd",
        id: "bdf362ad188141ed944351f12a8ceaca")
    static let configurationError = LogEvent(
        "configuration-error", .error, "the configuration has an error",
        id: "93c91d6f97d443e0b8f7421bcbf4ab3c")
    static let configurationRefused = LogEvent(
        "configuration-refused", .error, "the configuration could not be read again; the earlier one stays in use",
        id: "61d2aea9604b4731ada72f7b367db675")
    static let certificateChanged = LogEvent(
        "certificate-changed", .notice, "a certificate was read again",
        id: "b195aec74e95403bb7b00efce9050d92")
    static let certificateExpires = LogEvent(
        "certificate-expires", .warning, "the certificate has expired, or will within two weeks",
        id: "f1566614578849cda0912f4f6586bbcc")
    static let keyExposed = LogEvent(
        "key-exposed", .warning, "other users can read the key of the certificate; chmod 600 protects it",
        id: "c9755c292cbc4849b16f4d93a487b98f")
    static let filesNotWatched = LogEvent(
        "files-not-watched", .warning, "changes of the configuration are not noticed; usher reload reads it again",
        id: "3c21c8ed086f488eaf027b5e09dbb6ac")
    static let certificateRefused = LogEvent(
        "certificate-refused", .error, "a changed certificate cannot be used; the earlier one stays in use",
        id: "091e131fd65b45a1a528e92d5a1a31a7")
    static let connectionsFull = LogEvent(
        "connections-full", .warning, "there are too many connections; new ones wait",
        id: "5426e52d31a640ea977b8b4e536bc7ea")
    static let connectionNotTaken = LogEvent(
        "connection-not-taken", .warning, "a connection could not be accepted",
        id: "94a447c893764de582341f4b34666f09")
    static let userRefused = LogEvent(
        "user-refused", .warning, "another user's connection was refused",
        id: "42222e921386470291af01df703f1442")
    static let drainIncomplete = LogEvent(
        "drain-incomplete", .warning, "the time limit for stopping ended before all requests were answered",
        id: "4c8c1c7c487b444caec729572873c711")
    static let serverEnded = LogEvent(
        "server-ended", .error, "the server ended",
        id: "76cd156f02af47f687157c824a01d048")
    static let daemonReady = LogEvent(
        "daemon-ready", .notice, "the daemon is ready",
        id: "c95bd2b7c7f249cfa70f259be644e992")
    static let recoveryFailed = LogEvent(
        "recovery-failed", .error, "deliveries that an earlier run left open could not be read",
        id: "2e0f279a92ea46fd8212ba5f23714ea8")
    static let daemonStopping = LogEvent(
        "daemon-stopping", .notice, "the daemon is stopping; deliveries in progress are finished first",
        id: "68e4a9f7244f45e9957aa7cc6a613be7")
    static let handlersRunning = LogEvent(
        "handlers-running", .warning, "handlers are still running; the next start checks their effects",
        id: "8c4daac8a6524a7dbec18fa2118d7959")
    static let daemonStopped = LogEvent(
        "daemon-stopped", .notice, "the daemon has stopped",
        id: "7900d940ecb54931bd2671ac7d72a4a4")
    static let hookSecretMissing = LogEvent(
        "hook-secret-missing", .warning, "a hook has no secret that can be read; its requests are refused",
        id: "7be955a6182a4329a6b8c3922f05ed93")
    static let windowProcessEnded = LogEvent(
        "window-process-ended", .notice, "the process of a window ended, and its session is disconnected",
        id: "ce65ddec28f94d3882e3274d62460bcc")
    static let browsersCannotConnect = LogEvent(
        "browsers-cannot-connect", .warning, "browsers cannot connect",
        id: "40071fe3833b482f841c994fae6122dc")
    static let swaysockLeftOver = LogEvent(
        "swaysock-left-over", .warning, "SWAYSOCK is left over from an earlier session: DISPLAY is used",
        id: "315baf06c6364c54ba25195c54d63b41")
    static let kwinScriptLoadedAgain = LogEvent(
        "kwin-script-loaded-again", .warning, "another program has unloaded the script in KWin: it is loaded again",
        id: "359ab3bc86ef4ae291b11e811999318e")
    static let kwinScriptFailed = LogEvent(
        "kwin-script-failed", .error, "KWin's windows cannot be listed: the script in KWin does not work",
        id: "9c42316f72f2418ab13cb3180a415f22")
    static let searchReady = LogEvent(
        "search-ready", .debug, "searches of the desktop are answered",
        id: "1a6ff3682f9c483e876be5eece4ca48d")
    static let searchNameTaken = LogEvent(
        "search-name-taken", .warning,
        "another process has the name org.usher.Usher: searches of the desktop are not answered here until it leaves",
        id: "012bd0cd23ac489fba6f5cd44ac57713")
    static let searchNotAnswered = LogEvent(
        "search-not-answered", .warning, "searches of the desktop cannot be answered",
        id: "4b52fe783bf643ed86efabd0b836d25c")
}
