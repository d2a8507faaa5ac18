/// A stable number and a dotted name for something that went wrong; one to one.
///
/// The numbers are grouped: 1xxx input, 2xxx resolution, 3xxx activation, 4xxx store, 5xxx configuration, 6xxx command
/// line.
public struct DiagnosticCode: Hashable, Sendable, CustomStringConvertible {
    /// `U` and four digits.
    public var code: String
    /// Dotted, as in `target.type`.
    public var name: String

    public init(_ code: String, _ name: String) {
        self.code = code
        self.name = name
    }

    public var description: String { "\(code) \(name)" }
}

extension DiagnosticCode {
    /// No app owns the request.
    /// Remedy: name the app, or add its host to `domains`.
    public static let noApp = DiagnosticCode("U2001", "resolution.no-app")
    /// Several apps declare the activity type or the shortcut type.
    /// Remedy: name the app: `--app ID`, or `app` of an envelope.
    public static let ambiguousApp = DiagnosticCode("U2002", "resolution.ambiguous-app")
    /// The app has no window for it and may not make one.
    /// Remedy: let a scene open for it.
    public static let noScene = DiagnosticCode("U2003", "resolution.no-scene")
    /// The session that the request names is gone.
    /// Remedy: leave `session` out.
    public static let noSuchSession = DiagnosticCode("U2004", "resolution.no-such-session")
    /// The content was deleted.
    /// Remedy: stop sending its id; `usher content restore` takes a deletion back.
    public static let contentDeleted = DiagnosticCode("U2005", "resolution.content-deleted")
    /// Redirects lead back to their beginning.
    /// Remedy: take one of the redirects back: `usher content list ID`.
    public static let redirectLoop = DiagnosticCode("U2006", "resolution.redirect-loop")
    /// The program of `launch` is not found.
    /// Remedy: install it, or correct `launch`.
    public static let notInstalled = DiagnosticCode("U2007", "resolution.not-installed")
    /// A warning: a condition of a new window uses a variable that its target has no value for; it counts as
    /// FALSEPREDICATE for that window.
    /// Remedy: give the condition another variable, or the target a value for it.
    public static let unfilledCondition = DiagnosticCode("U2008", "scene.unfilled-condition")
    /// A warning: several apps have equal claims to the identifier; the one that was used last is taken.
    /// Remedy: name the app, or give one a longer path in `domains`.
    public static let severalApps = DiagnosticCode("U2009", "resolution.several-apps")
    /// The app has no scene of that name.
    /// Remedy: see the suggestion; `[[scenes]]` of its manifest names them.
    public static let sceneUnknown = DiagnosticCode("U2010", "scene.unknown")
    /// A new window was asked for, and the app has one only.
    /// Remedy: leave `multiple-scenes = false` out of its manifest, if it can have several.
    public static let sceneSingle = DiagnosticCode("U2011", "scene.single")
    /// A new window was asked for, and the app has as many as `scenes-limit` allows.
    /// Remedy: close one, or raise `scenes-limit`.
    public static let sceneLimit = DiagnosticCode("U2012", "scene.limit")
    /// The session has no window that could be closed: none is recorded.
    /// Remedy: close it by hand, or end the session without `--window`.
    public static let sceneNoWindow = DiagnosticCode("U2013", "scene.no-window")
    /// The text has the form of no window's handle.
    /// Remedy: write `@3` or `%5` for tmux, `process:PID`, or what `usher scene windows` lists.
    public static let sceneHandle = DiagnosticCode("U2014", "scene.handle")
    /// There is no window with this handle now, or the process has ended.
    /// Remedy: see `usher scene windows`.
    public static let sceneHandleGone = DiagnosticCode("U2015", "scene.handle-gone")
    /// The command runs in no terminal that could be the window of a session.
    /// Remedy: run it in the terminal, or give `--handle`.
    public static let sceneTerminal = DiagnosticCode("U2016", "scene.terminal")

    /// No app declares the activity's type, or the named app declares others.
    /// Remedy: add it to `activity-types`.
    public static let activityUndeclaredType = DiagnosticCode("U4501", "activity.undeclared-type")

    /// The program that opens the page asked for the page again, or the page was opened ten times within 10 seconds.
    /// Remedy: let `[browser] open` name a browser, not `xdg-open`.
    public static let webLoop = DiagnosticCode("U3014", "web.loop")
    /// No browser is known: Usher itself is the desktop's handler of links and the one before is gone, or there is no
    /// `xdg-open`.
    /// Remedy: set `[browser] open`, or `usher link-handler install --browser`.
    public static let webNoBrowser = DiagnosticCode("U3015", "web.no-browser")
    /// The handler of a request sent a request, whose handler sent another one, and so on, ten times.
    /// Remedy: let the handler start the program itself, not with `xdg-open` or `usher open`.
    public static let nested = DiagnosticCode("U3016", "activation.nested")

