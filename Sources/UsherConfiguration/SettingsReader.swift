import UsherJSON
import UsherPayload
import UsherScene
internal import UsherSystem
import UsherTarget
internal import UsherText

/// Reads `usher.toml` and the files of hooks, and says everything that is wrong with them.
struct SettingsReader: Sendable {
    var reader: TableReader
    /// Of the configuration, absolute: what relative paths start from.
    private let folder: String
    var settings = Settings()
    /// The region of each hook's `app`, judged once the apps are known.
    private var apps: [Placed<String>] = []
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

    private mutating func note(app: Placed<String>) { apps.append(app) }

    private func location(_ region: SourceRegion) -> SourceLocation { reader.file.location(region.begin) }
}

// MARK: - Browser

extension SettingsReader {
    /// Whoever reaches such a port owns the browser, so other machines are none of its places.
    private mutating func readBrowser(of root: CheckedTable) {
        guard let member = root.members["browser"], let members = reader.members("browser", of: root) else { return }
        let table = reader.check(members, SettingsSchema.browser, region: member.keyRegion)
        for text in reader.strings("devtools", of: table) ?? [] {
            guard let address = ListenAddress(text.value), address.isLoopback, address.port > 0 else {
                reader.report(
                    .invalidValue, at: text.region,
                    "\(TOMLText.quoted(text.value)) is no DevTools endpoint on this machine",
                    help: "a loopback address and the port of --remote-debugging-port: devtools = [\"127.0.0.1:9222\"]")
                continue
            }
            if settings.devTools.contains(address) {
                reader.report(.duplicateValue, at: text.region, "\(address) is in `devtools` twice")
                continue
            }
            settings.devTools.append(address)
        }
    }
}

// MARK: - Conditions

extension SettingsReader {
    private mutating func readConditions(of hook: CheckedTable) -> [HookCondition] {
        var conditions: [HookCondition] = []
        for table in reader.tables("when", of: hook) {
            let inner = reader.check(table.value, SettingsSchema.condition, region: table.region)
            let place = place(in: inner, keys: ["header", "pointer", "query"], named: "a condition")
            let test = test(of: inner)
            guard let place, let test else { continue }
            let written = HookCondition(
                SettingsReader.bodyPlace(place), test, location: reader.file.location(table.region.begin))
            conditions.append(written)
        }
        return conditions
    }

    /// Conditions are about the whole body, also where there is `each`.
    private static func bodyPlace(_ place: HookPlace) -> HookPlace {
        if case .pointer(let reference) = place { .bodyPointer(reference) } else { place }
    }

    private mutating func test(of table: CheckedTable) -> HookCondition.Test? {
        let keys = ["equals", "in", "exists", "prefix"]
        let present = keys.filter(table.written.contains)
        guard present.count == 1 else {
            if present.isEmpty, table.hasUnknownKeys { return nil }
            let names = keys.map { "`\($0)`" }.joined(separator: ", ")
            reader.report(
                .hookCondition, at: table.region,
                "a condition needs one of \(names)" + (present.isEmpty ? "" : ", and has \(present.count)"))
            return nil
        }
        if let value = reader.boolean("exists", of: table) { return .exists(value.value) }
        if let prefix = reader.string("prefix", of: table) { return .prefix(prefix.value) }
        if let member = table.members["equals"] { return SettingsReader.constant(member.value).map { .equals([$0]) } }
        guard let member = table.members["in"], case .array(let elements) = member.value.content else { return nil }
        if elements.isEmpty {
            reader.report(
                .hookCondition, at: member.value.region, "nothing is in an empty list",
                help: "write it so: in = [\"opened\", \"reopened\"]")
        }
        var constants: [HookCondition.Constant] = []
        for element in elements {
            if let constant = SettingsReader.constant(element) {
                constants.append(constant)
            } else {
                reader.report(
                    .wrongType, at: element.region,
                    "`in` is a list of strings, integers or booleans, found \(element.kind)")
            }
        }
        return constants.count == elements.count ? .equals(constants) : nil
    }

    private static func constant(_ value: TOMLValue) -> HookCondition.Constant? {
        switch value.content {
        case .string(let text): .string(text)
        case .integer(let value): .integer(value)
        case .boolean(let value): .boolean(value)
        default: nil
        }
    }
}

// MARK: - Hooks

