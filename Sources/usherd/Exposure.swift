internal import UsherConfiguration

/// Whether other machines may reach what is listened on.
enum Exposure {
    /// Why these doors must not be open: one that other machines reach needs TLS and tokens. nil where nothing is against it.
    static func obstacle(to addresses: [ListenAddress], hasTLS: Bool, hasTokens: Bool) -> String? {
        guard !hasTLS || !hasTokens, let open = addresses.first(where: { !$0.isLoopback }) else { return nil }
        return "\(open) can be reached from other machines, and needs TLS and tokens"
    }

    static let help = "set certificate, key and token-file in [server], or listen on 127.0.0.1"
}
