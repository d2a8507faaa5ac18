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