extension SettingsReader {
    /// A hook; nil where it has no signature that can be used, which has then been said.
    private mutating func readHook(_ name: String, _ members: [TOMLMember], region: SourceRegion) -> HookDefinition? {
        let table = reader.check(members, SettingsSchema.hook, region: region)
        let signature = readSignature(of: table)
        var hook = HookDefinition(name: name, signature: signature ?? .none, location: location(region))
        if let app = reader.string("app", of: table) {
            hook.app = app.value
            note(app: app)
        }
        if let each = reader.string("each", of: table, mayBeEmpty: true) { hook.each = reference(each) }
        hook.conditions = readConditions(of: table)
        hook.values = readValues(of: table, hasEach: hook.each != nil)
        let names = hook.values.map(\.name)
        hook.id = readIdentity(of: table, among: names)
        hook.target = readTarget(of: table, among: names)
        hook.title = text("title", of: table, among: names)
        hook.subtitle = text("subtitle", of: table, among: names)
        hook.body = text("body", of: table, among: names)
        hook.thread = text("thread", of: table, among: names)
        hook.collapse = text("collapse", of: table, among: names)
        hook.level = reader.choice("level", of: table, as: Notification.InterruptionLevel.self)
        if !["target", "title", "body"].contains(where: table.written.contains) {
            reader.report(
                .missingKey, at: region, "a hook needs a `target`, or at least a `title` or a `body`",
                help: "add a line such as: target = \"https://github.example/{+repo}/pull/{number}\"")
        }
        return signature == nil ? nil : hook
    }

    private mutating func readTarget(of table: CheckedTable, among names: [String]) -> URITemplate? {
        guard let text = reader.string("target", of: table) else { return nil }
        do {
            let template = try URITemplate(text.value)
            for name in template.variableNames where !names.contains(name) { reportUnknown(name, at: text, names) }
            return template
        } catch {
            reader.report(
                .template(error.code.rawValue),
                at: reader.region(ofBytes: error.offset, count: 1, inStringAt: text.region), error.message,
                help: error.hint)
            return nil
        }
    }

    private mutating func text(_ key: String, of table: CheckedTable, among names: [String]) -> HookText? {
        reader.string(key, of: table).map { checked($0, among: names) }
    }

    private mutating func checked(_ text: Placed<String>, among names: [String]) -> HookText {
        for place in Placeholders.occurrences(in: text.value) where !names.contains(place.name) {
            let region = reader.region(ofBytes: place.offset, count: place.count, inStringAt: text.region)
            reportUnknown(place.name, at: Placed(value: text.value, region: region), names)
        }
        return HookText(text.value)
    }

    private mutating func reportUnknown(_ name: String, at text: Placed<String>, _ names: [String]) {
        let help: String
        if let meant = Suggestion.closest(to: name, among: names) {
            help = "did you mean {\(meant)}?"
        } else if names.isEmpty {
            help = "say where it is: values = { \(name) = \"/pointer/to/it\" }"
        } else {
            help = "add it to `values`, which has \(names.map { "`\($0)`" }.joined(separator: ", "))"
        }
        reader.report(.hookTemplate, at: text.region, "there is no value `\(name)`", help: help)
    }

