internal import UsherHook
import UsherScene
internal import UsherSystem
import UsherTarget
internal import UsherText

/// Reads `usher.toml` and the files of hooks, and says everything that is wrong with them.
struct SettingsReader: Sendable {
    var reader: TableReader
    /// Of the configuration, absolute: what relative paths start from.
    let folder: String
    /// Whether commands are there.
    let programs: ProgramSearch
    var settings = Settings()
    /// The region of each hook's `app`, judged once the apps are known.
    var apps: [Spanned<String>] = []
    /// Judged then as well.
    private var excludedApps: [Spanned<String>] = []
    /// The targets of hooks without an `app`, judged then, too.
    var targets: [Spanned<String>] = []
    /// The first hook of each name, across files.
    var hookPlaces: [String: SourceLocation]
    /// The signature of each path of hooks, across files.
    var pathSignatures: [String: HookSignature]
    /// The hooks of each path so far, across files: the first that takes an event keeps it.
    var pathHooks: [String: [HookDefinition]]

    init(
        file: SourceFile, folder: String, programs: ProgramSearch, schemas: [TableSchema] = SettingsSchema.all,
        after earlier: SettingsReader? = nil
    ) {
        reader = TableReader(file: file, schemas: schemas)
        self.folder = folder
        self.programs = programs
        hookPlaces = earlier?.hookPlaces ?? [:]
        pathSignatures = earlier?.pathSignatures ?? [:]
        pathHooks = earlier?.pathHooks ?? [:]
    }

    /// Reads `usher.toml`, or one of its tables.
    mutating func read(
        _ members: [TOMLMember], _ table: SettingTable = SettingsSchema.root, region: SourceRegion = .start
    ) {
        let checked = reader.check(members, table.schema, region: region)
        for setting in table.settings { setting.read(&self, checked) }
    }

    /// Reads a file that has hooks only.
    mutating func readHookFile(_ members: [TOMLMember]) {
        readHooks(of: reader.check(members, SettingsSchema.hookFile, region: .start))
    }

    /// Says which hooks and exclusions name an app that there is not, and which lead to none.
    mutating func checkApps(among manifests: [App]) {
        let known = manifests.map(\.id)
        var ids = NameMap<Void>()
        for id in known { ids[id] = () }
        for app in apps where ids[app.value] == nil {
            reader.report(
                .unknownReference, at: app.region, "there is no app \(TOMLText.quoted(app.value))",
                help: Spelling.help(app.value, among: known) {
                    "name the `id` of a manifest, or leave `app` out: the owner of the target is taken then"
                })
        }
        for app in excludedApps where ids[app.value] == nil {
            reader.warn(
                .noEffect, at: app.region, "there is no app \(TOMLText.quoted(app.value)) to exclude",
                help: Spelling.help(app.value, among: known) { "name the `id` of a manifest" })
        }
        // A notification that names no app is the only app's, whatever its target.
        guard manifests.count > 1 else { return }
        let hosts = DomainHosts(manifests.flatMap { $0.domains.map(\.value) })
        for target in targets {
            // A host with a variable in it may become one that is claimed.
            guard let host = TargetContentIdentifier(target.value).webHost?.host,
                !host.utf8.contains(UInt8(ascii: "{")), !hosts.contains(host)
            else { continue }
            reader.warn(
                .hookWithoutOwner, at: target.region,
                "no app claims the host \(TOMLText.quoted(host)), and the hook names no app: its events end with no-app",
                help: "add `app` to the hook, or \(TOMLText.quoted(host)) to the `domains` of an app")
        }
    }

    mutating func readExcludedApps(of table: CheckedTable) {
        excludedApps = reader.strings("exclude-apps", of: table) ?? []
        settings.suggestions.excludedApps = excludedApps.map(\.value)
    }

    func location(_ region: SourceRegion) -> SourceLocation { reader.file.location(region.begin) }
}

// MARK: - Terminal

