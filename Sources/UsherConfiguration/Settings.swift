/// What `usher.toml` sets for all apps.
public struct Settings: Sendable, Hashable {
    /// `[limits] disconnected-sessions`: how many disconnected sessions an app keeps; older ones are pruned.
    public var disconnectedSessions = 100
    /// `[limits] disconnected-days`: how long a disconnected session is kept.
    public var disconnectedDays = 30
    /// `[log] level`; nil leaves it to the command line's own default.
    public var logLevel: LogLevel?
    /// `[log] format`; nil chooses by where the log goes.
    public var logFormat: LogFormat?
    /// `[server]`: the doors of the daemon.
    public var server = ServerSettings()
    /// `[deliveries]`: the journal's limits.
    public var deliveries = DeliverySettings()
    /// `[browser] devtools`: where browsers of kiosks let themselves be driven; on this machine, no two the same.
    public var devTools: [ListenAddress] = []
    /// `[hooks.NAME]`, in the order of the files and of their text; no two have the same name.
    public var hooks: [HookDefinition] = []

    public enum LogLevel: String, Sendable, CaseIterable { case debug, info, notice, warning, error }
    public enum LogFormat: String, Sendable, CaseIterable { case text, json, journal }

    public init() {}

    /// The hook that `POST /hooks/NAME` is for.
    public func hook(named name: String) -> HookDefinition? {
        hooks.first { $0.name.utf8.elementsEqual(name.utf8) }
    }
}
