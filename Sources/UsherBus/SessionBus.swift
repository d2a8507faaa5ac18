/// The user's session bus.
public final class SessionBus: Sendable {
    /// `environment` says where it is (`DBUS_SESSION_BUS_ADDRESS`, `XDG_RUNTIME_DIR`). Nothing is asked before it is needed.
    public init(environment: [String: String]) {}
}
