internal import Glibc
internal import UsherOperation

/// The activation token that the desktop gave the caller of `usher`: with it, a window may take the focus.
///
/// It is read once and taken out of the environment: programs that are started later are not to have it.
enum CallerToken {
    /// xdg-activation, and Startup Notification 0.1.
    private static let wayland = "XDG_ACTIVATION_TOKEN"
    private static let x11 = "DESKTOP_STARTUP_ID"

    /// That of the session at hand goes before the other; what no program could be given is none.
    static func take(from environment: inout [String: String]) -> String? {
        let isWayland = !(environment["WAYLAND_DISPLAY"] ?? "").isEmpty
        let found = [wayland, x11].map { name in
            unsafe unsetenv(name)
            return environment.removeValue(forKey: name).flatMap { DispatchPayload.isToken($0) ? $0 : nil }
        }
        return isWayland ? found[0] ?? found[1] : found[1] ?? found[0]
    }
}
