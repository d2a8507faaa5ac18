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

    public enum LogLevel: String, Sendable, CaseIterable { case debug, info, notice, warning, error }
    public enum LogFormat: String, Sendable, CaseIterable { case text, json, journal }

    public init() {}
}

extension Settings {
    init(reading members: [TOMLMember], with reader: inout TableReader) {
        let start = SourcePosition(line: 1, column: 1)
        let root = reader.check(members, SettingsSchema.root, region: SourceRegion(begin: start, end: start))
        if let member = root.members["limits"], let members = reader.members("limits", of: root) {
            let limits = reader.check(members, SettingsSchema.limits, region: member.keyRegion)
            if let count = reader.integer("disconnected-sessions", of: limits, in: 0...100_000) {
                disconnectedSessions = count.value
            }
            if let days = reader.integer("disconnected-days", of: limits, in: 0...36_500) {
                disconnectedDays = days.value
            }
        }
        if let member = root.members["log"], let members = reader.members("log", of: root) {
            let log = reader.check(members, SettingsSchema.log, region: member.keyRegion)
            logLevel = reader.choice("level", of: log, as: LogLevel.self)
            logFormat = reader.choice("format", of: log, as: LogFormat.self)
        }
    }
}
