/// Whether the user of a desktop should not be disturbed. A state that no service of the desktop reports counts as false.
/// Calls block, for at most a second.
public protocol UserPresence: Sendable {
    /// The notification server shows nothing for now.
    func isDoNotDisturb() -> Bool
    /// The session is locked.
    func isLocked() -> Bool
    /// How long ago the user used a key or the pointer; nil where nothing on the desktop tells.
    func timeSinceInput() -> Duration?
}

extension UserPresence {
    public func timeSinceInput() -> Duration? { nil }
}

extension Activator {
    /// The lockers that run for exactly as long as the screen is locked.
    private static let lockers: Set<String> = [
        "swaylock", "i3lock", "hyprlock", "gtklock", "waylock", "slock", "xsecurelock",
    ]

    /// Whether a screen locker of this user runs on the same display.
    ///
    /// - Parameter display: `WAYLAND_DISPLAY=wayland-1`, `DISPLAY=:0`.
    public static func hasLocker(on display: EnvironmentVariable) -> Bool {
        ProcessTable.processes(whereName: lockers.contains).contains { ProcessTable.process($0, holds: display) }
    }
}
