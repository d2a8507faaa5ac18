internal import UsherConfiguration
internal import UsherJSON
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// `usher link-handler`: Usher as the program that the desktop opens links with.
enum LinkHandlerCommands {
    private static let browser = Option(
        "browser", "ENTRY.desktop", "what opens pages that no app claims (else the handler of https links until now)")

    static let install = CommandDescription(
        "link-handler install", "open the links that your apps claim with usher, on the whole desktop",
        options: [browser],
        discussion: [
            "Registers the schemes of all apps, and http and https where an app has domains, in mimeapps.list.",
            "Pages that no app claims go to the browser that was the handler before. Again after a change of",
            "the configuration; where nothing changed, nothing is written. Not file: the desktop opens documents by their",
            "types, each with the application that is set for it: xdg-mime default ENTRY.desktop TYPE.",
        ],
        examples: [
            .init("usher link-handler install", "the present browser stays the browser"),
            .init("usher link-handler install --browser firefox.desktop", "another one is"),
        ],
        run: runInstall)

    static let remove = CommandDescription(
        "link-handler remove", "give links back to the programs that opened them before",
        discussion: ["Restores mimeapps.list; where you edited it since, only the lines of usher are taken back."],
        examples: [.init("usher link-handler remove", "links go to the browser again")], run: runRemove)

    static let status = CommandDescription(
        "link-handler status", "which links usher opens, and what opened them before",
        discussion: ["Exit status 1: it is not installed."],
        examples: [.init("usher link-handler status", "scheme by scheme")], run: runStatus)

    private static func runInstall(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let handler = try LinkHandler(context)
        let apps = try context.loadConfiguration().configuration.manifestApps
        let schemes = LinkHandler.schemes(of: apps)
        if apps.contains(where: { $0.schemes.contains { $0.value.hasSameBytes(as: "file") } }) {
            context.errors.note(
                "file is not registered: documents open with the applications of their types, and by usher open file:///PATH"
            )
        }
        guard !schemes.isEmpty else {
            throw .refusal(
                .linkHandlerNoScheme, "no app claims links",
                help: "give an app `domains` or `schemes`, then run this again")
        }
        let program = try PublishedEntry.program([
            "--config", FilePath.absolute(try context.configurationPath()),
            "--state", FilePath.absolute(try context.stateFolder()),
        ])
        let text = LinkHandlerEntry(program: program, schemes: schemes).text
        try handler.install(schemes, browser: arguments.value(browser), entry: text)
        return try report(handler, context)
    }

    private static func runRemove(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let handler = try LinkHandler(context)
        if try !handler.remove() { context.errors.note("usher is not the handler of links: nothing to remove") }
        _ = try report(handler, context)
        return .handled
    }

    private static func runStatus(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        try report(try LinkHandler(context), context)
    }

    /// Prints the state. Usher is installed where it opens links of at least one scheme, and its entry is there.
    private static func report(_ handler: LinkHandler, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let saved = try handler.saved()
        var schemes = saved?.schemes ?? []
        if schemes.isEmpty, let loaded = try context.loadConfigurationIfPresent() {
            schemes = LinkHandler.schemes(of: loaded.configuration.manifestApps).map { .init(scheme: $0, entries: []) }
        }
        var rows: [(scheme: String, handler: String?, before: String?)] = []
        for former in schemes {
            rows.append((former.scheme, try handler.handlers(of: former.scheme).first, former.entries.first))
        }
        let hasEntry = FileSystem.exists(handler.entry)
        let isInstalled = hasEntry && rows.contains { $0.handler.map(LinkHandler.isOurs) ?? false }
        if context.writesJSON {
            func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
            let schemes = rows.map { row -> JSONValue in
                [
                    "scheme": .string(row.scheme), "handler": text(row.handler),
                    "ours": .boolean(row.handler.map(LinkHandler.isOurs) ?? false), "before": text(row.before),
                ]
            }
            let answer: JSONValue = [
                "installed": .boolean(isInstalled), "schemes": .array(schemes), "browser": text(saved?.browser),
                "entry": text(hasEntry ? handler.entry : nil),
            ]
            context.print(json: answer)
        } else {
            let cells = rows.map { [$0.scheme, $0.handler ?? "none", $0.before ?? "none"] }
            context.output.write(TextTable.text(escaping: [["scheme", "handler", "before"]] + cells))
            if let browser = saved?.browser { context.output.write("browser: \(Printable.escaped(browser))\n") }
            context.output.write(isInstalled ? "installed\n" : "not installed\n")
        }
        context.output.flush()
        return isInstalled ? .handled : .finding
    }
}
