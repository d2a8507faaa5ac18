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
    public static let noApp = DiagnosticCode("U2001", "resolution.no-app")
    public static let ambiguousApp = DiagnosticCode("U2002", "resolution.ambiguous-app")
    public static let noScene = DiagnosticCode("U2003", "resolution.no-scene")
    public static let noSuchSession = DiagnosticCode("U2004", "resolution.no-such-session")
    public static let contentDeleted = DiagnosticCode("U2005", "resolution.content-deleted")
    public static let redirectLoop = DiagnosticCode("U2006", "resolution.redirect-loop")
    public static let notInstalled = DiagnosticCode("U2007", "resolution.not-installed")
    /// A warning: a condition of a new window uses a variable that its target has no value for.
    public static let unfilledCondition = DiagnosticCode("U2008", "scene.unfilled-condition")

    public static let programNotFound = DiagnosticCode("U3001", "activation.program-not-found")
    public static let cannotStart = DiagnosticCode("U3002", "activation.cannot-start")
    public static let exitStatus = DiagnosticCode("U3003", "activation.exit-status")
    public static let killedBySignal = DiagnosticCode("U3004", "activation.killed-by-signal")
    public static let timeLimit = DiagnosticCode("U3005", "activation.time-limit")
    public static let dashArgument = DiagnosticCode("U3006", "activation.dash-argument")
    public static let unsafeText = DiagnosticCode("U3007", "activation.unsafe-text")
    public static let windowGone = DiagnosticCode("U3008", "activation.window-gone")
    public static let windowSystem = DiagnosticCode("U3009", "activation.window-system")
    public static let noHandler = DiagnosticCode("U3010", "activation.no-handler")
    public static let interrupted = DiagnosticCode("U3011", "activation.interrupted")
    public static let windowAmbiguous = DiagnosticCode("U3013", "activation.window-ambiguous")
    public static let notReady = DiagnosticCode("U3012", "activation.not-ready")

    /// The app's `continue` did not take the activity.
    public static let continuationNotHandled = DiagnosticCode("U3201", "continuation.not-handled")
    /// The activity is of a newer version than the app.
    public static let continuationNewer = DiagnosticCode("U3202", "continuation.newer")
    /// The app's `upgrade` gave no activity.
    public static let continuationUpgrade = DiagnosticCode("U3203", "continuation.upgrade")

    public static let storeOpen = DiagnosticCode("U4001", "store.cannot-open")
    public static let storeCorrupt = DiagnosticCode("U4002", "store.corrupt")
    public static let storeNewer = DiagnosticCode("U4003", "store.newer-version")
    public static let storeForeign = DiagnosticCode("U4004", "store.foreign-file")
    public static let storeFull = DiagnosticCode("U4005", "store.disk-full")
    public static let storeReadOnly = DiagnosticCode("U4006", "store.read-only")
    public static let storeBusy = DiagnosticCode("U4007", "store.busy")
    public static let storeFailed = DiagnosticCode("U4008", "store.failed")
    /// A session was to be made under the id of another app's or scene's session.
    public static let storeSessionTaken = DiagnosticCode("U4009", "store.session-taken")

    /// A delivery was dropped on request, before its effect began.
    public static let deliveryDropped = DiagnosticCode("U4101", "delivery.dropped")
    /// A delivery cannot be dropped after its effect has begun.
    public static let deliveryActing = DiagnosticCode("U4102", "delivery.acting")
    /// A delivery that is open or done cannot be tried again.
    public static let deliveryNotFailed = DiagnosticCode("U4103", "delivery.not-failed")
    /// A warning: a try that failed, and was followed by another.
    public static let deliveryTriedAgain = DiagnosticCode("U4104", "delivery.tried-again")

    /// The store's file was removed, moved or replaced while it was in use.
    public static let storeGone = DiagnosticCode("U4105", "store.gone")

    /// Every code that is not about input or configuration; those have lists of their own.
    public static let all: [DiagnosticCode] =
        [
            noApp, ambiguousApp, noScene, noSuchSession, contentDeleted, redirectLoop, notInstalled, unfilledCondition,
            programNotFound, cannotStart, exitStatus, killedBySignal, timeLimit, dashArgument, unsafeText, windowGone,
            windowSystem, windowAmbiguous,
            noHandler, interrupted, notReady, continuationNotHandled, continuationNewer, continuationUpgrade, storeOpen,
            storeCorrupt, storeNewer, storeForeign, storeFull,
            storeReadOnly,
            storeBusy, storeFailed, storeSessionTaken, deliveryDropped, deliveryActing, deliveryNotFailed,
            deliveryTriedAgain, storeGone,
        ] + redirects + desktop + browser + notifications
}

// MARK: - Browser

extension DiagnosticCode {
    /// The browser of the requested window has no connection to the daemon.
    public static let browserNotConnected = DiagnosticCode("U3401", "browser.not-connected")
    /// A browser was asked, and did not answer in time.
    public static let browserNoAnswer = DiagnosticCode("U3402", "browser.no-answer")
    /// A browser could not do what it was asked for.
    public static let browserRefused = DiagnosticCode("U3403", "browser.refused")
    /// An address that no tab is opened for.
    public static let browserAddress = DiagnosticCode("U3404", "browser.address")

    static let browser: [DiagnosticCode] = [browserNotConnected, browserNoAnswer, browserRefused, browserAddress]
}

// MARK: - Desktop

