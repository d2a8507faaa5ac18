internal import UsherScene

/// The keys of `usher.toml` and of the files in `hooks`.
enum SettingsSchema {
    private static let hooksKey = KeySchema("hooks", .anyTable, "[hooks.reviews]")

    static let root = TableSchema(
        title: "usher.toml",
        keys: [
            KeySchema("limits", .table, "[limits]"),
            KeySchema("log", .table, "[log]"),
            KeySchema("server", .table, "[server]"),
            KeySchema("deliveries", .table, "[deliveries]"),
            KeySchema("browser", .table, "[browser]"),
            QuietSchema.key,
            KeySchema("addresses", .anyTable, #"[addresses."site.example"]"#),
            KeySchema("suggestions", .table, "[suggestions]"),
            hooksKey,
        ])

    static let hookFile = TableSchema(title: "a file of hooks", keys: [hooksKey])

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

    static let server = TableSchema(
        title: "the [server] table",
        keys: [
            KeySchema("listen", .strings, #"listen = ["127.0.0.1:8484"]"#),
            KeySchema("socket", .string, #"socket = "/run/user/1000/usher/usherd.sock""#),
            KeySchema("token-file", .string, #"token-file = "token""#),
            KeySchema("token-credential", .string, #"token-credential = "usher-token""#),
            KeySchema("certificate", .string, #"certificate = "cert.pem""#),
            KeySchema("key", .string, #"key = "key.pem""#),
            KeySchema("allowed-hosts", .strings, #"allowed-hosts = ["usher.internal"]"#),
            KeySchema("allowed-origins", .strings, #"allowed-origins = ["https://status.example"]"#),
            KeySchema("trusted-proxies", .strings, #"trusted-proxies = ["127.0.0.1", "10.0.0.0/8", "unix"]"#),
            KeySchema("public-url", .string, #"public-url = "https://hooks.example""#),
            KeySchema("body-limit", .integer, "body-limit = 1048576"),
            KeySchema("unproven-megabytes", .integer, "unproven-megabytes = 8"),
            KeySchema("drain-seconds", .integer, "drain-seconds = 10"),
            KeySchema("rate", .table, "[server.rate]"),
        ])

    static let rate = TableSchema(
        title: "the [server.rate] table",
        keys: [
            KeySchema("per-second", .number, "per-second = 200.0"),
            KeySchema("burst", .integer, "burst = 400"),
        ])

    static let deliveries = TableSchema(
        title: "the [deliveries] table",
        keys: [
            KeySchema("duplicate-hours", .integer, "duplicate-hours = 24"),
            KeySchema("keep-days", .integer, "keep-days = 30"),
            KeySchema("keep-count", .integer, "keep-count = 100000"),
            KeySchema("keep-megabytes", .integer, "keep-megabytes = 512"),
            KeySchema("queue", .integer, "queue = 10000"),
            KeySchema("queue-megabytes", .integer, "queue-megabytes = 64"),
        ])

    static let browser = TableSchema(
        title: "the [browser] table",
        keys: [
            KeySchema("devtools", .strings, #"devtools = ["127.0.0.1:9222"]"#),
            KeySchema("open", .table, #"open = { exec = ["firefox", "{url}"] }"#),
            KeySchema("pages", .stringOrStrings, #"pages = "all""#),
            KeySchema("deny", .strings, #"deny = ["https://bank.example/*"]"#),
        ])

    static let address = TableSchema(
        title: "an [addresses.\"HOST\"] table",
        keys: [
            KeySchema("keep", .strings, #"keep = ["utm_id"]"#),
            KeySchema("drop", .strings, #"drop = ["ref", "s_*"]"#),
            KeySchema("fragment", .string, #"fragment = "keep""#),
            KeySchema("scheme", .string, #"scheme = "keep""#),
        ])

    static let suggestions = TableSchema(
        title: "the [suggestions] table",
        keys: [
            KeySchema("enabled", .boolean, "enabled = true"),
            KeySchema("kinds", .strings, #"kinds = ["place", "contact"]"#),
            KeySchema("pages", .boolean, "pages = true"),
            KeySchema("contacts", .boolean, "contacts = true"),
            KeySchema("exclude-apps", .strings, #"exclude-apps = ["example.clowntown"]"#),
            KeySchema("exclude-hosts", .strings, #"exclude-hosts = ["bank.example"]"#),
            KeySchema("keep-days", .integer, "keep-days = 30"),
            KeySchema("phrases", .table, "[suggestions.phrases]"),
        ])

    static let phrases = TableSchema(
        title: "the [suggestions.phrases] table",
        keys: TextContentType.allCases.map {
            KeySchema($0.rawValue, .strings, "\($0.rawValue) = [\"meet at\"]")
        })

    /// Where a key that is in the wrong table is looked for. The short keys of an address mean other things elsewhere.
    static let all = [root, limits, log, server, rate, deliveries, browser, suggestions, QuietSchema.table] + ofHooks
}
