/// The keys of `usher.toml`.
enum SettingsSchema {
    static let root = TableSchema(
        title: "usher.toml",
        keys: [
            KeySchema("limits", .table, "[limits]"),
            KeySchema("log", .table, "[log]"),
        ])

    static let limits = TableSchema(
        title: "the [limits] table",
        keys: [
            KeySchema("disconnected-sessions", .integer, "disconnected-sessions = 100"),
            KeySchema("disconnected-days", .integer, "disconnected-days = 30"),
        ])

    static let log = TableSchema(
        title: "the [log] table",
        keys: [
            KeySchema("level", .string, #"level = "info""#),
            KeySchema("format", .string, #"format = "text""#),
        ])

    static let all = [root, limits, log]
}