extension SettingsReader {
    mutating func readDetached(of table: CheckedTable) {
        if let value = reader.choice("detached", of: table, as: TerminalSettings.Detached.self) {
            settings.terminal.detached = value
        }
    }

    mutating func readTabs(of table: CheckedTable) {
        guard table.members["tabs"] != nil else { return }
        settings.terminal.tabs = reader.values("tabs", of: table) { TerminalSettings.TabWay(rawValue: $0) }
    }

    mutating func readNotify(of table: CheckedTable) {
        guard table.members["notify"] != nil else { return }
        settings.agents.notify = reader.values("notify", of: table) { AgentSettings.Notice(rawValue: $0) }
    }

    /// How long a hook of a coding agent waits for an answer: nothing waits longer than ten minutes.
    mutating func answerTime(of table: CheckedTable) -> Int? {
        reader.duration("answer", of: table, in: 0...600_000, words: "of at most 10 minutes")
    }

    /// A program and its arguments.
    mutating func commandWords(_ key: String, of table: CheckedTable) -> [String] {
        (reader.strings(key, of: table) ?? []).map(\.value)
    }
}

// MARK: - Browser

extension SettingsReader {
    mutating func readPageOpener(of browser: CheckedTable) {
        var commands = ManifestReader(file: reader.file, folder: folder, programs: programs)
        settings.pageOpener = commands.pageOpener(of: browser)
        reader.report(commands.reader.diagnostics)
    }

    mutating func readPages(of table: CheckedTable) {
        if let texts = reader.strings("pages", of: table) {
            settings.pages.pages = .matching(texts.compactMap { pattern($0, key: "pages") })
        } else if let text = reader.string("pages", of: table) {
            switch text.value {
            case "all": settings.pages.pages = .all
            case "none": settings.pages.pages = .none
            default:
                reader.report(
                    .invalidValue, at: text.region, "`pages` cannot be \(TOMLText.quoted(text.value))",
                    help: "write \"all\", \"none\", or a list of addresses: pages = [\"https://wiki.example/*\"]")
            }
        }
    }

    mutating func readDeny(of table: CheckedTable) {
        settings.pages.deny = (reader.strings("deny", of: table) ?? []).compactMap { pattern($0, key: "deny") }
    }

    private mutating func pattern(_ text: Spanned<String>, key: String) -> WindowRule.Pattern? {
        if !text.value.isEmpty, let pattern = try? WindowRule.Pattern(text.value) { return pattern }
        return reader.refuse(
            .invalidValue, at: text.region, "\(TOMLText.quoted(text.value)) is no pattern of addresses",
            help: "`*` stands for any text, `?` for one character: \(key) = [\"https://wiki.example/*\"]")
    }
}

// MARK: - Addresses

extension SettingsReader {
    /// `[addresses."HOST"]`, for each host one.
    mutating func readAddresses(of root: CheckedTable) {
        for member in reader.members("addresses", of: root) ?? [] {
            guard case .table(let members) = member.value.content else {
                reader.report(
                    .wrongType, at: member.value.region,
                    "`addresses` has a table for each host, found \(member.value.kind)",
                    help: "write it so: [addresses.\"site.example\"]")
                continue
            }
            guard let host = addressHost(member, members) else { continue }
            let table = reader.check(members, SettingsSchema.address, region: member.keyRegion)
            let keep = parameterNames("keep", of: table)
            let drop = parameterNames("drop", of: table)
            for name in drop where keep.contains(where: { $0.value.hasSameBytes(as: name.value) }) {
                reader.report(
                    .duplicateValue, at: name.region, "\(TOMLText.quoted(name.value)) is in `keep` and in `drop`",
                    help: "remove it from one of them")
            }
            settings.addresses.rules[host] = AddressRule(
                keep: keep.map(\.value), drop: drop.map(\.value),
                fragment: reader.choice("fragment", of: table, as: AddressRule.Fragment.self),
                keepsScheme: reader.choice("scheme", of: table, as: KeptScheme.self) != nil)
        }
    }

