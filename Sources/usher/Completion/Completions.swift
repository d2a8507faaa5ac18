internal import UsherActivation
internal import UsherActivities
internal import UsherAgents
internal import UsherConfiguration
internal import UsherControl
internal import UsherEngine
internal import UsherFeatures
internal import UsherHook
internal import UsherNotes
internal import UsherOperation
internal import UsherScene
internal import UsherSchedule
internal import UsherStore
internal import UsherSuggestions
internal import UsherSystem
internal import UsherTarget
internal import UsherText

/// What can complete a command line. Nothing is written, reported or started, and what is missing or in error has no candidates.
struct Completions {
    struct Candidate {
        var value: String
        /// For people; empty where there is nothing to say.
        var summary: String
    }

    /// More are no help to anybody.
    private static let limit = 500

    let line: CompletedLine
    let context: Context

    /// - Parameter text: the line up to the cursor.
    init(_ text: String) {
        line = CompletedLine(text, home: ProcessEnvironment.variables["HOME"])
        // It is that of the command that is being typed.
        context = Context(arguments: Arguments(options: line.options.filter { !$0.value.isEmpty }))
    }

    /// The kinds of values that are asked for.
    private var kinds: [ValueKind] {
        switch line.place {
        case .value(let option): option.values
        case .operand(let operand): operand.values
        case .command, .option, .text: []
        }
    }

    var takesFiles: Bool { kinds.contains(.files) }

    /// Those that begin with what is there of the word, without repeated ones, in order.
    func candidates() -> [Candidate] {
        var found: [Candidate]
        switch line.place {
        case .command: found = Completions.commands(after: line.path)
        case .option: found = line.knownOptions.map { Candidate(value: "--\($0.name)", summary: $0.summary) }
        case .value, .operand: found = kinds.flatMap(values)
        case .text: found = []
        }
        let beginning = line.current.utf8
        var seen = Set(line.operands.map { Array($0.utf8) })
        found.removeAll { candidate in
            !candidate.value.utf8.starts(with: beginning)
                || candidate.value.unicodeScalars.contains(where: Printable.disturbs)
                || !seen.insert(Array(candidate.value.utf8)).inserted
        }
        return Array(found.prefix(Completions.limit))
    }

    private static func commands(after path: [String]) -> [Candidate] {
        CommandTable.words(after: path).map { word in
            let summary =
                CommandTable.command(path + [word])?.summary
                ?? (path.isEmpty ? CommandTable.groups.first { $0.name == word }?.summary : nil)
            return Candidate(value: word, summary: summary ?? "")
        }
    }

    private func values(_ kind: ValueKind) -> [Candidate] {
        switch kind {
        case .files: return []
        case .words(let words): return words.map { Candidate(value: $0, summary: "") }
        case .commands: return Completions.commands(after: line.operands)
        case .senders: return HookTemplate.all.map { Candidate(value: $0.name, summary: $0.title) }
        case .agents: return AgentName.allCases.map { Candidate(value: $0.rawValue, summary: "") }
        case .browsers: return BrowserKind.all.map { Candidate(value: $0.name, summary: "") }
        case .verbs: return PerformVerb.allCases.map { Candidate(value: $0.rawValue, summary: "") }
        case .suggestionKinds: return SuggestionKind.allCases.map { Candidate(value: $0.rawValue, summary: "") }
        case .apps:
            return configuration?.configuration.manifestApps.map { Candidate(value: $0.id, summary: $0.name) } ?? []
        case .scenes:
            return apps.flatMap { app in app.scenes.map { Candidate(value: $0.name, summary: app.name) } }
        case .hooks:
            return configuration?.settings.hooks.map { Candidate(value: $0.name, summary: "/hooks/\($0.path)") } ?? []
        case .templates:
            return apps.flatMap { app in app.targets.map { Candidate(value: $0.name, summary: $0.template.text) } }
        case .shortcuts:
            let desktop = DesktopShortcut.all(apps, context).found
            return shortcuts + desktop.map { Candidate(value: $0.type, summary: $0.action.name) }
        case .dynamicShortcuts: return dynamicShortcuts
        case .sessions: return sessions
        case .deliveries:
            return look { (store) throws(StoreError) in try store.deliveries(limit: 100) }.map { delivery in
                let what = [delivery.state.rawValue, delivery.app, delivery.target].compactMap(\.self)
                return Candidate(value: delivery.id, summary: what.joined(separator: " "))
            }
        case .notifications:
            if line.options.contains(where: { $0.name == "delivered" }) {
                return (answer(NotificationDelivered(app: app)) ?? []).map {
                    Candidate(value: $0.id, summary: $0.app ?? "")
                }
            }
            return (answer(NotificationPending(app: app)) ?? []).map {
                Candidate(value: $0.id, summary: $0.every ?? "")
            }
        case .notes: return (answer(NoteList(limit: 100)) ?? []).map { Candidate(value: $0.id, summary: $0.title) }
        case .links:
            return (answer(LinkList()) ?? []).map { Candidate(value: $0.id, summary: $0.title ?? $0.target ?? "") }
        case .activities:
            return (answer(ActivityList()) ?? []).map { Candidate(value: $0.id, summary: $0.title ?? $0.target ?? "") }
        case .reminders: return (answer(ReminderList()) ?? []).map { Candidate(value: $0.id, summary: $0.text) }
        }
    }

