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
            KeySchema("body-limit", .integer, "body-limit = 1048576"),
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
            KeySchema("devtools", .strings, #"devtools = ["127.0.0.1:9222"]"#)
        ])

    static let hook = TableSchema(
        title: "a [hooks.NAME] table",
        keys: [
            KeySchema("app", .string, #"app = "example.reviews""#),
            KeySchema(
                "signature", .table, #"signature = { scheme = "github", secret-file = "github.secret" }"#,
                required: true),
            KeySchema("when", .tables, #"when = [{ header = "X-GitHub-Event", equals = "pull_request" }]"#),
            KeySchema("each", .string, #"each = "/alerts""#),
            KeySchema("values", .anyTable, #"values = { repo = "/repository/full_name" }"#),
            KeySchema("id", .table, #"id = { header = "X-GitHub-Delivery" }"#),
            KeySchema("target", .string, #"target = "https://github.example/{+repo}/pull/{number}""#),
            KeySchema("title", .string, #"title = "{title}""#),
            KeySchema("subtitle", .string, #"subtitle = "{repo}""#),
            KeySchema("body", .string, #"body = "{summary}""#),
            KeySchema("level", .string, #"level = "time-sensitive""#),
            KeySchema("thread", .string, #"thread = "{repo}""#),
            KeySchema("collapse", .string, #"collapse = "{repo}-{number}""#),
        ])

    static let signature = TableSchema(
        title: "a `signature` table",
        keys: [
            KeySchema("scheme", .string, #"scheme = "github""#, required: true),
            KeySchema("secret-file", .string, #"secret-file = "github.secret""#),
            KeySchema("secret-credential", .string, #"secret-credential = "github""#),
            KeySchema("tolerance", .integer, "tolerance = 300"),
            KeySchema("header", .string, #"header = "X-Signature""#),
            KeySchema("algorithm", .string, #"algorithm = "sha256""#),
            KeySchema("encoding", .string, #"encoding = "hex""#),
            KeySchema("prefix", .string, #"prefix = "sha256=""#),
            KeySchema("timestamp-header", .string, #"timestamp-header = "X-Request-Timestamp""#),
            KeySchema("content", .string, #"content = "{timestamp}.{body}""#),
        ])

    private static let header = KeySchema("header", .string, #"header = "X-GitHub-Event""#)
    private static let pointer = KeySchema("pointer", .string, #"pointer = "/action""#)
    private static let query = KeySchema("query", .string, #"query = "room""#)

    static let condition = TableSchema(
        title: "a condition",
        keys: [
            header, pointer, query,
            KeySchema("equals", .constant, #"equals = "opened""#),
            KeySchema("in", .constants, #"in = ["opened", "reopened"]"#),
            KeySchema("exists", .boolean, "exists = true"),
            KeySchema("prefix", .string, #"prefix = "v1.""#),
        ])

    static let value = TableSchema(
        title: "a value",
        keys: [
            header, pointer, query,
            KeySchema("body-pointer", .string, #"body-pointer = "/receiver""#),
            KeySchema("default", .string, #"default = """#),
        ])

    static let identity = TableSchema(
        title: "an `id` table",
        keys: [
            header, pointer, query,
            KeySchema("template", .string, #"template = "{repo}-{number}""#),
        ])

    static let all = [
        root, limits, log, server, rate, deliveries, browser, hook, signature, condition, value, identity,
    ]
}