    /// The program is not in `PATH`, or no executable file.
    /// Remedy: install it, or write its path.
    public static let programNotFound = DiagnosticCode("U3001", "activation.program-not-found")
    /// The program could not be started.
    /// Remedy: see the message: directory, length of arguments, `#!` line.
    public static let cannotStart = DiagnosticCode("U3002", "activation.cannot-start")
    /// The handler ended with a status other than 0.
    /// Remedy: read what it said, in `help`.
    public static let exitStatus = DiagnosticCode("U3003", "activation.exit-status")
    /// A signal ended the handler.
    /// Remedy: look into the program.
    public static let killedBySignal = DiagnosticCode("U3004", "activation.killed-by-signal")
    /// The handler ran longer than its `time-limit` and was stopped.
    /// Remedy: raise `time-limit`, or let the program detach.
    public static let timeLimit = DiagnosticCode("U3005", "activation.time-limit")
    /// A value that begins with `-` would stand where options stand.
    /// Remedy: write `"--"` before the placeholder.
    public static let dashArgument = DiagnosticCode("U3006", "activation.dash-argument")
    /// A value cannot be handed over safely: NUL, control characters in keys, a shell in the window.
    /// Remedy: use an `exec` handler.
    public static let unsafeText = DiagnosticCode("U3007", "activation.unsafe-text")
    /// The window vanished, and those chosen instead did too.
    /// Remedy: nothing: the next request decides anew.
    public static let windowGone = DiagnosticCode("U3008", "activation.window-gone")
    /// Tmux is missing or refused.
    /// Remedy: see the message.
    public static let windowSystem = DiagnosticCode("U3009", "activation.window-system")
    /// The manifest names no handler for what is to be done.
    /// Remedy: add `launch`, a handle, or `deliver = "focus"`.
    public static let noHandler = DiagnosticCode("U3010", "activation.no-handler")
    /// A run that had begun it was killed; how far it came is not known (a warning).
    /// Remedy: `idempotent = true` has it run again instead.
    public static let interrupted = DiagnosticCode("U3011", "activation.interrupted")
    /// A warning: requests over TCP without a token have opened as many windows of the app in the last minute as they may.
    /// Remedy: let the sender use a token, or raise `new-windows` of `[server.rate]`.
    public static let tooManyWindows = DiagnosticCode("U3018", "activation.too-many-windows")
    /// Several windows are as `focus` says, and none is chosen.
    /// Remedy: say more about the window, or give each session its handle.
    public static let windowAmbiguous = DiagnosticCode("U3013", "activation.window-ambiguous")
    /// `ready` did not hold in time (a warning), or the program ended before it did.
    /// Remedy: correct `ready`, or raise `launch-grace`.
    public static let notReady = DiagnosticCode("U3012", "activation.not-ready")
    /// Another window took the place of the one that had come to the front, within 300 ms (a warning; the outcome stays).
    /// Remedy: find the program that takes the keyboard: `seen` of the warning names its window.
    public static let lostFront = DiagnosticCode("U3017", "activation.lost-front")

    /// The app's `continue` handler did not take the activity.
    /// Remedy: read what it said, in `help`.
    public static let continuationNotHandled = DiagnosticCode("U3201", "continuation.not-handled")
    /// The activity is of a newer version than the app; a warning where it is handed over all the same.
    /// Remedy: install the newer app; `newer` says what becomes of such ones.
    public static let continuationNewer = DiagnosticCode("U3202", "continuation.newer")
    /// The `upgrade` command gave no activity for this version.
    /// Remedy: see the message.
    public static let continuationUpgrade = DiagnosticCode("U3203", "continuation.upgrade")

