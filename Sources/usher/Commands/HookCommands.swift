internal import Glibc
internal import UsherConfiguration
internal import UsherEngine
internal import UsherHook
internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// `usher hook list`: the hooks, and how often each was called.
enum HookListCommand {
    static let description = CommandDescription(
        "hook list", "the hooks, and what became of the requests to them",
        discussion: [
            "Counts as far back as the daemon keeps requests (usher hook log). `secrets` is how many there are in the file of",
            "the hook: 0 lets no sender in, unless the scheme is none.",
        ],
        examples: [.init("usher hook list", "every hook of the configuration")],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        let loaded = try context.loadConfiguration()
        var requests = HookRequests(in: try context.stateFolder())
        let entries = requests.next()
        let rows = loaded.settings.hooks.map { hook in
            Row(
                hook: hook, file: FilePath.resolve(hook.location.path, from: loaded.folder),
                counts: HookCounts(entries.filter { $0.hook.hasSameBytes(as: hook.name) }))
        }
        if context.writesJSON {
            context.printArray(rows) { row, json in row.write(to: &json) }
        } else if rows.isEmpty {
            context.errors.note("there is no hook; usher hook add writes one")
        } else {
            let head = ["hook", "path", "scheme", "secrets", "accepted", "ignored", "refused", "last"]
            context.output.write(TextTable.text(escaping: [head] + rows.map(\.cells)))
        }
    }

    private struct Row {
        var hook: HookDefinition
        var file: String
        var counts: HookCounts

        private var secrets: Int { hook.signature.secret.map { HookSecrets.count($0) } ?? 0 }

        func write(to json: inout JSONWriter) {
            json.beginObject()
            json.member("hook", hook.name)
            json.member("path", hook.path)
            json.member("scheme", hook.signature.name)
            json.member("file", file)
            json.member("secrets", secrets)
            json.member("accepted", counts.accepted)
            json.member("ignored", counts.ignored)
            json.member("refused", counts.refused)
            if let last = counts.last {
                json.beginObject("last")
                json.member("time", last.time.text)
                json.member("status", last.status)
                json.endObject()
            } else {
                json.nullMember("last")
            }
            json.endObject()
        }

        var cells: [String?] {
            [
                hook.name, "/hooks/\(hook.path)", hook.signature.name, String(secrets), String(counts.accepted),
                String(counts.ignored), String(counts.refused), counts.last.map { "\($0.time.text)  \($0.status)" },
            ]
        }
    }
}

/// The secrets and keys of hooks, as far as they can be counted here; the daemon judges with them.
private enum HookSecrets {
    private static let limit = 64 << 10

    /// The keys of a JSON Web Key Set (RFC 7517).
    private struct KeySet: AnswerRecord {
        var keys: [JSONValue]?

        static let fields: [Field<Self>] = [Field(ifAny: "keys", \.keys)]
    }

    /// Of a file with lines, a key set, or PEM blocks; 0 where it cannot be read.
    static func count(_ source: SecretSource) -> Int {
        let path: String
        switch source {
        case .file(let file): path = file
        case .credential(let name):
            guard let folder = unsafe getenv("CREDENTIALS_DIRECTORY") else { return 0 }
            path = unsafe String(cString: folder) + "/" + name
        }
        guard let bytes = try? FileSystem.read(path, limit: limit) else { return 0 }
        if bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"), let keys = try? KeySet(reading: bytes) {
            return keys.keys?.count ?? 1
        }
        let lines = bytes.split(separator: 0x0A).filter { $0.contains { $0 > 0x20 } }
        let blocks = lines.count { $0.starts(with: "-----BEGIN".utf8) }
        return blocks > 0 ? blocks : lines.count
    }
}

/// `usher hook log`: the last requests to hooks, and why each was refused or ignored.
enum HookLogCommand {
    private static let limit = Option("limit", "N", "the last N requests (100)")
    private static let follow = Option(flag: "follow", "and those that come from now on, a line each, until Control-C")

    static let description = CommandDescription(
        "hook log", "the last requests to hooks, and why each was refused or ignored; the newest last",
        operands: [.init("NAME", .optional, of: .hooks)], options: [limit, follow],
        discussion: [
            "NAME is a hook or the path of hooks. Requests are kept by usherd, the last MiB or two of them; of refusals with the",
            "same hook, error and client ten a minute, and `left_out` says how many are missing before one.",
        ],
        examples: [
            .init("usher hook log", "the last hundred"),
            .init("usher hook log github-issues --limit 5", "the last five of a hook"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        let most = try arguments.number(limit, in: 1...1_000_000) ?? 100
        let name = arguments.operands.first
        var requests = HookRequests(in: try context.stateFolder())
        guard arguments.has(follow) else {
            return show(completed(try select(requests.next(), name, context).suffix(most), context), context)
        }
        let signals = try StoreWatch.openSignals()
        var watch = try StoreWatch(database: requests.file)
        try watch.begin()
        stream(completed(try select(requests.next(), name, context).suffix(most), context), context)
        while !context.output.isBroken, case .changed = watch.wait(signals: signals, output: 1) {
            try watch.begin()
            let new = requests.next().filter { entry in name.map { entry.isAbout($0) } ?? true }
            stream(completed(new[...], context), context)
        }
    }

    /// The requests to a hook or path; one that is neither there nor in the log is an error.
    private static func select(
        _ entries: [HookRequestRecord], _ name: String?, _ context: Context
    ) throws(CommandFailure) -> [HookRequestRecord] {
        guard let name else { return entries }
        let selected = entries.filter { $0.isAbout(name) }
        if selected.isEmpty, let settings = try context.loadConfigurationIfPresent()?.settings {
            _ = try settings.knownHooks(called: name)
        }
        return selected
    }

    /// With what duplicates repeat, as far as the store has it.
    private static func completed(
        _ entries: ArraySlice<HookRequestRecord>, _ context: Context
    ) -> ArraySlice<HookRequestRecord> {
        guard entries.contains(where: { $0.result == "duplicate" }), let store = try? context.openStore(.readOnly)
        else { return entries }
        defer { store.close() }
        var entries = entries
        for place in entries.indices where entries[place].result == "duplicate" {
            guard let id = entries[place].deliveries.first, let delivery = try? store.delivery(id),
                let first = delivery.original
            else { continue }
            entries[place].duplicateOf = first
            let sender = (try? store.delivery(first))?.senderID
            let isSameID = sender.map { delivery.senderID?.hasSameBytes(as: $0) ?? false } ?? false
            entries[place].sameness = (isSameID ? HookReplays.id : .code).rawValue
        }
        return entries
    }

    private static func show(_ entries: ArraySlice<HookRequestRecord>, _ context: Context) {
        if context.writesJSON {
            context.printArray(Array(entries))
        } else if entries.isEmpty {
            context.errors.note("no request came to a hook yet")
        } else {
            stream(entries, context)
        }
    }

    private static func stream(_ entries: ArraySlice<HookRequestRecord>, _ context: Context) {
        for entry in entries {
            if context.writesJSON {
                context.print(json: entry)
            } else {
                context.output.write(HookRequestText.text(entry, style: context.style))
            }
        }
        context.output.flush()
    }
}
