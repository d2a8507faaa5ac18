internal import Glibc
internal import UsherActivation
internal import UsherConfiguration
internal import UsherEngine
internal import UsherJSON
internal import UsherOperation
internal import UsherPayload
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// `usher shortcut list`: what shortcut items there are.
enum ShortcutListCommand {
    private static let app = Option("app", "ID", "only the shortcut items of this app")
    private static let menu = Option(flag: "menu", "a line each, for dmenu, rofi and their like")

    static let description = CommandDescription(
        "shortcut list", "the shortcut items of apps: declared, actions of their desktop entries, dynamic",
        options: [app, menu],
        discussion: [
            "Actions of a desktop entry that a manifest names (`launch = { desktop = … }`) are shortcut items as well; their",
            "type is ENTRY:ACTION. Dynamic items are those of usher shortcut set and add. As a menu:",
            "usher shortcut list --menu | dmenu -i -l 20 | usher shortcut perform --from-menu -",
        ],
        examples: [
            .init("usher shortcut list", "of every app"),
            .init("usher shortcut list --app example.clowntown --json", "of one app, as a JSON array"),
            .init("usher shortcut list --menu", "to choose from"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        let items = try items(app: arguments.value(app), context)
        if arguments.has(menu) {
            context.output.write(ShortcutMenu(items).lines.map { $0.text + "\n" }.joined())
        } else if context.writesJSON {
            context.printArray(items) { item, json in
                switch item {
                case .listed(_, let shortcut): shortcut.write(to: &json)
                case .desktop(let shortcut): write(shortcut, to: &json)
                }
            }
        } else if items.isEmpty {
            context.errors.note("no shortcut items: a manifest declares them as [[shortcuts]]")
        } else {
            let head = ["type", "title", "app", "target", "declared at"]
            context.output.write(TextTable.text(escaping: [head] + items.map(row), indent: 3))
        }
    }

    /// The declared ones, those of desktop entries, and the dynamic ones, all as the daemon has them, if one runs. An entry
    /// that cannot be read is reported.
    static func items(app name: String?, _ context: Context) throws(CommandFailure) -> [ShortcutMenu.Item] {
        let listed = try context.service().call(ShortcutList(app: name))
        let configuration = try configuration(context)
        let apps = name.map { name in configuration.manifestApp(named: name).map { [$0] } ?? [] }
        let (found, failures) = DesktopShortcut.all(apps ?? configuration.manifestApps, context)
        context.warn(of: failures)
        let items = listed.map { shortcut in
            ShortcutMenu.Item.listed(configuration.app(id: shortcut.app)?.name ?? shortcut.app, shortcut)
        }
        let declared = listed.prefix { !$0.isDynamic }.count
        return items[..<declared] + found.map { .desktop($0) } + items[declared...]
    }

    /// That of the daemon, if one runs.
    static func configuration(_ context: Context) throws(CommandFailure) -> Configuration {
        guard let daemon = try context.daemon() else { return try context.loadConfiguration().configuration }
        return try context.loadConfiguration(of: daemon).configuration
    }

    static func row(of item: ShortcutMenu.Item) -> [String?] {
        switch item {
        case .listed(_, let shortcut):
            [
                shortcut.type, shortcut.localizedTitle, shortcut.app, shortcut.targetContentIdentifier,
                shortcut.at ?? "dynamic",
            ]
        case .desktop(let shortcut):
            [shortcut.type, shortcut.action.name, shortcut.app.id, nil, shortcut.entry.path]
        }
    }

    /// Like a `ShortcutAnswer`, with `desktopEntry`: this one is performed by its type, and is no payload.
    private static func write(_ shortcut: DesktopShortcut, to json: inout JSONWriter) {
        json.beginObject()
        json.member("app", shortcut.app.id)
        json.member("type", shortcut.type)
        json.member("localizedTitle", shortcut.action.name)
        json.member("localizedSubtitle", shortcut.entry.name)
        write((shortcut.action.icon ?? shortcut.entry.icon).map(ShortcutIcon.symbolName), to: &json)
        json.member("desktopEntry", shortcut.entry.id)
        json.member("dynamic", false)
        json.member("at", shortcut.entry.path)
        json.endObject()
    }

    /// `{"symbolName"|"templateImageName"|"type": NAME}`, or null.
    static func write(_ icon: ShortcutIcon?, to json: inout JSONWriter) {
        json.key("icon")
        if let icon { icon.write(to: &json) } else { json.null() }
    }
}

/// `usher shortcut set`, `add` and `remove`: the dynamic items of an app.
enum ShortcutChangeCommands {
    private static let app = Option("app", "ID", "the app that registers them")
    private static let owner = Option("app", "ID", "the app that has it, where several do")

    static let set = CommandDescription(
        "shortcut set", "replace all dynamic shortcut items of an app",
        operands: [.init("FILE|-")], options: [app],
        discussion: [
            "FILE has one array of items, or items one after another: {\"type\", \"localizedTitle\", \"localizedSubtitle\", \"icon\",",
            "\"userInfo\", \"targetContentIdentifier\"}; the first two are required. [] removes all. They stay until they are replaced.",
        ],
        examples: [
            .init(
                "echo '[{\"type\":\"order-bozo\",\"localizedTitle\":\"Order Bozo\"}]'"
                    + " | usher shortcut set --app example.clowntown --config Config -", "one item")
        ],
        run: set)

    static let add = CommandDescription(
        "shortcut add", "add dynamic shortcut items to those of an app",
        operands: [.init("FILE|-")], options: [app],
        discussion: ["FILE is that of usher shortcut set. An item of the same type is replaced in its place."],
        examples: [
            .init(
                "echo '{\"type\":\"order-bozo\",\"localizedTitle\":\"Order Bozo\"}'"
                    + " | usher shortcut add --app example.clowntown --config Config -", "one more")
        ],
        run: add)

    static let remove = CommandDescription(
        "shortcut remove", "remove a dynamic shortcut item",
        operands: [.init("TYPE", of: .dynamicShortcuts)], options: [owner],
        examples: [
            .init(
                "echo '{\"type\":\"order-bozo\",\"localizedTitle\":\"Order Bozo\"}'"
                    + " | usher shortcut add --app example.clowntown --config Config -"
                    + " && usher shortcut remove order-bozo --config Config", "by its type")
        ],
        run: remove)

    private static func set(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        let app = try requiredApp(arguments)
        let items = try items(of: arguments.operands[0])
        show(try context.service().call(ShortcutSet(app: app, items)), items, context)
    }

    private static func add(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        let app = try requiredApp(arguments)
        let items = try items(of: arguments.operands[0])
        show(try context.service().call(ShortcutAdd(app: app, items)), items, context)
    }

    private static func remove(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        let call = ShortcutRemove(arguments.operands[0], app: arguments.value(owner))
        show(try context.service().call(call), [], context)
    }

    private static func requiredApp(_ arguments: Arguments) throws(CommandFailure) -> String {
        guard let app = arguments.value(app) else {
            throw .usage("--app is missing: shortcut items belong to an app", help: "usher shortcut list names apps")
        }
        return app
    }

    /// The longest array of items, in bytes.
    private static let longest = 4 << 20

    /// The items of an array, or of a stream.
    private static func items(of path: String) throws(CommandFailure) -> [ShortcutArgument] {
        let input = try InputFile(path)
        var splitter = JSONStreamSplitter(limit: longest)
        var document = JSONDocument()
        var items: [ShortcutArgument] = []
        var count = 0
        var hasArray = false
        var isAtEnd = false
        while !isAtEnd {
            let bytes = try input.read()
            isAtEnd = bytes.isEmpty
            if isAtEnd { splitter.finish() } else { splitter.push(Array(bytes)) }
            while let text = splitter.next(into: &document) {
                count += 1
                let value = try value(of: text, document)
                let isArray = value.elements != nil
                guard count == 1 || !isArray && !hasArray else {
                    throw .usage(
                        "\(input.name) has \(isArray ? "an array after another value" : "another value after an array")",
                        help: "a file has one array of items, or items one after another", code: .usageFile)
                }
                hasArray = isArray
                items += (value.elements ?? [value]).map { ShortcutArgument($0) }
                // More are refused whatever follows.
                if items.count > 1_000 { return items }
            }
        }
        guard count > 0 else {
            throw .usage(
                "\(input.name) has no JSON value", help: "[] removes all items: usher shortcut set", code: .usageFile)
        }
        return items
    }

    private static func value(
        of text: JSONStreamSplitter.Text, _ document: JSONDocument
    ) throws(CommandFailure) -> JSONValue {
        var error: PayloadError?
        if text.isTooLong { error = .tooLongLine }
        if let failure = text.failure { error = PayloadError(failure.value) }
        if let error {
            throw .payload(error.positioned(in: text.bytes, text.range, begin: text.begin), .usage)
        }
        return document.root.map { document.value($0) } ?? .null
    }

    /// - Parameter given: the items of the call, whose members may be misspelt.
    private static func show(_ items: [ShortcutAnswer], _ given: [ShortcutArgument], _ context: Context) {
        for (index, item) in given.enumerated() {
            for warning in item.warnings {
                context.errors.warning(
                    "item \(index + 1), \(warning.pointer): \(warning.message) [\(warning.code)]", help: warning.help)
            }
        }
        if context.writesJSON { return context.printArray(items) }
        if items.isEmpty { return context.errors.note("the app has no dynamic shortcut items now") }
        let rows = items.map { ShortcutListCommand.row(of: .listed("", $0)) }
        context.output.write(
            TextTable.text(escaping: [["type", "title", "app", "target", "declared at"]] + rows, indent: 3))
    }
}

/// `usher shortcut perform`: what tapping a shortcut item does.
enum ShortcutPerformCommand {
    private static let app = Option("app", "ID", "the app that has it, where several do")
    private static let chosen = Option("from-menu", "FILE|-", "instead of TYPE: the line that was chosen in a menu")

    static let description = CommandDescription(
        "shortcut perform", "do what tapping a shortcut item does",
        operands: [.init("TYPE", .optional, of: .shortcuts)], options: [app, chosen],
        discussion: [
            "TYPE is that of a declared or a dynamic item, or ENTRY:ACTION, an action of a desktop entry that a manifest",
            "names. A launcher's activation token (XDG_ACTIVATION_TOKEN, DESKTOP_STARTUP_ID) is for the window that comes",
            "forward. As a menu: usher shortcut list --menu | dmenu -i -l 20 | usher shortcut perform --from-menu -",
        ],
        examples: [
            .init("usher shortcut perform order-crusty --config Config", "orders Crusty"),
            .init(
                "usher shortcut list --menu --config Config | head -n 1 | usher shortcut perform --from-menu - --config Config",
                "head stands for dmenu or rofi -dmenu"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let item: ShortcutMenu.Item
        if let file = arguments.value(chosen) {
            guard arguments.operands.isEmpty else { throw .usage("a TYPE and --from-menu are two ways to say it") }
            guard let line = try chosenLine(file) else {
                context.errors.note("nothing was chosen")
                return .finding
            }
            let menu = ShortcutMenu(try ShortcutListCommand.items(app: arguments.value(app), context))
            guard let found = menu.item(line) else {
                throw .unknown(
                    "line", line, among: menu.lines.map(\.text), otherwise: "usher shortcut list --menu shows them all")
            }
            item = found
        } else if let type = arguments.operands.first {
            item = try self.item(type, app: arguments.value(app), context)
        } else {
            throw .usage("which shortcut item?", help: "usher shortcut list shows what there is")
        }
        switch item {
        case .desktop(let shortcut): return try shortcut.perform(context)
        case .listed(_, let shortcut):
            return try DaemonDispatching(context, try context.engine(), source: "shortcut").run(
                ["shortcutItem": ["type": .string(shortcut.type)], "app": .string(shortcut.app)])
        }
    }

    /// The item of that type; desktop entries are searched where no app has one.
    private static func item(
        _ type: String, app name: String?, _ context: Context
    ) throws(CommandFailure) -> ShortcutMenu.Item {
        let listed = try context.service().call(ShortcutList(app: name))
        let found = listed.filter { $0.type.hasSameBytes(as: type) }
        if let only = found.first {
            guard found.count == 1 else {
                throw .usage(
                    "\(found.map(\.app).joined(separator: " and ")) have the shortcut \(QuotedText.text(type))",
                    help: "name one with --app", code: .ambiguousApp)
            }
            return .listed(only.app, only)
        }
        var known = listed.map(\.type)
        if type.utf8.contains(UInt8(ascii: ":")) {
            let configuration = try ShortcutListCommand.configuration(context)
            let apps = name.map { name in configuration.manifestApp(named: name).map { [$0] } ?? [] }
            let (found, failures) = DesktopShortcut.all(apps ?? configuration.manifestApps, context)
            context.warn(of: failures)
            // Whichever app names the entry, the same is started.
            if let first = found.first(where: { $0.type.hasSameBytes(as: type) }) { return .desktop(first) }
            known += found.map(\.type)
        }
        throw .unknown(
            "shortcut", type, among: known, otherwise: "usher shortcut list shows what there is",
            code: .shortcutUnknownType)
    }

    /// The first line; nil where there is none, as when a menu is left.
    private static func chosenLine(_ file: String) throws(CommandFailure) -> String? {
        let bytes = try InputFile(file).readAll(limit: 64 * 1024)
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}

/// `usher shortcut publish`: shortcut items in the launchers of the desktop.
enum ShortcutPublishCommand {
    private static let directory = Option(
        "directory", "DIR", "where the entries go (else $XDG_DATA_HOME/applications)")

    static let description = CommandDescription(
        "shortcut publish", "put the shortcut items of apps into the desktop's launchers",
        options: [directory],
        discussion: [
            "Writes a desktop entry for each app that has shortcut items: they are its actions. Entries of ours that",
            "nothing stands behind any more are removed; files of others are left as they are. Say it again after changes.",
        ],
        examples: [
            .init("usher shortcut publish --config Config", "for every app that has some"),
            .init("usher shortcut publish --config Config --directory entries", "into a folder, to look at"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let configuration = try ShortcutListCommand.configuration(context)
        let listed = try context.service().call(ShortcutList(app: nil))
        let folder = try folder(arguments, context)
        let program = try program(context)
        var (written, unchanged, removed, foreign): ([String], [String], [String], [String]) = ([], [], [], [])
        var kept: Set<String> = []
        for app in configuration.manifestApps {
            let shortcuts = listed.filter { $0.app.hasSameBytes(as: app.id) }
            for shortcut in shortcuts where !PublishedEntry.isPublishable(shortcut) {
                context.errors.warning(
                    "the shortcut \(QuotedText.text(shortcut.type)) of \(app.id) is not published",
                    help: "its type has control characters, which a desktop entry cannot hold")
            }
            let publishable = shortcuts.filter(PublishedEntry.isPublishable)
            if publishable.isEmpty { continue }
            if publishable.count > PublishedEntry.mostActions {
                context.errors.warning(
                    "\(app.id) has \(publishable.count) shortcuts: the first \(PublishedEntry.mostActions) are published"
                )
            }
            let name = PublishedEntry.fileName(of: app)
            let path = "\(folder)/\(name)"
            // Two apps whose ids differ in signs alone: the second has none.
            guard kept.insert(name).inserted else {
                foreign.append(path)
                continue
            }
            let text = PublishedEntry(app: app, shortcuts: publishable, program: program).text
            let found = unsafe access(path, F_OK) == 0 ? FileSystem.contents(of: path, limit: 65_536) ?? [] : nil
            if let found, found.elementsEqual(text.utf8) {
                unchanged.append(path)
            } else if let found, !PublishedEntry.isOurs(found) {
                foreign.append(path)
            } else {
                try NewFile.replace(path, with: text, mode: 0o644)
                written.append(path)
            }
        }
        let names = (try? FileSystem.names(in: folder)) ?? []
        for name in names.sorted() where PublishedEntry.isName(name) && !kept.contains(name) {
            let path = "\(folder)/\(name)"
            guard let found = FileSystem.contents(of: path, limit: 65_536), PublishedEntry.isOurs(found) else {
                continue
            }
            guard unsafe unlink(path) == 0 else { throw .cannot("remove \(path)", errno: errno) }
            removed.append(path)
        }
        let report = [("written", written), ("unchanged", unchanged), ("removed", removed), ("foreign", foreign)]
        if context.writesJSON {
            let members = report.map { kind, paths in JSONValue.Member(kind, .array(paths.map { .string($0) })) }
            context.print(json: JSONValue.object(members))
        } else {
            for (kind, paths) in report where kind != "foreign" && !paths.isEmpty {
                context.output.write("\(kind):\n" + paths.map { "   \(Printable.escaped($0))\n" }.joined())
            }
            if written.isEmpty, unchanged.isEmpty { context.errors.note("no app has shortcut items") }
        }
        context.output.flush()
        for path in foreign {
            context.errors.warning(
                "\(path) is another's, and stays as it is [\(DiagnosticCode.entryForeign)]",
                help: "move it away, or give --directory")
        }
        return foreign.isEmpty ? .handled : .finding
    }

    private static func folder(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> String {
        if let given = arguments.value(directory) { return FilePath.absolute(given) }
        return try ProcessEnvironment.folder("XDG_DATA_HOME", ".local/share", context.environment) + "/applications"
    }

    /// This program, with the configuration and the store that are meant now, where they are not the usual ones.
    private static func program(_ context: Context) throws(CommandFailure) -> [String] {
        var options: [String] = []
        if let path = context.configurationOption ?? context.environment["USHER_CONFIG"], !path.isEmpty {
            options += ["--config", FilePath.absolute(path)]
        }
        if let path = context.stateOption ?? context.environment["USHER_STATE"], !path.isEmpty {
            options += ["--state", FilePath.absolute(path)]
        }
        return try PublishedEntry.program(options)
    }
}

/// `usher shortcut import`: an Info.plist's shortcut items as a manifest writes them.
enum ShortcutImportCommand {
    private static let format = Option(
        "format", oneOf: ["toml", "json"], "what to print; toml on a terminal, else json")

    static let description = CommandDescription(
        "shortcut import", "the shortcut items of an Info.plist, to paste into a manifest",
        operands: [.init("FILE|-")], options: [format],
        discussion: [
            "Prints activity-types and [[shortcuts]]; nothing is written. A manifest may also include the file as it is:",
            "info-plist = \"Info.plist\".",
        ],
        examples: [
            .init("usher shortcut import Tests/Fixtures/manifests/plists/Info.plist --format toml", "XML or binary"),
            .init("usher shortcut import - <Tests/Fixtures/manifests/plists/Info.plist", "JSON, where it is piped"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let input = try InputFile(arguments.operands[0])
        let bytes = try input.readAll(limit: PropertyList.maximumSize)
        let tree: JSONValue
        do {
            tree = try PropertyList.value(of: bytes)
        } catch {
            throw CommandFailure(
                .finding, "\(input.name) is not a property list: \(error.message)",
                help: "XML and binary property lists are read: plutil -convert xml1 Info.plist")
        }
        let list = InfoPropertyList(reading: tree)
        for warning in list.warnings {
            context.errors.warning(
                "\(warning.pointer): \(warning.message) [\(warning.code.name)]", help: warning.help)
        }
        for error in list.errors {
            context.errors.report(
                CommandFailure(
                    .finding, "\(error.pointer): \(error.message) [\(error.code)]",
                    help: error.help))
        }
        if list.shortcutItems.isEmpty, list.activityTypes.isEmpty, list.errors.isEmpty {
            context.errors.note("\(input.name) has neither UIApplicationShortcutItems nor NSUserActivityTypes")
        }
        if arguments.value(format) ?? (context.writesJSON ? "json" : "toml") == "json" {
            context.printJSON { write(list, to: &$0) }
        } else {
            context.output.write(manifestText(of: list))
        }
        return list.errors.isEmpty ? .handled : .finding
    }

    private static func manifestText(of list: InfoPropertyList) -> String {
        var blocks: [String] = []
        if !list.activityTypes.isEmpty {
            // A key of the app itself: after a [[table]] it would belong to that.
            blocks.append("activity-types = [\(list.activityTypes.map(TOMLText.quoted).joined(separator: ", "))]\n")
        }
        for item in list.shortcutItems {
            var block = "[[shortcuts]]\n"
            for (key, value) in texts(of: item) {
                if let value { block += "\(key) = \(TOMLText.quoted(value))\n" }
            }
            if let bytes = item.userInfo, let value = try? JSONValue(parsing: Array(bytes)) {
                block += "user-info = \(TOMLText.inline(value))\n"
            }
            blocks.append(block)
        }
        return blocks.joined(separator: "\n")
    }

    private static func texts(of item: ShortcutItem) -> [(String, String?)] {
        [
            ("type", item.type), ("title", item.localizedTitle), ("subtitle", item.localizedSubtitle),
            ("icon", item.icon?.name), ("target-content-id", item.targetContentIdentifier),
        ]
    }

    private static func write(_ list: InfoPropertyList, to json: inout JSONWriter) {
        json.beginObject()
        json.member("activityTypes", list.activityTypes)
        json.beginArray("shortcutItems")
        for item in list.shortcutItems {
            json.beginObject()
            json.member("type", item.type)
            json.member("localizedTitle", item.localizedTitle)
            json.member("localizedSubtitle", item.localizedSubtitle)
            ShortcutListCommand.write(item.icon, to: &json)
            json.member("targetContentIdentifier", item.targetContentIdentifier)
            json.key("userInfo")
            if let bytes = item.userInfo { json.raw(bytes) } else { json.null() }
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }
}
