internal import UsherScene

/// The windows that open sessions have, by handle.
public struct HeldWindows: Sendable {
    private struct Holder {
        var server: String?
        var session: String
    }

    private var holders: [String: [Holder]] = [:]

    public init() {}

    /// - Parameter session: the session that has it, for people.
    public mutating func insert(handle: String, server: String?, session: String) {
        holders[handle, default: []].append(Holder(server: server, session: session))
    }

    /// The session that has a window; nil where none has it.
    func holder(of window: WindowList.Window) -> String? {
        holders[window.handle]?.first { window.isOf(server: $0.server) }?.session
    }
}