    /// Folder or file cannot be made or opened.
    /// Remedy: own the folder, or name another with `--state`.
    public static let storeOpen = DiagnosticCode("U4001", "store.cannot-open")
    /// The file is damaged.
    /// Remedy: put a backup in its place, or move it away.
    public static let storeCorrupt = DiagnosticCode("U4002", "store.corrupt")
    /// A newer Usher or an unreleased build wrote it.
    /// Remedy: use that one, or another folder.
    public static let storeNewer = DiagnosticCode("U4003", "store.newer-version")
    /// The file is a database of another program.
    /// Remedy: move it away, or use another folder.
    public static let storeForeign = DiagnosticCode("U4004", "store.foreign-file")
    /// The file system is full.
    /// Remedy: free some space; what was recorded is safe.
    public static let storeFull = DiagnosticCode("U4005", "store.disk-full")
    /// The store cannot be written.
    /// Remedy: make file and folder writable.
    public static let storeReadOnly = DiagnosticCode("U4006", "store.read-only")
    /// Another program holds the lock for longer than 5 s.
    /// Remedy: try again; find it with `fuser`.
    public static let storeBusy = DiagnosticCode("U4007", "store.busy")
    /// SQLite refused for another reason.
    /// Remedy: see the message.
    public static let storeFailed = DiagnosticCode("U4008", "store.failed")
    /// The session id belongs to another app or scene.
    /// Remedy: choose another `--session`.
    public static let storeSessionTaken = DiagnosticCode("U4009", "store.session-taken")
    /// The sessions have 10,000 different conditions that no index finds.
    /// Remedy: add a literal to the condition.
    public static let storeConditions = DiagnosticCode("U4010", "store.too-many-conditions")

    /// It was dropped before its effect began.
    /// Remedy: `usher deliveries retry` takes it up again.
    public static let deliveryDropped = DiagnosticCode("U4101", "delivery.dropped")
    /// A try failed and was followed by another (a warning).
    /// Remedy: `retry` says how often; the record has what came of the last.
    public static let deliveryTriedAgain = DiagnosticCode("U4104", "delivery.tried-again")

    /// The store's file was removed, moved or replaced while it was open.
    /// Remedy: move its folder back, or start the program again.
    public static let storeGone = DiagnosticCode("U4105", "store.gone")
}

// MARK: - Browser

extension DiagnosticCode {
    /// The browser does not run, or its extension is off.
    /// Remedy: `usher browser status` and `usher doctor` tell what is missing.
    public static let browserNotConnected = DiagnosticCode("U3401", "browser.not-connected")
    /// A browser is there and does not answer.
    /// Remedy: start it anew, or switch its extension off and on.
    public static let browserNoAnswer = DiagnosticCode("U3402", "browser.no-answer")
    /// A browser could not do what it was asked for.
    /// Remedy: its own words say why.
    public static let browserRefused = DiagnosticCode("U3403", "browser.refused")
    /// No tab is opened for such an address.
    /// Remedy: tabs are opened for `http` and `https`.
    public static let browserAddress = DiagnosticCode("U3404", "browser.address")
}

// MARK: - Desktop

extension DiagnosticCode {
    /// There is no session bus, or it does not let us in.
    /// Remedy: start Usher within the session, or set `DBUS_SESSION_BUS_ADDRESS`.
    public static let busAbsent = DiagnosticCode("U3501", "bus.absent")
    /// The session bus went away while an answer was awaited.
    /// Remedy: the next request makes a new connection.
    public static let busLost = DiagnosticCode("U3502", "bus.lost")
    /// No process owns the name on the session bus, and the bus does not know how to start it.
    /// Remedy: install the application, or a service file of that name in dbus-1/services.
    public static let busNoService = DiagnosticCode("U3503", "bus.no-service")
    /// The program of a bus name could not be started.
    /// Remedy: see its service file in dbus-1/services.
    public static let busNotStarted = DiagnosticCode("U3504", "bus.not-started")
    /// No answer came over the session bus within the time limit.
    /// Remedy: give it longer with `time-limit`.
    public static let busNoReply = DiagnosticCode("U3505", "bus.no-reply")
    /// The program is no `org.freedesktop.Application`.
    /// Remedy: start it with `launch = { desktop = … }` or `exec`.
    public static let busUnknownMethod = DiagnosticCode("U3506", "bus.unknown-method")
    /// The program, or the bus, answered with an error.
    /// Remedy: see the message.
    public static let busRefused = DiagnosticCode("U3507", "bus.refused")
    /// Something that no message on the bus can carry, or larger than is taken.
    /// Remedy: see the message.
    public static let busMessage = DiagnosticCode("U3508", "bus.message")

    /// The program left the session bus before it answered.
    /// Remedy: does it know the screen? `dbus-update-activation-environment DISPLAY WAYLAND_DISPLAY` tells it.
    public static let busLeft = DiagnosticCode("U3509", "bus.left")

    /// The media player has no track or playlist at this index path.
    /// Remedy: the places count from 0; `usher media list` shows what plays.
    public static let mediaNoSuchItem = DiagnosticCode("U8704", "perform.no-such-item")

