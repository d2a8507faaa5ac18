import UsherScene
internal import UsherText

/// Reads `usher.toml` and the files of hooks, and says everything that is wrong with them.
struct SettingsReader: Sendable {
    var reader: TableReader
    /// Of the configuration, absolute: what relative paths start from.
    let folder: String
    var settings = Settings()
    /// The region of each hook's `app`, judged once the apps are known.
    private(set) var apps: [Placed<String>] = []
    /// The first hook of each name, across files.
    private(set) var hookPlaces: [String: SourceLocation]

    init(
        file: SourceFile, folder: String, schemas: [TableSchema] = SettingsSchema.all,
        hookPlaces: [String: SourceLocation] = [:]
    ) {
        reader = TableReader(file: file, schemas: schemas)
        self.folder = folder
        self.hookPlaces = hookPlaces
    }

    private static let start = SourceRegion(
        begin: SourcePosition(line: 1, column: 1), end: SourcePosition(line: 1, column: 1))

    /// Reads `usher.toml`.
    mutating func read(_ members: [TOMLMember]) {
        let root = reader.check(members, SettingsSchema.root, region: SettingsReader.start)
        readLimits(of: root)
        readLog(of: root)
        readServer(of: root)
        readDeliveries(of: root)
        readBrowser(of: root)
        readHooks(of: root)
    }

    /// Reads a file that has hooks only.
    mutating func readHookFile(_ members: [TOMLMember]) {
        readHooks(of: reader.check(members, SettingsSchema.hookFile, region: SettingsReader.start))
    }

    /// Says which hooks name an app that there is not.
    mutating func checkApps(among known: [String]) {
        for app in apps where !known.contains(where: { $0.utf8.elementsEqual(app.value.utf8) }) {
            reader.report(
                .hookApp, at: app.region, "there is no app \(TOMLText.quoted(app.value))",
                help: Suggestion.closest(to: app.value, among: known).map { "did you mean \(TOMLText.quoted($0))?" }
                    ?? "name the `id` of a manifest, or leave `app` out: the owner of the target is taken then")
        }
    }

    private mutating func readLimits(of root: CheckedTable) {
        guard let member = root.members["limits"], let members = reader.members("limits", of: root) else { return }
        let limits = reader.check(members, SettingsSchema.limits, region: member.keyRegion)
        if let count = reader.integer("disconnected-sessions", of: limits, in: 0...100_000) {
            settings.disconnectedSessions = count.value
        }
        if let days = reader.integer("disconnected-days", of: limits, in: 0...36_500) {
            settings.disconnectedDays = days.value
        }
    }

    private mutating func readLog(of root: CheckedTable) {
        guard let member = root.members["log"], let members = reader.members("log", of: root) else { return }
        let log = reader.check(members, SettingsSchema.log, region: member.keyRegion)
        settings.logLevel = reader.choice("level", of: log, as: Settings.LogLevel.self)
        settings.logFormat = reader.choice("format", of: log, as: Settings.LogFormat.self)
    }

    private mutating func readDeliveries(of root: CheckedTable) {
        guard let member = root.members["deliveries"], let members = reader.members("deliveries", of: root) else {
            return
        }
        let table = reader.check(members, SettingsSchema.deliveries, region: member.keyRegion)
        let defaults = settings.deliveries
        func number(_ key: String, _ range: ClosedRange<Int>, _ fallback: Int) -> Int {
            reader.integer(key, of: table, in: range)?.value ?? fallback
        }
        settings.deliveries.duplicateHours = number("duplicate-hours", 0...8760, defaults.duplicateHours)
        settings.deliveries.keepDays = number("keep-days", 0...36_500, defaults.keepDays)
        settings.deliveries.keepCount = number("keep-count", 0...100_000_000, defaults.keepCount)
        settings.deliveries.keepMegabytes = number("keep-megabytes", 1...1_048_576, defaults.keepMegabytes)
        settings.deliveries.queue = number("queue", 1...10_000_000, defaults.queue)
        settings.deliveries.queueMegabytes = number("queue-megabytes", 1...1_048_576, defaults.queueMegabytes)
    }

    private mutating func readHooks(of root: CheckedTable) {
        for member in reader.members("hooks", of: root) ?? [] {
            guard case .table(let members) = member.value.content else {
                reader.report(
                    .wrongType, at: member.value.region, "a hook is a table, found \(member.value.kind)",
                    help: "write it so: [hooks.reviews]")
                continue
            }
            let location = reader.file.location(member.keyRegion.begin)
            checkName(of: member)
            if let first = hookPlaces[member.key] {
                reader.report(
                    .hookName, at: member.keyRegion, "there are two hooks with the name \(TOMLText.quoted(member.key))",
                    help: "give one of them another name: it is the last part of its path", related: first)
                continue
            }
            hookPlaces[member.key] = location
            if let hook = readHook(member.key, members, region: member.keyRegion) { settings.hooks.append(hook) }
        }
    }

    /// A name is a part of a path, as it is.
    private mutating func checkName(of member: TOMLMember) {
        let isPlain = member.key.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard !isPlain || member.key.isEmpty || member.key.utf8.count > 64 || member.key == "." || member.key == ".."
        else { return }
        reader.report(
            .hookName, at: member.keyRegion, "\(TOMLText.quoted(member.key)) cannot be the name of a hook",
            help: "up to 64 letters, digits, `.`, `-` and `_`: senders post to /hooks/NAME")
    }

    mutating func note(app: Placed<String>) { apps.append(app) }

    func location(_ region: SourceRegion) -> SourceLocation { reader.file.location(region.begin) }
}
