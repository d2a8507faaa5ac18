internal import UsherScene

/// What the handles of sessions that are connected together are good for. Each window system is asked once.
public struct HandleServers {
    private let isOne: Bool
    /// By how the handles of a window system begin.
    private var found: [String: String?] = [:]

    /// - Parameter count: of sessions. Of one, its window's client is noted as well: that takes a question for each window.
    public init(count: Int) { isOne = count == 1 }

    /// - Parameter ask: gives what a handle is good for now, as `WindowSystem.server` does.
    public mutating func server<Failure>(
        of handle: String, ask: (String) throws(Failure) -> String?
    ) throws(Failure) -> String? {
        if isOne { return try ask(handle) }
        // `x11:0x1400007`, `tmux:@3`, `@3`
        let system = String(handle.prefix { $0 != ":" && $0 != "@" && $0 != "%" })
        if let known = found[system] { return known }
        let server = try ask(handle).map(WindowServer.life)
        found[system] = .some(server)
        return server
    }
}