    private mutating func readValues(of table: CheckedTable, hasEach: Bool) -> [HookValue] {
        var values: [HookValue] = []
        for member in reader.members("values", of: table) ?? [] {
            let isName = member.key.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
                default: false
                }
            }
            guard isName, !member.key.isEmpty else {
                reader.report(
                    .invalidValue, at: member.keyRegion, "\(TOMLText.quoted(member.key)) cannot be used in templates",
                    help: "letters, digits and `_`")
                continue
            }
            switch member.value.content {
            case .string(let text):
                if let pointer = reference(Placed(value: text, region: member.value.region)) {
                    values.append(HookValue(name: member.key, place: .pointer(pointer)))
                }
            case .table(let members):
                let inner = reader.check(members, SettingsSchema.value, region: member.keyRegion)
                let fallback = reader.string("default", of: inner, mayBeEmpty: true)?.value
                if let place = place(in: inner, keys: ["pointer", "body-pointer", "header", "query"], named: "a value")
                {
                    values.append(HookValue(name: member.key, place: place, fallback: fallback))
                }
            default:
                reader.report(
                    .wrongType, at: member.value.region,
                    "a value is a JSON pointer or a table, found \(member.value.kind)",
                    help: "write it so: \(member.key) = \"/repository/full_name\"")
            }
        }
        return values
    }

    private mutating func readIdentity(of table: CheckedTable, among names: [String]) -> HookIdentity? {
        guard let member = table.members["id"], let members = reader.members("id", of: table) else { return nil }
        let inner = reader.check(members, SettingsSchema.identity, region: member.keyRegion)
        if inner.written.contains("template"), inner.written.count == 1 {
            return reader.string("template", of: inner).map { .template(checked($0, among: names)) }
        }
        return place(in: inner, keys: ["header", "pointer", "query", "template"], named: "`id`").map { .place($0) }
    }

    /// The one place that a table names.
    private mutating func place(in table: CheckedTable, keys: [String], named name: String) -> HookPlace? {
        let present = keys.filter(table.written.contains)
        guard present.count == 1, let key = present.first else {
            if present.isEmpty, table.hasUnknownKeys { return nil }
            let choices = keys.map { "`\($0)`" }.joined(separator: ", ")
            reader.report(
                .hookCondition,
                at: present.count < 2 ? table.region : table.members[present[1]]?.keyRegion ?? table.region,
                "\(name) needs one of \(choices)" + (present.isEmpty ? "" : ", and has \(present.count)"))
            return nil
        }
        guard let text = reader.string(key, of: table, mayBeEmpty: key.hasSuffix("pointer")) else { return nil }
        switch key {
        case "header": return headerName(text).map { .header($0) }
        case "query": return .query(text.value)
        case "body-pointer": return reference(text).map { .bodyPointer($0) }
        default: return reference(text).map { .pointer($0) }
        }
    }

    private mutating func headerName(_ text: Placed<String>) -> String? {
        let isToken = text.value.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
        if isToken { return text.value }
        reader.report(
            .invalidValue, at: text.region, "\(TOMLText.quoted(text.value)) cannot be the name of a header")
        return nil
    }

    private mutating func reference(_ text: Placed<String>) -> JSONReference? {
        if let reference = JSONReference(text.value) { return reference }
        let isPath = !text.value.hasPrefix("/")
        let parts = text.value.split { $0 == "." || $0 == "[" || $0 == "]" || $0 == "$" }
        let guess = "/" + parts.joined(separator: "/")
        reader.report(
            .hookPointer, at: text.region, "\(TOMLText.quoted(text.value)) is no JSON pointer",
            help: isPath
                ? "it begins with a slash, and slashes part its names: \(TOMLText.quoted(guess))"
                : "`~` is written ~0, and a slash within a name ~1")
        return nil
    }
}

// MARK: - Server

extension SettingsReader {
    private mutating func readServer(of root: CheckedTable) {
        guard let member = root.members["server"], let members = reader.members("server", of: root) else { return }
        refuseInlineSecrets(in: members, named: ["token", "tokens", "secret", "password"], file: "token-file")
        let table = reader.check(
            members.filter { !["token", "tokens", "secret", "password"].contains($0.key) }, SettingsSchema.server,
            region: member.keyRegion)
        if let socket = reader.string("socket", of: table) { settings.server.socket = path(socket) }
        settings.server.tokens = secret(of: table, file: "token-file", credential: "token-credential")
        readCertificate(of: table)
        readNames(of: table)
        if let limit = reader.integer("body-limit", of: table, in: 1024...67_108_864) {
            settings.server.bodyLimit = limit.value
        }
        if let seconds = reader.integer("drain-seconds", of: table, in: 0...3600) {
            settings.server.drainSeconds = seconds.value
        }
        readRate(of: table)
        readListen(of: table)
    }

    private mutating func readRate(of server: CheckedTable) {
        guard let member = server.members["rate"], let members = reader.members("rate", of: server) else { return }
        let table = reader.check(members, SettingsSchema.rate, region: member.keyRegion)
        if let rate = reader.number("per-second", of: table, in: 0...1_000_000) {
            settings.server.rate.perSecond = rate.value
        }
        if let burst = reader.integer("burst", of: table, in: 1...1_000_000) {
            settings.server.rate.burst = burst.value
        }
    }

    private mutating func readCertificate(of table: CheckedTable) {
        let certificate = reader.string("certificate", of: table)
        let key = reader.string("key", of: table)
        for (given, other, isThere) in [
            (certificate, "key", table.written.contains("key")),
            (key, "certificate", table.written.contains("certificate")),
        ] {
            guard let given, !isThere else { continue }
            reader.report(
                .missingKey, at: given.region, "`certificate` and `key` belong together, and there is no `\(other)`",
                help: "add a line such as: \(other) = \"\(other == "key" ? "key" : "cert").pem\"")
        }
        settings.server.certificate = certificate.map(path)
        settings.server.key = key.map(path)
    }

