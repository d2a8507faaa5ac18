internal import UsherScene

/// What the handles of sessions that are connected together are good for. Each window system is asked once.
public struct HandleServers {
    private let isOne: Bool
    /// By how the handles of a server begin.
    private var found: [String: String] = [:]

    /// - Parameter count: of sessions. Of one, its window's client is noted as well: that takes a question for each window.
    public init(count: Int) { isOne = count == 1 }

    /// - Parameter ask: gives what a handle is good for now, as `WindowSystem.server` does.
    public mutating func server<Failure>(
        of handle: String, ask: (String) throws(Failure) -> String?
    ) throws(Failure) -> String? {
        if isOne { return try ask(handle) }
        // `x11:0x1400007`, `tmux:@3`, `@3`; of browsers each has a server of its own: `browser:firefox/3`
        let browser = handle.firstIndex(of: "/").map { handle[..<$0] }
        let system = String(browser ?? handle.prefix { $0 != ":" && $0 != "@" && $0 != "%" })
        if let known = found[system] { return known }
        guard let server = try ask(handle).map(WindowServer.life) else { return nil }
        found[system] = server
        return server
    }
}
