internal import Glibc
internal import UsherActivation
internal import UsherConfiguration
internal import UsherControl
internal import UsherEngine
internal import UsherFeatures
internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// What a feature adds to `usher doctor`.
protocol DoctorPart {
    /// Findings that the store alone gives.
    static func findings(in store: Store, _ context: Context) -> [StoreFinding]

    /// Looks at what it depends on.
    init(_ context: Context) throws(CommandFailure)
    var findings: [StoreFinding] { get }
    /// Lines for people.
    func report(to context: Context)
    /// Members of the answer.
    func write(to json: inout JSONWriter)
}

/// `usher doctor`: whether the store is sound, and what it depends on.
enum DoctorCommand {
    /// What features add.
    private static var parts: [any DoctorPart.Type] { [SuggestionServices.self, TerminalChecks.self] }

    private static let repair = Option(
        flag: "repair", "repair what can be repaired; no process may have the store open")
    private static let backup = Option("backup", "FILE", "write a checked copy of the store to a new file")

    static let description = CommandDescription(
        "doctor", "whether the store is sound, and what it depends on",
        options: [repair, backup],
        discussion: [
            "Reads the whole store and writes nothing. Ends with status 1 when there is an error; warnings are no failure.",
            "--backup works beside a daemon and other commands. --repair copies what can be read of a damaged store, or of one",
            "whose file was cut, into a new file and keeps the damaged one beside it; no note that can be read is lost.",
        ],
        examples: [
            .init("usher doctor", "every check"),
            .init("usher doctor --backup usher-backup.db", "a copy, taken while others write"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        if let file = arguments.value(backup) {
            guard !arguments.has(repair) else {
                throw .usage("--backup and --repair exclude each other", help: "first the one, then the other")
            }
            try backUp(to: file, context)
            return .handled
        }
        if arguments.has(repair) { return try mend(context) }
        var findings = try findings(context)
        let systems = try SceneWindowsCommand.answer(context).systems
        let parts = try parts.map { (part) throws(CommandFailure) in try part.init(context) }
        findings += parts.flatMap(\.findings)
        report(findings, systems, parts, context)
        return findings.contains { $0.severity == .error } ? .finding : .handled
    }

    // MARK: Checks

    private static func findings(_ context: Context) throws(CommandFailure) -> [StoreFinding] {
        let folder = try context.stateFolder()
        var findings = Store.examineFiles(directory: folder)
        do throws(StoreError) {
            let store = try Store(directory: folder, access: .readOnly, features: .all)
            findings += store.examine()
            findings += parts.flatMap { $0.findings(in: store, context) }
            store.close()
        } catch {
            findings.append(
                StoreFinding(
                    error.code, "the store cannot be opened: \(error.message)",
                    help: error.help ?? "Put a backup in its place."))
        }
        findings += daemonFindings(folder)
        findings += try configurationFindings(context)
        return findings + programFindings(context)
    }

    /// What each window system can do, and what it cannot, with the reason, once where it is the same.
    private static func report(_ systems: [WindowSupport], _ context: Context) {
        let abilities = WindowSupport.Ability.allCases
        var rows = [["windows"] + abilities.map(\.rawValue)]
        var reasons: [String] = []
        for system in systems {
            let name = Printable.escaped(system.system)
            rows.append([name] + abilities.map { system.lack(of: $0) == nil ? "yes" : "no" })
            var told: Set<String> = []
            for ability in abilities {
                guard let reason = system.lack(of: ability), told.insert(reason).inserted else { continue }
                let alike = abilities.filter { system.lack(of: $0) == reason }.map(\.rawValue)
                let what = alike.count == abilities.count ? "" : ", " + alike.joined(separator: ", ")
                reasons.append("   \(name)\(what): \(Printable.escaped(bare(reason, of: name)))\n")
            }
        }
        let desktops = systems.map(\.system).filter { name in
            !["tmux", "browser"].contains { name.utf8.starts(with: $0.utf8) }
        }
        let isRunning = (try? context.daemon()) != nil
        if desktops.isEmpty {
            let whose = isRunning ? "of usherd" : "here"
            reasons.append("   no desktop: DISPLAY and WAYLAND_DISPLAY are not in the environment \(whose)\n")
        }
        if !isRunning {
            reasons.append(
                "   usherd does not run: tabs of browsers and notifications need it, usher serve starts it\n")
        }
        context.output.write(TextTable.text(rows, indent: 3) + reasons.joined())
    }

    /// A reason without the name of its system, which stands before it already.
    private static func bare(_ reason: String, of name: String) -> String {
        reason.utf8.starts(with: "\(name): ".utf8) ? String(reason.dropFirst(name.count + 2)) : reason
    }

    private static func daemonFindings(_ folder: String) -> [StoreFinding] {
        do throws(ControlError) {
            guard let found = try ControlClient.reach(state: FilePath.absolute(folder)) else { return [] }
            guard found.hello.version != UsherVersion.text else { return [] }
            return [
                StoreFinding(
                    .warning, .daemonDeaf,
                    "usherd (process \(found.hello.pid)) has version \(found.hello.version), this is \(UsherVersion.text)",
                    help: "Start it anew, so that both are of one version.")
            ]
        } catch {
            return [
                StoreFinding(
                    .daemonDeaf, "usherd runs and does not answer: \(error.message)",
                    help: error.help ?? "Look into its log, and start it anew.")
            ]
        }
    }

    private static func configurationFindings(_ context: Context) throws(CommandFailure) -> [StoreFinding] {
        let path: String
        do throws(CommandFailure) {
            path = try context.configurationPath()
        } catch {
            return [
                StoreFinding(
                    .warning, .brokenConfiguration, error.message, help: error.help ?? "usher init writes one.")
            ]
        }
        let loaded = ConfigurationLoader.load(path: path)
        let count = loaded.diagnostics.count { $0.severity == .error }
        guard count > 0 else { return [] }
        return [
            StoreFinding(
                .brokenConfiguration, "the configuration \(path) has \(count == 1 ? "an error" : "\(count) errors")",
                help: "`usher check --config \(path)` shows them.")
        ]
    }

    private static func programFindings(_ context: Context) -> [StoreFinding] {
        var findings: [StoreFinding] = []
        if !isInPath("tmux", context) {
            findings.append(
                StoreFinding(
                    .warning, .missingProgram, "tmux is not found in $PATH",
                    help: "Windows are opened in it: install it."))
        }
        let chosen = ["VISUAL", "EDITOR"].lazy.compactMap { context.environment[$0] }.first { !$0.isEmpty }
        let editors = chosen.map { [String($0.split(separator: " ").first ?? "")] } ?? ["editor", "vi", "nano"]
        if !editors.contains(where: { isInPath($0, context) }) {
            findings.append(
                StoreFinding(
                    .warning, .missingProgram,
                    "there is no editor: \(editors.joined(separator: ", ")) not found in $PATH",
                    help: "Notes are opened in $VISUAL or $EDITOR: name a program that is there."))
        }
        return findings
    }

    private static func isInPath(_ program: String, _ context: Context) -> Bool {
        if program.contains("/") { return unsafe access(program, X_OK) == 0 }
        return (context.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").contains {
            unsafe access("\($0)/\(program)", X_OK) == 0
        }
    }

    private static func report(
        _ findings: [StoreFinding], _ systems: [WindowSupport], _ parts: [any DoctorPart], _ context: Context
    ) {
        guard context.writesJSON else {
            defer {
                report(systems, context)
                for part in parts { part.report(to: context) }
            }
            guard !findings.isEmpty else { return context.output.write("the store and its surroundings are sound\n") }
            for finding in findings {
                let word = finding.severity == .error ? "error" : "warning"
                let colour = context.style.color(word, finding.severity == .error ? .red : .yellow)
                context.output.write(
                    "\(colour) \(finding.code.code): \(Printable.escaped(finding.message))\n"
                        + "help: \(Printable.escaped(finding.help))\n")
            }
            return
        }
        context.printJSON { json in
            json.beginObject()
            json.member("sound", !findings.contains { $0.severity == .error })
            json.beginArray("findings")
            for finding in findings {
                json.beginObject()
                json.member("severity", finding.severity.rawValue)
                json.member("code", finding.code.code)
                json.member("name", finding.code.name)
                json.member("message", finding.message)
                json.member("help", finding.help)
                json.endObject()
            }
            json.endArray()
            json.key("windows")
            systems.write(to: &json)
            for part in parts { part.write(to: &json) }
            json.endObject()
        }
    }

    // MARK: Copy and repair

    private static func backUp(to file: String, _ context: Context) throws(CommandFailure) {
        let store = try context.openStore(.readOnly)
        defer { store.close() }
        let size = try context.storing { () throws(StoreError) in try store.backUp(to: file) }
        if context.writesJSON {
            context.print(json: ["file": .string(file), "size": .number(String(size))] as JSONValue)
        } else {
            context.errors.note("a copy of \(size) bytes, checked, is in \(file)")
        }
    }

    private static func mend(_ context: Context) throws(CommandFailure) -> ExitStatus {
        let folder = try context.stateFolder()
        let outcome = try CommandFailure.attempt { () throws(ControlError) in
            // Held meanwhile, so that neither a daemon begins nor a command writes.
            let lock = try DaemonLock.acquire(
                state: FilePath.absolute(folder), socket: "", version: UsherVersion.text,
                started: Instant.now.text)
            return try repaired(folder, under: lock)
        }
        let lost = outcome.tables.filter { $0.lost != 0 }
        if context.writesJSON {
            context.printJSON { write(outcome, to: &$0) }
        } else {
            for action in outcome.actions { context.output.write(action + "\n") }
            for table in outcome.tables where table.copied > 0 || table.lost != 0 {
                let count = table.lost.map { "\($0)" } ?? "an unknown number"
                let loss = table.lost == 0 ? "" : ", \(count) lost"
                context.output.write("\(table.name): \(table.copied) copied\(loss)\n")
            }
            if let damaged = outcome.damaged {
                context.output.write("the damaged store is kept: \(Printable.escaped(damaged))\n")
            }
        }
        return lost.isEmpty ? .handled : .finding
    }

    private static func repaired(
        _ folder: String, under lock: borrowing DaemonLock
    ) throws(ControlError) -> StoreRepair.Outcome {
        try Result { () throws(StoreError) in try StoreRepair.run(directory: folder, features: .all) }
            .mapError { ControlError($0) }.get()
    }

    private static func write(_ outcome: StoreRepair.Outcome, to json: inout JSONWriter) {
        json.beginObject()
        json.member("damaged", outcome.damaged)
        json.member("actions", outcome.actions)
        json.beginArray("tables")
        for table in outcome.tables {
            json.beginObject()
            json.member("name", table.name)
            json.member("copied", table.copied)
            json.member("lost", table.lost)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }
}

extension WindowSupport {
    /// Why it cannot do something; nil where it can.
    fileprivate func lack(of ability: Ability) -> String? {
        if case .no(let reason) = self[ability] { reason } else { nil }
    }
}
