public import UsherActivation
public import UsherScene

/// What features are told of the windows of sessions. Nothing of it may wait.
public struct WindowOpenings: Sendable {
    /// What a window system says of the window of a session.
    public var showsWindow: @Sendable (SceneSession, WindowList.Window) -> Void = { _, _ in }
    /// The session as it is when its window was read, and how that is seen.
    public var showsContent: @Sendable (SceneSession, ActivationState?) -> Void = { _, _ in }
    /// The session as it is when its window was read, and whether that is in front: the pane, where it has one.
    public var standsInFront: @Sendable (SceneSession, Bool) -> Void = { _, _ in }
    /// Another window has the keyboard, the one that has it another title (perhaps of another tab), or tmux shows something else.
    public var frontChanged: @Sendable () -> Void = {}
    /// The session has no window any more.
    public var ended: @Sendable (_ session: String) -> Void = { _ in }
    /// The window of the session has got the keyboard focus.
    public var tookFocus: @Sendable (_ session: String, _ app: String) -> Void = { _, _ in }

    /// Sessions of processes: when the user comes to the place of one of these, `tookFocus` is called.
    public var awaitingVisit: @Sendable () -> Set<String> = { [] }

    /// Of no feature.
    public init() {}
}