    private mutating func readNames(of table: CheckedTable) {
        for host in reader.strings("allowed-hosts", of: table) ?? [] {
            if host.value.isEmpty || host.value.utf8.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: "/") }) {
                reader.report(
                    .invalidValue, at: host.region, "\(TOMLText.quoted(host.value)) is not the name of a host",
                    help: "as in the Host header, without a port: allowed-hosts = [\"usher.internal\"]")
            } else {
                settings.server.allowedHosts.append(host.value.lowercased())
            }
        }
        for origin in reader.strings("allowed-origins", of: table) ?? [] {
            let parts = origin.value.split(separator: "/", omittingEmptySubsequences: false)
            if parts.count == 3, parts[0].hasSuffix(":"), parts[0].count > 1, parts[1].isEmpty, !parts[2].isEmpty {
                settings.server.allowedOrigins.append(origin.value.lowercased())
            } else {
                reader.report(
                    .invalidValue, at: origin.region, "\(TOMLText.quoted(origin.value)) is not an origin",
                    help: "scheme, host and perhaps a port, no path: allowed-origins = [\"https://status.example\"]")
            }
        }
    }

    /// Beyond this machine the daemon is reached only with TLS and a token.
    private mutating func readListen(of table: CheckedTable) {
        for text in reader.strings("listen", of: table) ?? [] {
            guard let address = ListenAddress(text.value) else {
                reader.report(
                    .invalidValue, at: text.region, "\(TOMLText.quoted(text.value)) is no address to listen on",
                    help: "a numeric address and a port: \"127.0.0.1:8484\", \"[::1]:8484\"")
                continue
            }
            if settings.server.listen.contains(address) {
                reader.report(.duplicateValue, at: text.region, "\(address) is in `listen` twice")
                continue
            }
            settings.server.listen.append(address)
            let wanted = [
                table.written.contains("certificate") ? nil : "`certificate` and `key`",
                table.written.contains("token-file") || table.written.contains("token-credential")
                    ? nil : "`token-file`",
            ].compactMap(\.self)
            guard !address.isLoopback, !wanted.isEmpty else { continue }
            reader.report(
                .openListener, at: text.region, "other machines reach \(address), so it needs TLS and a token",
                help: "add \(wanted.joined(separator: " and ")), or listen on 127.0.0.1")
        }
    }

    /// An absolute path, from the folder of the configuration.
    private func path(_ text: Placed<String>) -> String { FilePath.resolve(text.value, from: folder) }

    /// A file or a credential; both at once are a mistake.
    private mutating func secret(of table: CheckedTable, file: String, credential: String) -> SecretSource? {
        let path = reader.string(file, of: table)
        let name = reader.string(credential, of: table)
        if path != nil, let name {
            reader.report(
                .secretChoice, at: name.region, "there cannot be both `\(file)` and `\(credential)`",
                help: "keep one of them")
        }
        if let path { return .file(self.path(path)) }
        guard let name else { return nil }
        guard !name.value.utf8.contains(UInt8(ascii: "/")), !name.value.hasPrefix(".") else {
            reader.report(
                .invalidValue, at: name.region, "`\(credential)` is the name of a systemd credential, not a path",
                help: "name a file with `\(file)`")
            return nil
        }
        return .credential(name.value)
    }

    /// Secrets are never in a configuration, which is read by many and ends in repositories.
    private mutating func refuseInlineSecrets(in members: [TOMLMember], named names: [String], file: String) {
        for member in members where names.contains(member.key) {
            reader.hide(member)
            reader.report(
                .inlineSecret, at: member.keyRegion, "a secret never stands in the configuration itself",
                help: "put it into a file that only you can read, and name that: \(file) = \"…\"")
        }
    }
}

// MARK: - Signatures

