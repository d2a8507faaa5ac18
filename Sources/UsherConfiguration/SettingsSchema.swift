internal import UsherScene

/// The keys of `usher.toml` and of the files in `hooks`.
enum SettingsSchema {
    private static let hooksKey = KeySchema("hooks", .anyTable, "[hooks.reviews]")

    static let root = SettingTable(
        "",
        .table(limits),
        .table(log),
        .table(server) {
            $0.refuseInlineSecrets(in: $1, named: ["token", "tokens", "secret", "password"], file: "token-file")
        },
        .table(deliveries),
        .table(browser),
        Setting(QuietSchema.key, \.quiet) { $0.reader.quietRule(of: $1) },
        Setting(KeySchema("addresses", .anyTable, #"[addresses."site.example"]"#)) { $0.readAddresses(of: $1) },
        .table(suggestions),
        Setting(hooksKey) { $0.readHooks(of: $1) })

    static let hookFile = TableSchema(title: "a file of hooks", keys: [hooksKey])

    private static let limits = SettingTable(
        "limits",
        .integer("disconnected-sessions", \.disconnectedSessions, 0...100_000),
        .integer("disconnected-days", \.disconnectedDays, 0...36_500))

    private static let log = SettingTable(
        "log",
        .choice("level", \.logLevel, #""info""#),
        .choice("format", \.logFormat, #""text""#))

    static let server = SettingTable(
        "server",
        .value("listen", .strings, \.server.listen, #"["127.0.0.1:8484"]"#) { $0.listenAddresses(of: $1) }
            .needingRestart,
        .value("socket", .string, \.server.socket, #""/run/user/1000/usher/usherd.sock""#) { $0.path("socket", of: $1) }
            .needingRestart,
        .value("token-file", .string, \.server.tokens, #""token""#) {
            $0.secret(of: $1, file: "token-file", credential: "token-credential")
        },
        Setting(KeySchema("token-credential", .string, #"token-credential = "usher-token""#)),
        .value("certificate", .string, \.server.certificate, #""cert.pem""#) { $0.path("certificate", of: $1) }
            .needingRestart,
        .value("key", .string, \.server.key, #""key.pem""#) { $0.path("key", of: $1) }.needingRestart,
        .list("allowed-hosts", \.server.allowedHosts, #"["usher.internal"]"#) { $0.allowedHost($1) },
        .list("allowed-origins", \.server.allowedOrigins, #"["https://status.example"]"#) { $0.allowedOrigin($1) },
        .value("trusted-proxies", .strings, \.server.trustedProxies, #"["127.0.0.1", "10.0.0.0/8", "unix"]"#) {
            $0.trustedProxies(of: $1)
        },
        .value("public-url", .string, \.server.publicURL, #""https://hooks.example""#) { $0.publicURL(of: $1) },
        .integer("body-limit", \.server.bodyLimit, 1024...67_108_864),
        .integer("unproven-megabytes", \.server.unprovenMegabytes, 1...1024).needingRestart,
        .integer("drain-seconds", \.server.drainSeconds, 0...3600),
        .table(rate))

    private static let rate = SettingTable(
        "server.rate",
        .value("per-second", .number, \.server.rate.perSecond, "200.0") {
            $0.reader.number("per-second", of: $1, in: 0...1_000_000)?.value
        },
        .integer("burst", \.server.rate.burst, 1...1_000_000))

    private static let deliveries = SettingTable(
        "deliveries",
        .integer("duplicate-hours", \.deliveries.duplicateHours, 0...8760).needingRestart,
        .integer("keep-days", \.deliveries.keepDays, 0...36_500),
        .integer("keep-count", \.deliveries.keepCount, 0...100_000_000),
        .integer("keep-megabytes", \.deliveries.keepMegabytes, 1...1_048_576),
        .integer("queue", \.deliveries.queue, 1...10_000_000).needingRestart,
        .integer("queue-megabytes", \.deliveries.queueMegabytes, 1...1_048_576).needingRestart)

    private static let browser = SettingTable(
        "browser",
        .value("devtools", .strings, \.devTools, #"["127.0.0.1:9222"]"#) { $0.devToolsAddresses(of: $1) }
            .needingRestart,
        .value("open", .table, \.pageOpener, #"{ exec = ["firefox", "{url}"] }"#) { $0.pageOpener(of: $1) },
        .value("pages", .stringOrStrings, \.pages.pages, #""all""#) { $0.pages(of: $1) },
        .list("deny", \.pages.deny, #"["https://bank.example/*"]"#) { $0.pattern($1, key: "deny") })

    static let address = TableSchema(
        title: "an [addresses.\"HOST\"] table",
        keys: [
            KeySchema("keep", .strings, #"keep = ["utm_id"]"#),
            KeySchema("drop", .strings, #"drop = ["ref", "s_*"]"#),
            KeySchema("fragment", .string, #"fragment = "keep""#),
            KeySchema("scheme", .string, #"scheme = "keep""#),
        ])

    private static let suggestions = SettingTable(
        "suggestions",
        .boolean("enabled", \.suggestions.isEnabled),
        .value("kinds", .strings, \.suggestions.kinds, #"["place", "contact"]"#) { $0.suggestionKinds(of: $1) },
        .boolean("pages", \.suggestions.includesPages),
        .boolean("contacts", \.suggestions.includesContacts),
        .list("exclude-apps", \.suggestions.excludedApps, #"["example.clowntown"]"#) { $0.excludedApp($1) },
        .list("exclude-hosts", \.suggestions.excludedHosts, #"["bank.example"]"#) { $0.excludedHost($1) },
        .integer("keep-days", \.suggestions.keepDays, 0...36_500),
        Setting(KeySchema("phrases", .table, "[suggestions.phrases]"), \.suggestions.phrases) { $0.phrases(of: $1) })

    static let phrases = TableSchema(
        title: "the [suggestions.phrases] table",
        keys: TextContentType.allCases.map {
            KeySchema($0.rawValue, .strings, "\($0.rawValue) = [\"meet at\"]")
        })

    /// Where a key that is in the wrong table is looked for. The short keys of an address mean other things elsewhere.
    static let all = root.tables.map(\.schema) + [QuietSchema.table] + ofHooks
}
