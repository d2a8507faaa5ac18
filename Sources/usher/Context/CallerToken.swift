internal import Glibc
internal import UsherOperation
internal import UsherSystem

/// The activation token that the desktop gave the caller of `usher`: with it, a window may take the focus.
///
/// It is read once and taken out of the environment: programs that are started later are not to have it.
enum CallerToken {
    /// xdg-activation, and Startup Notification 0.1.
    private static let wayland = "XDG_ACTIVATION_TOKEN"
    private static let x11 = "DESKTOP_STARTUP_ID"

    /// That of the session at hand goes before the other; what no program could be given is none.
    static func take() -> String? {
        let isWayland = !(ProcessVariables["WAYLAND_DISPLAY"] ?? "").isEmpty
        let (first, second) = (take(wayland), take(x11))
        return isWayland ? first ?? second : second ?? first
    }

    private static func take(_ name: String) -> String? {
        let value = ProcessVariables[name]
        unsafe unsetenv(name)
        return value.flatMap { DispatchPayload.isToken($0) ? $0 : nil }
    }
}