    /// There is no such desktop entry, or it is hidden.
    /// Remedy: the help names the nearest that there is, and the folders that are looked in.
    public static let entryUnknown = DiagnosticCode("U3510", "entry.unknown")
    /// A desktop entry does not say how to start its program, or takes no address and is given one.
    /// Remedy: `desktop-file-validate` shows more; correct it, or leave `{target}` out.
    public static let entryBroken = DiagnosticCode("U3511", "entry.broken")
    /// The program of a desktop entry is not installed.
    /// Remedy: install it.
    public static let entryNoProgram = DiagnosticCode("U3512", "entry.no-program")
    /// A desktop entry has no action of this name.
    /// Remedy: the help names those it has.
    public static let entryNoAction = DiagnosticCode("U3513", "entry.no-action")
    /// A desktop entry requires a terminal, and there is none.
    /// Remedy: install one, or name it in `TERMINAL`.
    public static let entryNoTerminal = DiagnosticCode("U3514", "entry.no-terminal")
    /// An entry's bus name could not be called, so its command line was started (a warning).
    /// Remedy: see the message.
    public static let entryNotActivated = DiagnosticCode("U3515", "entry.not-activated")
    /// A file in the way of a published entry was not written by Usher.
    /// Remedy: move it away, or give `--directory`.
    public static let entryForeign = DiagnosticCode("U3516", "entry.foreign")
    /// `usher link-handler install`: no browser is known for pages that no app claims, or it would be Usher itself.
    /// Remedy: name one: `--browser ENTRY.desktop`.
    public static let linkHandlerNoBrowser = DiagnosticCode("U3517", "link-handler.no-browser")
    /// `usher link-handler install`: no app claims links.
    /// Remedy: give an app `domains` or `schemes`.
    public static let linkHandlerNoScheme = DiagnosticCode("U3518", "link-handler.no-scheme")
}

// MARK: - Notifications

// Notifications on the desktop: U36xx.
extension DiagnosticCode {
    /// No notification server answers on the session bus.
    /// Remedy: start one, such as dunst or mako, in the session of usherd.
    public static let notificationUnavailable = DiagnosticCode("U3601", "notification.unavailable")
    /// The notification server shows no notification.
    /// Remedy: its own words say why.
    public static let notificationRefused = DiagnosticCode("U3602", "notification.refused")
    /// A warning: the server has no buttons, so no click comes back.
    /// Remedy: use a server with the capability `actions`.
    public static let notificationNoActions = DiagnosticCode("U3603", "notification.no-actions")
    /// A warning: the manifest has notifications of this level neither shown nor followed.
    /// Remedy: change `deliver` for this level.
    public static let notificationSilenced = DiagnosticCode("U3604", "notification.silenced")

    /// A warning: the app has interrupted as often as its `rate` lets it, and this push is not shown.
    /// Remedy: raise `rate`, or have the sender give related pushes one `apns-collapse-id`.
    public static let notificationRate = DiagnosticCode("U3605", "notification.rate")
    /// A warning: `quiet` says that nothing is done while the user should not be disturbed.
    /// Remedy: change `quiet`, for example to `"notify"`.
    public static let notificationQuiet = DiagnosticCode("U3606", "notification.quiet")
    /// A warning: an answer was pressed when no sender waited for it any more, so that the press is a click.
    /// Remedy: answer sooner, or have the sender wait longer with `--timeout`.
    public static let notificationAnswerLate = DiagnosticCode("U3607", "notification.answer-late")
}

// MARK: - Redirects

extension DiagnosticCode {
    /// An identifier is empty, longer than 16 KiB, or has a NUL.
    /// Remedy: give the one that the content has.
    public static let redirectIdentifier = DiagnosticCode("U4530", "redirect.identifier")
    /// Content cannot move onto itself.
    /// Remedy: give the identifier that it has now.
    public static let redirectOntoItself = DiagnosticCode("U4531", "redirect.onto-itself")
    /// Identifiers would come back to where they were.
    /// Remedy: take one of the moves back: `usher content restore`.
    public static let redirectWouldLoop = DiagnosticCode("U4532", "redirect.loop")
    /// Identifiers would need more than 32 hops.
    /// Remedy: move the content straight to the newest identifier.
    public static let redirectTooLong = DiagnosticCode("U4533", "redirect.too-long")
    /// The content was deleted.
    /// Remedy: `usher content restore` if it is there again.
    public static let redirectDeleted = DiagnosticCode("U4534", "redirect.deleted")
    /// The content has moved elsewhere already.
    /// Remedy: take that back first: `usher content restore`.
    public static let redirectTaken = DiagnosticCode("U4535", "redirect.taken")
    /// There is nothing to take back.
    /// Remedy: see `usher content list`.
    public static let redirectNone = DiagnosticCode("U4536", "redirect.none")
}