    private enum KeptScheme: String, CaseIterable { case keep }

    /// A host or `*.` and a host, in lower case; nil where the key is neither, which is then reported.
    private mutating func addressHost(_ member: TOMLMember, _ members: [TOMLMember]) -> String? {
        let host = member.key.lowercased()
        let name = host.hasPrefix("*.") ? host.dropFirst(2) : host[...]
        // Without quotes a dot begins a table of its own.
        if !host.utf8.contains(UInt8(ascii: ".")), members.count == 1, let only = members.first,
            case .table = only.value.content, SettingsSchema.address.key(only.key) == nil
        {
            return reader.refuse(
                .invalidValue, at: member.keyRegion, "the host is not in quotes",
                help: "write it so: [addresses.\"\(member.key).\(only.key)\"]")
        }
        let isAddress =
            name.hasPrefix("[") && name.hasSuffix("]") && InternetAddress(name.dropFirst().dropLast()) != nil
        guard SettingsReader.isHostName(name) || isAddress else {
            return reader.refuse(
                .invalidValue, at: member.keyRegion, "\(TOMLText.quoted(member.key)) is not a host",
                help: "a host without scheme, port and path, or `*.` and a host for its subdomains: "
                    + "[addresses.\"*.site.example\"]")
        }
        guard settings.addresses.rules[host] == nil else {
            return reader.refuse(
                .duplicateValue, at: member.keyRegion, "there are two tables for the host \(TOMLText.quoted(host))",
                help: "the case of letters does not count in a host; put their keys into one table")
        }
        return host
    }

    static func isHostName(_ name: Substring) -> Bool {
        let isAllowed = name.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 >= 0x80 || "-._".utf8.contains($0) }
        return isAllowed && !name.isEmpty && !name.hasPrefix(".") && !name.hasSuffix(".")
    }

    /// Names of parameters, each perhaps with a `*` at its end.
    private mutating func parameterNames(_ key: String, of table: CheckedTable) -> [Spanned<String>] {
        var names: [Spanned<String>] = []
        for name in reader.strings(key, of: table) ?? [] {
            let isPattern = name.value.utf8.dropLast().allSatisfy { $0 != UInt8(ascii: "*") }
            guard !name.value.isEmpty, isPattern, !name.value.utf8.contains(where: { "=&#?".utf8.contains($0) }) else {
                reader.report(
                    .invalidValue, at: name.region,
                    "\(TOMLText.quoted(name.value)) is not the name of a parameter",
                    help: "a name, or the beginning of names and a `*`: \(key) = [\"ref\", \"s_*\"]")
                continue
            }
            names.append(name)
        }
        return names
    }
}

// MARK: - Server

extension SettingsReader {
    /// An absolute path; `certificate` and `key` need each other.
    mutating func path(_ key: String, of table: CheckedTable) -> String? {
        guard let text = reader.string(key, of: table) else { return nil }
        let other = ["certificate": "key", "key": "certificate"][key].flatMap(SettingsSchema.server.schema.key)
        if let other, !table.written.contains(other.name) {
            reader.report(
                .missingKey, at: text.region,
                "`certificate` and `key` belong together, and there is no `\(other.name)`",
                help: "add a line such as: \(other.example)")
        }
        return path(text)
    }

    mutating func readAllowedHosts(of table: CheckedTable) {
        for host in reader.strings("allowed-hosts", of: table) ?? [] {
            // With the characters of IPv6 addresses.
            let isName = host.value.utf8.allSatisfy { $0.isASCIILetterOrDigit || ".-_:[]".utf8.contains($0) }
            if host.value.isEmpty || !isName {
                reader.report(
                    .invalidValue, at: host.region, "\(TOMLText.quoted(host.value)) is not the name of a host",
                    help: "as in the Host header, without a port; there are no wildcards: "
                        + "allowed-hosts = [\"usher.internal\"]")
            } else {
                settings.server.allowedHosts.append(host.value.lowercased())
            }
        }
    }

