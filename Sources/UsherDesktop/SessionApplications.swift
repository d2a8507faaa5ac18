public import UsherBus

/// The applications of the user's desktop session: by desktop entry, and by name on the session bus.
public final class SessionApplications: Sendable {
    private let bus: SessionBus?

    public init(environment: [String: String], bus: SessionBus?) {
        self.bus = bus
    }
}