    // MARK: The configuration

    /// As far as it can be read: that which is named on the line, else that of an engine that runs, else that of the usual
    /// places.
    private var configuration: LoadedConfiguration? {
        guard let path = context.configurationOption ?? engineConfiguration ?? (try? context.configurationPath()) else {
            return nil
        }
        return ConfigurationLoader.load(path: path)
    }

    private var engineConfiguration: String? {
        guard let state = try? context.stateFolder() else { return nil }
        return (try? ControlClient.reach(state: FilePath.absolute(state), patience: 0))?.hello.configuration
    }

    /// `--app` of the line.
    private var app: String? { line.options.last { $0.name == "app" }?.value }

    /// The app that the line names, else all.
    private var apps: [App] {
        guard let configuration = configuration?.configuration else { return [] }
        guard let app else { return configuration.manifestApps }
        return configuration.manifestApp(named: app).map { [$0] } ?? []
    }

    // MARK: The store

    private func look<Value>(_ body: (Store) throws(StoreError) -> [Value]) -> [Value] {
        guard let store = try? context.openStore(.readOnly) else { return [] }
        defer { store.close() }
        return (try? body(store)) ?? []
    }

    private func answer<C: PerformedCall>(_ call: C) -> C.Answer? {
        guard let store = try? context.openStore(.readOnly) else { return nil }
        defer { store.close() }
        let operations = OperationContext(
            store, sessions: store, configuration: nil, activator: nil, logger: context.logger, openings: .all)
        return try? operations.perform(call)
    }

    private var sessions: [Candidate] {
        let (beginning, app) = (line.current, app)
        return look { (store) throws(StoreError) in
            try store.sessionNames(from: beginning, app: app, limit: Completions.limit)
        }.map { Candidate(value: $0.id, summary: $0.summary) }
    }

    private var dynamicShortcuts: [Candidate] {
        look { (store) throws(StoreError) in try store.dynamicShortcuts() }
            .filter { item in app.map { item.app.hasSameBytes(as: $0) } ?? true }
            .map { Candidate(value: $0.item.type, summary: $0.item.title) }
    }

    private var shortcuts: [Candidate] {
        apps.flatMap { $0.shortcuts.map { Candidate(value: $0.type, summary: $0.title) } } + dynamicShortcuts
    }
}

/// A shell whose lines are completed.
enum CompletingShell: String, CaseIterable {
    case bash, zsh, fish

    var script: String {
        switch self {
        case .bash: CompletionScript.bash
        case .zsh: CompletionScript.zsh
        case .fish: CompletionScript.fish
        }
    }

    /// What its script is answered.
    func answer(_ completions: Completions) -> String {
        let lines = completions.candidates().map { text(of: $0, completions.line) + "\n" }
        return (completions.takesFiles ? "files\n" : "words\n") + lines.joined()
    }

    private func text(of candidate: Completions.Candidate, _ line: CompletedLine) -> String {
        let summary = Printable.text(candidate.summary, limit: 80, as: .plain)
        switch self {
        case .bash: return line.prefix + (line.isQuoted ? candidate.value : CompletingShell.quoted(candidate.value))
        // The script has taken the prefix away.
        case .zsh: return CompletingShell.escaped(candidate.value) + (summary.isEmpty ? "" : ":\(summary)")
        case .fish: return line.prefix + candidate.value + (summary.isEmpty ? "" : "\t\(summary)")
        }
    }

    /// What bash puts on the line as it is: characters that it would take for its own are behind a `\`.
    private static func quoted(_ text: String) -> String {
        escaped(text) {
            !$0.isASCII || $0.properties.isAlphabetic || "0123456789_@%+=:,./-".unicodeScalars.contains($0)
        }
    }

    /// Up to the first `:` zsh's `_describe` reads the value.
    private static func escaped(_ text: String) -> String { escaped(text) { $0 != ":" && $0 != "\\" } }

    private static func escaped(_ text: String, unless isPlain: (Unicode.Scalar) -> Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if !isPlain(scalar) { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