    mutating func readAllowedOrigins(of table: CheckedTable) {
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

    mutating func readProxies(of table: CheckedTable) {
        for text in reader.strings("trusted-proxies", of: table) ?? [] {
            if text.value == "unix" {
                settings.server.trustedProxies.includesUnixSocket = true
            } else if let range = AddressRange(text.value) {
                guard !range.isEverything else {
                    reader.report(
                        .invalidValue, at: text.region,
                        "\(range) trusts every client, which could then choose its address",
                        help: "name the addresses of the proxies alone: trusted-proxies = [\"127.0.0.1\"]")
                    continue
                }
                settings.server.trustedProxies.ranges.append(range)
            } else {
                reader.report(
                    .invalidValue, at: text.region,
                    "\(TOMLText.quoted(text.value)) is neither an address, nor a range of addresses, nor \"unix\"",
                    help: "trusted-proxies = [\"127.0.0.1\", \"10.0.0.0/8\", \"fd00::/8\", \"unix\"]")
            }
        }
    }

    mutating func readPublicURL(of table: CheckedTable) {
        guard let url = reader.string("public-url", of: table) else { return }
        settings.server.publicURL = PublicURL(url.value)
        guard settings.server.publicURL == nil else { return }
        reader.report(
            .invalidValue, at: url.region, "\(TOMLText.quoted(url.value)) is not scheme, host and perhaps a port",
            help: "paths and queries are added by Usher: public-url = \"https://hooks.example\"")
    }

    /// Beyond this machine the daemon is reached only with TLS and a token.
    mutating func readListen(of table: CheckedTable) {
        var addresses: [Spanned<ListenAddress>] = []
        for text in reader.strings("listen", of: table) ?? [] {
            guard let address = ListenAddress(text.value) else {
                reader.report(
                    .invalidValue, at: text.region, "\(TOMLText.quoted(text.value)) is no address to listen on",
                    help: "a numeric address and a port: \"127.0.0.1:8484\", \"[::1]:8484\"")
                continue
            }
            if addresses.contains(where: { $0.value == address }) {
                reader.report(.duplicateValue, at: text.region, "\(address) is in `listen` twice")
            } else {
                addresses.append(Spanned(value: address, region: text.region))
            }
        }
        settings.server.listen = addresses.map(\.value)
        for address in addresses {
            let wanted = [
                table.written.contains("certificate") ? nil : "`certificate` and `key`",
                table.written.contains("token-file") || table.written.contains("token-credential")
                    ? nil : "`token-file`",
            ].compactMap(\.self)
            guard !address.value.isLoopback, !wanted.isEmpty else { continue }
            reader.report(
                .openListener, at: address.region, "other machines reach \(address.value), so it needs TLS and a token",
                help: "add \(wanted.joined(separator: " and ")), or listen on 127.0.0.1")
        }
    }

    /// An absolute path, from the folder of the configuration.
    func path(_ text: Spanned<String>) -> String { FilePath.resolve(text.value, from: folder) }

    /// A file or a credential; both at once are a mistake.
    mutating func secret(of table: CheckedTable, file: String, credential: String) -> SecretSource? {
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
            return reader.refuse(
                .invalidValue, at: name.region, "`\(credential)` is the name of a systemd credential, not a path",
                help: "name a file with `\(file)`")
        }
        return .credential(name.value)
    }

    /// Secrets are never in a configuration, which is read by many and ends in repositories.
    ///
    /// - Returns: the other members.
    mutating func refuseInlineSecrets(in members: [TOMLMember], named names: [String], file: String) -> [TOMLMember] {
        members.filter { member in
            guard names.contains(member.key) else { return true }
            reader.hide(member)
            reader.report(
                .inlineSecret, at: member.keyRegion, "a secret never stands in the configuration itself",
                help: "put it into a file that only you can read, and name that: \(file) = \"…\"")
            return false
        }
    }
}
