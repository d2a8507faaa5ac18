package import UsherScene
package import UsherSystem
internal import UsherText

/// A top-level window, as its compositor reports it.
package struct Toplevel: Sendable, Hashable {
    /// Names the window for one life of the compositor; in a handle it follows the name of the window system and a colon.
    package var id: String
    package var title: String
    /// `app_id` of a Wayland window; nil for an X11 window or where it is not reported.
    package var appID: String?
    /// `WM_CLASS` of an X11 window: class and instance.
    package var windowClass: String?
    package var instance: String?
    /// The process of the client; nil where the protocol has none.
    package var process: Int32?
    /// The startup notification or activation token that the window was opened with.
    package var startupID: String?
    /// The id of the window that it is a dialog of; nil where there is none, or it is not reported.
    package var parent: String?
    /// The name of its workspace; empty where it is not reported.
    package var workspace = ""
    /// It is on the workspace that the user sees; nil where the protocol has no workspaces.
    package var isOnCurrentWorkspace: Bool?
    /// It has the keyboard.
    package var isFocused = false
    package var isMinimized = false
    /// nil where it is not reported.
    package var isFullscreen: Bool?
    /// No other window of its workspace is above it. Protocols that do not report the order report false.
    package var isOnTop = false
    /// It is marked as wanting attention.
    package var isUrgent = false

    package init(id: String, title: String) {
        self.id = id
        self.title = title
    }

    package var activation: ActivationState {
        // A window that was moved to another workspace may have kept the keyboard there.
        if isMinimized || isOnCurrentWorkspace == false { return .background }
        return isFocused ? .foregroundActive : .foregroundInactive
    }
}

/// The windows of a compositor at one moment.
package struct ToplevelSnapshot: Sendable, Hashable {
    /// Names the life of the compositor: handles of another life are of other windows.
    package var server: String
    /// Names the life of the compositor, where `server` names a connection with it, for which alone ids are valid.
    package var life: String?
    package var windows: [Toplevel]
    /// Grows with each change of the windows of one source.
    package var serial: UInt64

    package func window(_ id: String) -> Toplevel? { windows.first { $0.id.hasSameBytes(as: id) } }

    /// Whether a window is another one, or a dialog of it.
    package func belongs(_ window: Toplevel, to id: String) -> Bool {
        var next: Toplevel? = window
        // As many steps as there are windows: a circle of parents ends, too.
        for _ in windows {
            guard let current = next else { return false }
            if current.id == id { return true }
            next = current.parent.flatMap(self.window)
        }
        return false
    }

    /// The windows as a user counts them: dialogs are part of the window that they belong to, which is in front while they are.
    var scenes: [Toplevel] {
        guard windows.contains(where: { $0.parent != nil }) else { return windows }
        let places = Dictionary(
            windows.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        var (scenes, isDialog) = (windows, [Bool](repeating: false, count: windows.count))
        for place in windows.indices {
            var current = place
            // In a circle of parents each stands for itself.
            for _ in 0..<8 {
                guard let parent = windows[current].parent, let next = places[parent] else { break }
                current = next
                if next == place { break }
            }
            guard current != place else { continue }
            isDialog[place] = true
            if windows[place].isFocused { scenes[current].isFocused = true }
        }
        return zip(scenes, isDialog).filter { !$1 }.map(\.0)
    }

    package var focused: Toplevel? { windows.first { $0.isFocused } }
}

/// What a compositor is asked to do with a window.
package enum ToplevelAction: Sendable, Hashable {
    /// In front, with the keyboard; unminimised, and its workspace is shown.
    case activate
    /// In front of other windows; the keyboard stays where it is.
    case raise
    /// Marked as wanting attention.
    case markUrgent
    /// Moved to the workspace that the user sees.
    case moveHere
    /// Asked to close.
    case close
}

/// A compositor that lists its top-level windows and takes requests for one of them: KWin, GNOME Shell, the wlroots family.
/// `ToplevelWindowSystem` makes a window system of it.
///
/// Calls come from several threads and block no longer than a few seconds.
package protocol ToplevelSource: Sendable {
    var desktop: DesktopName { get }
    /// The environment names such a compositor. Says nothing about whether it answers.
    var isAvailable: Bool { get }
    /// What works here, for `usher doctor`.
    var support: WindowSupport { get }
    /// Whether this text has the form of a window's id.
    func isID(_ text: String) -> Bool
    /// What can be requested. A request outside this set is never made.
    var actions: Set<ToplevelAction> { get }
    /// The compositor reports which window has the keyboard.
    var knowsFocus: Bool { get }
    /// The windows, no older than the call; nil where no such compositor runs.
    func snapshot() throws(ActivationFailure) -> ToplevelSnapshot?
    /// Requests an action. Returns when the compositor has received it, not when it has had an effect.
    ///
    /// - Parameter token: an activation token of the request's origin, for compositors that demand one.
    func request(
        _ action: ToplevelAction, of id: String, server: String, token: String?
    ) throws(ActivationFailure)
    /// How much of a window is seen now; nil where the compositor does not tell.
    func exposure(of id: String) throws(ActivationFailure) -> WindowExposure?
    /// Waits until the windows differ from those of a serial, the deadline has passed, or a descriptor is readable. The
    /// windows then, by events; nil where no such compositor runs.
    ///
    /// - Parameters:
    ///   - serial: nil to wait until a compositor runs, or, where one runs, to return at once.
    ///   - deadline: nil to wait without limit.
    func wait(
        after serial: UInt64?, until deadline: Deadline?, or descriptor: Int32?
    ) throws(ActivationFailure) -> ToplevelSnapshot?
    /// A token that lets the window of a program come forward which is started now; nil where the compositor gives none.
    func startupToken() -> String?
    /// The program that was given this token has its window, or will have none.
    func endStartup(_ token: String)
    /// Ends what the source has begun in the compositor.
    func stop()
}

extension ToplevelSource {
    /// The name of the window system, which begins its handles.
    package var name: String { desktop.rawValue }

    package var knowsFocus: Bool { true }

    package func exposure(of id: String) throws(ActivationFailure) -> WindowExposure? { nil }

    package func startupToken() -> String? { nil }

    package func endStartup(_ token: String) {}

    package func stop() {}
}