extension SettingsReader {
    /// The `signature` of a hook; nil where it cannot be used, which has then been said.
    private mutating func readSignature(of hook: CheckedTable) -> HookSignature? {
        guard let member = hook.members["signature"], let members = reader.members("signature", of: hook) else {
            return nil
        }
        let inline = ["secret", "token", "key", "password"]
        refuseInlineSecrets(in: members, named: inline, file: "secret-file")
        let isRefused = members.contains { inline.contains($0.key) }
        let table = reader.check(
            members.filter { !inline.contains($0.key) }, SettingsSchema.signature, region: member.keyRegion)
        guard let scheme = reader.choice("scheme", of: table, as: HookSignature.Scheme.self) else { return nil }
        refuseForeignKeys(of: table, scheme)
        let source = secret(of: table, file: "secret-file", credential: "secret-credential")
        if scheme == .none { return isRefused ? nil : HookSignature.none }
        let code = scheme == .hmac ? readCode(of: table) : nil
        guard let source else {
            let isWritten = table.written.contains("secret-file") || table.written.contains("secret-credential")
            if !isWritten, !isRefused {
                reader.report(
                    .missingKey, at: table.region, "the scheme `\(scheme.rawValue)` needs a secret",
                    help: "name a file that only you can read: secret-file = \"NAME.secret\"")
            }
            return nil
        }
        switch scheme {
        case .github: return .github(source)
        case .gitlab: return .gitlab(source)
        case .standard: return .standard(source, tolerance: tolerance(of: table))
        case .bearer: return .bearer(source)
        case .hmac: return code.map { .hmac($0, source) }
        case .none: return HookSignature.none
        }
    }

    /// Keys that the scheme does not look at would only seem to do something.
    private mutating func refuseForeignKeys(of table: CheckedTable, _ scheme: HookSignature.Scheme) {
        var own: Set<String> = ["scheme"]
        if scheme != .none { own.formUnion(["secret-file", "secret-credential"]) }
        if scheme == .standard { own.insert("tolerance") }
        if scheme == .hmac {
            own.formUnion(["header", "algorithm", "encoding", "prefix", "timestamp-header", "tolerance", "content"])
        }
        for key in table.written.sorted() where !own.contains(key) {
            reader.report(
                .noEffect, at: table.members[key]?.keyRegion ?? table.region,
                "`\(key)` has no effect with the scheme `\(scheme.rawValue)`", help: "remove it")
        }
    }

    private mutating func tolerance(of table: CheckedTable) -> Int {
        reader.integer("tolerance", of: table, in: 1...86_400)?.value ?? HookSignature.defaultTolerance
    }

    private mutating func readCode(of table: CheckedTable) -> HookCode? {
        guard let header = reader.string("header", of: table) else {
            if !table.written.contains("header") {
                reader.report(
                    .missingKey, at: table.region, "the scheme `hmac` needs the `header` that has the signature",
                    help: "write it so: header = \"X-Signature\"")
            }
            return nil
        }
        guard let name = headerName(header) else { return nil }
        var code = HookCode(header: name, tolerance: tolerance(of: table))
        code.algorithm = reader.choice("algorithm", of: table, as: HookCode.Algorithm.self) ?? .sha256
        code.encoding = reader.choice("encoding", of: table, as: HookCode.Encoding.self) ?? .hex
        code.prefix = reader.string("prefix", of: table, mayBeEmpty: true)?.value ?? ""
        if let timestamp = reader.string("timestamp-header", of: table) {
            code.timestampHeader = headerName(timestamp)
            code.content = [.timestamp, .literal("."), .body]
        } else if let tolerance = table.members["tolerance"] {
            reader.report(
                .noEffect, at: tolerance.keyRegion, "`tolerance` has no effect without `timestamp-header`",
                help: "remove it, or name the header that has the time")
        }
        if let content = reader.string("content", of: table) { readContent(content, into: &code) }
        return code
    }

    private mutating func readContent(_ text: Placed<String>, into code: inout HookCode) {
        code.content = HookText(text.value).parts.compactMap { part in
            switch part {
            case .literal(let text): .literal(text)
            case .value("body"): .body
            case .value("timestamp"): .timestamp
            case .value: nil
            }
        }
        for place in Placeholders.occurrences(in: text.value) where !["body", "timestamp"].contains(place.name) {
            reader.report(
                .hookTemplate, at: reader.region(ofBytes: place.offset, count: place.count, inStringAt: text.region),
                "`content` has no {\(place.name)}", help: "it is made of {timestamp} and {body}")
        }
        if !code.content.contains(.body) {
            reader.report(
                .hookTemplate, at: text.region, "`content` without {body} signs nothing",
                help: "write it so: content = \"{timestamp}.{body}\"")
        }
        if code.content.contains(.timestamp) != (code.timestampHeader != nil) {
            reader.report(
                .hookTemplate, at: text.region, "{timestamp} and `timestamp-header` belong together",
                help: "a time that is not signed proves nothing")
        }
    }
}
