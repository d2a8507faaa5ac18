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
        Setting(QuietSchema.key) { $0.settings.quiet = $0.reader.quietRule(of: $1) },
        .table(notifications),
        Setting(KeySchema("addresses", .anyTable, #"[addresses."site.example"]"#)) { $0.readAddresses(of: $1) },
        .table(suggestions),
        .table(terminal),
        .table(agents),
        Setting(hooksKey) { $0.readHooks(of: $1) })

    static let hookFile = TableSchema(title: "a file of hooks", keys: [hooksKey])

    private static let limits = SettingTable(
        "limits",
        .integer("disconnected-sessions", 0...100_000) { $1(&$0.disconnectedSessions) },
        .integer("disconnected-days", 0...36_500) { $1(&$0.disconnectedDays) })

    private static let log = SettingTable(
        "log",
        .choice("level", #""info""#) { $1(&$0.logLevel) },
        .choice("format", #""text""#) { $1(&$0.logFormat) },
        .choice("decisions", #""failures""#) { $1(&$0.loggedDecisions) })

    static let server = SettingTable(
        "server",
        .value("listen", .strings, #"["127.0.0.1:8484"]"#) { $0.readListen(of: $1) }
            .needingRestart { $0.server.listen },
        .value("socket", .string, #""/run/user/1000/usher/usherd.sock""#) {
            $0.settings.server.socket = $0.path("socket", of: $1)
        }.needingRestart { $0.server.socket },
        .value("token-file", .string, #""token""#) {
            $0.settings.server.tokens = $0.secret(of: $1, file: "token-file", credential: "token-credential")
        },
        Setting(KeySchema("token-credential", .string, #"token-credential = "usher-token""#)),
        .value("certificate", .string, #""cert.pem""#) {
            $0.settings.server.certificate = $0.path("certificate", of: $1)
        }.needingRestart { $0.server.certificate },
        .value("key", .string, #""key.pem""#) { $0.settings.server.key = $0.path("key", of: $1) }
            .needingRestart { $0.server.key },
        .value("allowed-hosts", .strings, #"["usher.internal"]"#) { $0.readAllowedHosts(of: $1) },
        .value("allowed-origins", .strings, #"["https://status.example"]"#) { $0.readAllowedOrigins(of: $1) },
        .value("trusted-proxies", .strings, #"["127.0.0.1", "10.0.0.0/8", "unix"]"#) { $0.readProxies(of: $1) },
        .value("public-url", .string, #""https://hooks.example""#) { $0.readPublicURL(of: $1) },
        .integer("body-limit", 1024...67_108_864) { $1(&$0.server.bodyLimit) },
        .integer("unproven-megabytes", 1...1024) { $1(&$0.server.unprovenMegabytes) }
            .needingRestart { $0.server.unprovenMegabytes },
        .integer("drain-seconds", 0...3600) { $1(&$0.server.drainSeconds) },
        .table(rate))

    private static let rate = SettingTable(
        "server.rate",
        .number("per-second", 0...1_000_000, "200.0") { $1(&$0.server.rate.perSecond) },
        .integer("burst", 1...1_000_000) { $1(&$0.server.rate.burst) },
        .integer("new-windows", 0...1000) { $1(&$0.server.rate.newWindows) })

    private static let deliveries = SettingTable(
        "deliveries",
        .integer("duplicate-hours", 0...8760) { $1(&$0.deliveries.duplicateHours) }
            .needingRestart { $0.deliveries.duplicateHours },
        .integer("keep-days", 0...36_500) { $1(&$0.deliveries.keepDays) },
        .integer("keep-count", 0...100_000_000) { $1(&$0.deliveries.keepCount) },
        .integer("keep-megabytes", 1...1_048_576) { $1(&$0.deliveries.keepMegabytes) },
        .integer("queue", 1...10_000_000) { $1(&$0.deliveries.queue) }.needingRestart { $0.deliveries.queue },
        .integer("queue-megabytes", 1...1_048_576) { $1(&$0.deliveries.queueMegabytes) }
            .needingRestart { $0.deliveries.queueMegabytes })

    private static let notifications = SettingTable(
        "notifications",
        .choice("when-seen", #""show""#) { $1(&$0.notices.whenSeen) },
        .choice("withdraw", #""never""#) { $1(&$0.notices.withdraw) },
        .choice("replace", #""target""#) { $1(&$0.notices.replace) })

    private static let browser = SettingTable(
        "browser",
        .value("open", .table, #"{ exec = ["firefox", "{url}"] }"#) { $0.readPageOpener(of: $1) },
        .value("pages", .stringOrStrings, #""all""#) { $0.readPages(of: $1) },
        .value("deny", .strings, #"["https://bank.example/*"]"#) { $0.readDeny(of: $1) })

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
        .boolean("enabled") { $1(&$0.suggestions.isEnabled) },
        .value("kinds", .strings, #"["place", "contact"]"#) { $0.readSuggestionKinds(of: $1) },
        .boolean("pages") { $1(&$0.suggestions.includesPages) },
        .boolean("contacts") { $1(&$0.suggestions.includesContacts) },
        .value("exclude-apps", .strings, #"["example.clowntown"]"#) { $0.readExcludedApps(of: $1) },
        .value("exclude-hosts", .strings, #"["bank.example"]"#) { $0.readExcludedHosts(of: $1) },
        .integer("keep-days", 0...36_500) { $1(&$0.suggestions.keepDays) },
        Setting(KeySchema("phrases", .table, "[suggestions.phrases]")) { $0.readPhrases(of: $1) })

    private static let terminal = SettingTable(
        "terminal",
        .value("detached", .string, #""switch""#) { $0.readDetached(of: $1) },
        .value("program", .strings, #"["foot"]"#) { $0.settings.terminal.program = $0.commandWords("program", of: $1) },
        .boolean("probe") { $1(&$0.terminal.usesTitles) },
        .value("tabs", .strings, #"["api", "accessibility"]"#) { $0.readTabs(of: $1) })

    private static let agents = SettingTable(
        "agents",
        agentSettings
            + AgentName.allCases.map { agent in
                Setting(KeySchema(agent.rawValue, .table, "[agents.\(agent.rawValue)]")) { reader, table in
                    guard let own = reader.reader.table(agent.rawValue, of: table, SettingsSchema.agent) else { return }
                    if let time = reader.answerTime(of: own) { reader.settings.agents.answers[agent] = time }
                }
            })

    private static let agentSettings: [Setting] = [
        .value("notify", .strings, #"["waiting"]"#) { $0.readNotify(of: $1) },
        .value("done-after", .duration, #""10s""#) {
            if let time = $0.reader.duration("done-after", of: $1) { $0.settings.agents.doneAfter = time }
        },
        .value("show", .string, #""name""#) {
            if let shown = $0.reader.choice("show", of: $1, as: AgentSettings.Shown.self) {
                $0.settings.agents.show = shown
            }
        },
        .value("answer", .duration, #""590s""#) {
            if let time = $0.answerTime(of: $1) { $0.settings.agents.answer = time }
        },
    ]

    /// What is set for a single agent.
    static let agent = TableSchema(
        title: "an [agents.NAME] table", keys: [KeySchema("answer", .duration, #"answer = "0s""#)])

    static let phrases = TableSchema(
        title: "the [suggestions.phrases] table",
        keys: TextContentType.allCases.map {
            KeySchema($0.rawValue, .strings, "\($0.rawValue) = [\"meet at\"]")
        })

    /// Keys of earlier versions, and what takes their place.
    static let retired = [
        "devtools": "a kiosk's browser is controlled by Usher's extension, without a port: "
            + "Documentation/Browser.md, \"Kiosks\", says how to install it"
    ]

    /// Where a key that is in the wrong table is looked for. The short keys of an address mean other things elsewhere.
    static let all = root.tables.map(\.schema) + [QuietSchema.table] + ofHooks
}