extension DiagnosticCode {
    /// There is no session bus, or it does not let us in.
    public static let busAbsent = DiagnosticCode("U3501", "bus.absent")
    /// The session bus went away while an answer was awaited.
    public static let busLost = DiagnosticCode("U3502", "bus.lost")
    /// The name has no owner on the session bus, and no service file says how to start one.
    public static let busNoService = DiagnosticCode("U3503", "bus.no-service")
    /// The program that a bus name stands for could not be started.
    public static let busNotStarted = DiagnosticCode("U3504", "bus.not-started")
    /// No answer came within the time limit.
    public static let busNoReply = DiagnosticCode("U3505", "bus.no-reply")
    /// The program does not know what it was asked: it is no `org.freedesktop.Application`, or has no such action.
    public static let busUnknownMethod = DiagnosticCode("U3506", "bus.unknown-method")
    /// The program, or the bus, answered with an error.
    public static let busRefused = DiagnosticCode("U3507", "bus.refused")
    /// Something that no message on the bus can carry, or that is larger than we take.
    public static let busMessage = DiagnosticCode("U3508", "bus.message")

    /// The program left the bus before it answered.
    public static let busLeft = DiagnosticCode("U3509", "bus.left")

    /// There is no desktop entry of this name, or it is hidden.
    public static let entryUnknown = DiagnosticCode("U3510", "entry.unknown")
    /// A desktop entry that does not say how to start its program.
    public static let entryBroken = DiagnosticCode("U3511", "entry.broken")
    /// The program of a desktop entry is not installed.
    public static let entryNoProgram = DiagnosticCode("U3512", "entry.no-program")
    /// A desktop entry has no action of this name.
    public static let entryNoAction = DiagnosticCode("U3513", "entry.no-action")
    /// A desktop entry wants a terminal, and none was found.
    public static let entryNoTerminal = DiagnosticCode("U3514", "entry.no-terminal")
    /// A warning: the entry's bus name could not be called, so its command line was started.
    public static let entryNotActivated = DiagnosticCode("U3515", "entry.not-activated")
    /// Usher cannot write a desktop entry, because a file with this name exists that Usher has not written.
    public static let entryForeign = DiagnosticCode("U3516", "entry.foreign")

    static let desktop: [DiagnosticCode] = [
        busAbsent, busLost, busNoService, busNotStarted, busNoReply, busUnknownMethod, busRefused, busMessage, busLeft,
        entryUnknown, entryBroken, entryNoProgram, entryNoAction, entryNoTerminal, entryNotActivated, entryForeign,
    ]
}

// MARK: - Notifications

// Notifications on the desktop: U36xx.
extension DiagnosticCode {
    /// There is no notification server, or none that answers.
    public static let notificationUnavailable = DiagnosticCode("U3601", "notification.unavailable")
    /// The server shows no notification.
    public static let notificationRefused = DiagnosticCode("U3602", "notification.refused")
    /// A warning: the server has no buttons, so that no click comes back.
    public static let notificationNoActions = DiagnosticCode("U3603", "notification.no-actions")
    /// A warning: the manifest has notifications of this level neither shown nor followed.
    public static let notificationSilenced = DiagnosticCode("U3604", "notification.silenced")

    /// A warning: the app has interrupted as often as its manifest lets it, and this push is not shown.
    public static let notificationRate = DiagnosticCode("U3605", "notification.rate")

    static let notifications = [
        notificationUnavailable, notificationRefused, notificationNoActions, notificationSilenced, notificationRate,
    ]
}

// MARK: - Redirects

extension DiagnosticCode {
    /// An identifier that cannot be moved, or moved to: empty, too long, or with a NUL.
    public static let redirectIdentifier = DiagnosticCode("U4530", "redirect.identifier")
    /// Content cannot move to where it is.
    public static let redirectOntoItself = DiagnosticCode("U4531", "redirect.onto-itself")
    /// A redirect with which identifiers would come back to where they were.
    public static let redirectWouldLoop = DiagnosticCode("U4532", "redirect.loop")
    /// A redirect with which some identifier would need more hops than are followed.
    public static let redirectTooLong = DiagnosticCode("U4533", "redirect.too-long")
    /// A redirect to or from content that was deleted.
    public static let redirectDeleted = DiagnosticCode("U4534", "redirect.deleted")
    /// An identifier that leads elsewhere already.
    public static let redirectTaken = DiagnosticCode("U4535", "redirect.taken")
    /// There is no redirect or tombstone to take back.
    public static let redirectNone = DiagnosticCode("U4536", "redirect.none")

    static let redirects: [DiagnosticCode] = [
        redirectIdentifier, redirectOntoItself, redirectWouldLoop, redirectTooLong, redirectDeleted, redirectTaken,
        redirectNone,
    ]
}

/// What is wrong, where, and what to do about it.
///
/// The sentences are made by static factories, beside the code that finds the fault.
public struct Diagnostic: Error, Sendable, Hashable, CustomStringConvertible {
    public var code: DiagnosticCode
    /// One sentence without a full stop.
    public var message: String
    /// The member that it is about, as a JSON pointer (RFC 6901) into the input.
    public var at: String?
    /// Bytes from the start of the input.
    public var offset: Int?
    /// What to do, where there is something.
    public var help: String?

    public init(
        _ code: DiagnosticCode, _ message: String, at: String? = nil, offset: Int? = nil, help: String? = nil
    ) {
        self.code = code
        self.message = message
        self.at = at
        self.offset = offset
        self.help = help
    }

    public var description: String { "\(code): \(message)" }
}
