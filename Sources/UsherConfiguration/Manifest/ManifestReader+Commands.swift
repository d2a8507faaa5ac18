import UsherPredicate
import UsherScene
internal import UsherSystem
internal import UsherText

extension ManifestReader {
    mutating func readHandlers(of table: CheckedTable, into app: inout App) {
        guard let handlers = reader.table("handlers", of: table, ManifestSchema.handlers) else { return }
        app.background = laneHandler("background", of: handlers)
        app.contentDeleted = laneHandler("content-deleted", of: handlers)
        app.openWeb = handler("open-web", of: handlers)
        readContinuation(of: handlers, in: table, into: &app.continuation)
    }

    mutating func launchHandler(of scene: CheckedTable) -> LaunchHandler? {
        guard let table = reader.table("launch", of: scene, ManifestSchema.launch),
            let choice = choice(of: ["exec", "tmux", "desktop", "dbus"], in: table, named: "launch")
        else { return nil }
        let isProgram = choice == "exec" || choice == "tmux"
        guard let command = isProgram ? command(choice, of: table) : application(choice, of: table) else { return nil }
        var session: String?
        if let place = reader.string("in", of: table) {
            if choice != "tmux" {
                reader.report(
                    .noEffect, at: place.region, "`in` names a tmux session: it goes with `tmux`, not with `\(choice)`",
                    help: "write tmux = […] instead of \(choice) = […], or drop `in`")
            } else if checkSessionName(place) {
                session = place.value
            }
        }
        let action = action(of: table, with: choice)
        let method: LaunchHandler.Method =
            switch choice {
            case "tmux": .tmux(session: session)
            case "desktop": .desktop(action: action)
            case "dbus": .dbus(action: action)
            default: .exec
            }
        var handler = LaunchHandler(method: method, command: command)
        if let grace = reader.duration("launch-grace", of: table) { handler.grace = grace }
        handler.ready = readiness(of: table, limit: command.timeLimit)
        handler.hasWindow = !isWithoutWindow(table, choice)
        return handler
    }

    /// Whether `handle = "none"` says that the command makes no window.
    private mutating func isWithoutWindow(_ launch: CheckedTable, _ choice: String) -> Bool {
        guard let handle = reader.string("handle", of: launch, mayBeEmpty: true) else { return false }
        guard handle.value == "none" else {
            reader.report(
                .commandHandle, at: handle.region, "`handle` is \"none\", not \(TOMLText.quoted(handle.value))",
                help: "leave `handle` out of the launch of a program with a window")
            return false
        }
        guard choice == "exec" else {
            reader.report(
                .commandHandle, at: handle.region,
                "`handle = \"none\"` is for a command without a window: it goes with `exec`, not with `\(choice)`",
                help: "write exec = […] instead of \(choice) = […], or remove `handle`")
            return false
        }
        return true
    }

    /// `[browser] open` of usher.toml: what opens a web page that no window shows.
    mutating func pageOpener(of browser: CheckedTable) -> PageOpener? {
        guard let table = reader.table("open", of: browser, ManifestSchema.opener),
            let choice = choice(of: ["exec", "desktop"], in: table, named: "open")
        else { return nil }
        let action = action(of: table, with: choice)
        if choice == "exec" { return command(choice, of: table).map(PageOpener.exec) }
        return application(choice, of: table).map { .desktop($0, action: action) }
    }

    /// `ready`: a command, the window, or a name on the session bus.
    private mutating func readiness(of launch: CheckedTable, limit: Int) -> LaunchHandler.Readiness? {
        guard let table = reader.table("ready", of: launch, ManifestSchema.ready),
            let choice = choice(of: ["exec", "window", "dbus"], in: table, named: "ready")
        else { return nil }
        if let retry = table.members["retry"] {
            reader.report(
                .noEffect, at: retry.keyRegion,
                "`ready` is asked again anyway, until `time-limit` is over: `retry` has no effect there",
                help: "put retry into the `launch` table")
        }
        let limit = reader.duration("time-limit", of: table) ?? limit
        switch choice {
        case "window":
            guard let wanted = reader.boolean("window", of: table) else { return nil }
            guard wanted.value else {
                return reader.refuse(
                    .invalidValue, at: wanted.region, "`window` can only be true here",
                    help: "drop `ready`: nothing is waited for then")
            }
            return .window(timeLimit: limit)
        case "dbus":
            guard let name = reader.string("dbus", of: table), checkBusName(name) else { return nil }
            return .dbus(name: name.value, timeLimit: limit)
        default: return command("exec", of: table).map(LaunchHandler.Readiness.exec)
        }
    }

    mutating func focusHandler(of scene: CheckedTable) -> FocusHandler? {
        guard let table = reader.table("focus", of: scene, ManifestSchema.focus) else { return nil }
        let rule = windowRule(of: table)
        let policy = focusPolicy(of: table)
        let ways = ["exec", "tmux", "dbus"].filter(table.written.contains)
        if let rule {
            for way in ways {
                reader.report(
                    .commandChoice, at: table.members[way]?.keyRegion ?? table.region,
                    "`focus` cannot have both `\(way)` and a description of the window", help: "keep one of them")
            }
            return FocusHandler(method: .window(rule), policy: policy)
        }
        // A policy may stand alone: it is for windows that are known by their handle.
        if ways.isEmpty, ManifestSchema.focusPolicy.contains(where: table.written.contains) {
            return FocusHandler(method: nil, policy: policy)
        }
        guard !ManifestSchema.windowRule.contains(where: table.written.contains),
            let choice = choice(
                of: ["exec", "tmux", "dbus"], in: table, named: "focus", beside: "a description of the window")
        else { return nil }
        switch choice {
        case "exec": return command("exec", of: table).map { FocusHandler(method: .exec($0), policy: policy) }
        case "dbus":
            guard let name = reader.string("dbus", of: table), checkBusName(name) else { return nil }
            return FocusHandler(
                method: .dbus(name: name.value, location: location(name.region.begin)), policy: policy)
        default:
            guard let session = reader.string("tmux", of: table), checkSessionName(session) else { return nil }
            return FocusHandler(
                method: .tmux(session: session.value, location: location(session.region.begin)), policy: policy)
        }
    }

    private mutating func windowRule(of table: CheckedTable) -> WindowRule? {
        let written = ManifestSchema.windowRule.filter(table.written.contains)
        guard let first = written.first else { return nil }
        var rule = WindowRule(location: location((table.members[first]?.keyRegion ?? table.region).begin))
        for key in written {
            guard let text = reader.string(key, of: table) else { continue }
            do {
                let pattern = try WindowRule.Pattern(text.value)
                switch key {
                case "class": rule.windowClass = pattern
                case "instance": rule.instance = pattern
                case "app-id": rule.appID = pattern
                case "title": rule.title = pattern
                case "browser": rule.browser = pattern
                default: rule.tab = pattern
                }
            } catch {
                reader.report(
                    .invalidValue, at: text.region, "\(TOMLText.quoted(text.value)) is no pattern: \(error.message)",
                    help: "`*` stands for any text, `?` for one character; a backslash before them takes them literally"
                )
            }
        }
        checkNames(of: rule, in: table)
        return rule.isEmpty ? nil : rule
    }

    /// What a browser says of its windows has no class, and what the desktop says of them has no tabs: nothing has both.
    private mutating func checkNames(of rule: WindowRule, in table: CheckedTable) {
        guard rule.isOfBrowsers else { return }
        let browsers = ["browser", "tab"].filter(table.written.contains).map { "`\($0)`" }.joined(separator: " and ")
        for key in ["class", "instance", "app-id"] where table.written.contains(key) {
            reader.report(
                .noEffect, at: table.members[key]?.keyRegion ?? table.region,
                "no window has both `\(key)` and \(browsers): what a browser says of its windows has no class",
                help: "drop `\(key)`: `browser` names the program, as usher browser status shows it; or describe the "
                    + "desktop's window, without \(browsers)")
        }
    }

    private mutating func focusPolicy(of table: CheckedTable) -> FocusPolicy {
        var policy = FocusPolicy()
        policy.prominence = reader.choice("policy", of: table, as: FocusPolicy.Prominence.self) ?? policy.prominence
        policy.placement = reader.choice("placement", of: table, as: FocusPolicy.Placement.self) ?? policy.placement
        policy.whileTyping = reader.choice("while-typing", of: table, as: FocusPolicy.Prominence.self)
        return policy
    }

    mutating func showHandler(of scene: CheckedTable) -> ShowHandler? {
        tellingHandler("show", of: scene, ManifestSchema.show, choices: ["exec", "tmux-keys", "tab", "dbus"])
    }

    /// A handler that tells a window something: a program, keys that are typed, a tab's address, a call.
    mutating func tellingHandler(
        _ key: String, of tables: CheckedTable, _ schema: TableSchema, choices: [String] = ["exec", "tmux-keys"]
    ) -> ShowHandler? {
        guard let table = reader.table(key, of: tables, schema),
            let choice = choice(of: choices, in: table, named: key)
        else { return nil }
        switch choice {
        case "exec": return command("exec", of: table).map(ShowHandler.exec)
        case "dbus":
            let action = action(of: table, with: choice)
            return application("dbus", of: table).map { .dbus($0, action: action) }
        case "tab":
            guard let address = reader.string("tab", of: table) else { return nil }
            checkPlaceholders(in: address)
            var command = Command(arguments: [address.value], location: location(address.region.begin))
            readSurroundings(of: table, into: &command)
            return .tab(command)
        default: break
        }
        guard let keys = reader.strings("tmux-keys", of: table), let member = table.members["tmux-keys"] else {
            return nil
        }
        guard !keys.isEmpty else {
            return reader.refuse(.emptyCommand, at: member.value.region, "`tmux-keys` must not be empty")
        }
        for key in keys where !checkKeyName(key) { checkPlaceholders(in: key) }
        var command = Command(arguments: keys.map(\.value), location: location(member.value.region.begin))
        readSurroundings(of: table, into: &command)
        return .tmuxKeys(command)
    }

    /// `desktop = ["org.gnome.TextEditor", "{target}"]`, `dbus = […]`: what is started or called, and URIs.
    private mutating func application(_ key: String, of table: CheckedTable) -> Command? {
        guard let member = table.members[key], let words = reader.strings(key, of: table) else { return nil }
        guard let name = words.first else {
            return reader.refuse(
                .emptyCommand, at: member.value.region, "`\(key)` is empty",
                help: "write it so: \(key) = [\"org.gnome.TextEditor\", \"{target}\"]")
        }
        if !Placeholders.occurrences(in: name.value).isEmpty {
            return reader.refuse(
                .placeholderNotAllowed, at: name.region, "what is to be started cannot come from a placeholder",
                help: "name it; placeholders may follow")
        }
        if key == "dbus" {
            guard checkBusName(name) else { return nil }
        } else if name.value.utf8.contains(UInt8(ascii: "/")) {
            return reader.refuse(
                .invalidValue, at: name.region, "a desktop entry is named by its id, not by its path",
                help: "as in \"org.gnome.TextEditor\", looked for in the folders `applications` of $XDG_DATA_HOME and "
                    + "$XDG_DATA_DIRS")
        }
        for word in words.dropFirst() { checkPlaceholders(in: word) }
        var command = Command(arguments: words.map(\.value), location: location(member.value.region.begin))
        readSurroundings(of: table, into: &command)
        return command
    }

    /// `action`: of a desktop entry, or of a program on the bus.
    private mutating func action(of table: CheckedTable, with choice: String) -> String? {
        guard let action = reader.string("action", of: table) else { return nil }
        guard choice == "desktop" || choice == "dbus" else {
            return reader.refuse(
                .noEffect, at: action.region, "`action` is one of a desktop entry or of a program on the bus",
                help: "it goes with `desktop` or `dbus`, not with `\(choice)`")
        }
        return action.value
    }

    /// A well-known bus name: elements of letters, digits, `_` and `-`, two at least (D-Bus Specification, Bus names).
    private mutating func checkBusName(_ name: Spanned<String>) -> Bool {
        let elements = name.value.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isName =
            elements.count > 1 && name.value.utf8.count <= 255
            && elements.allSatisfy { element in
                guard let first = element.first, !(0x30...0x39).contains(first) else { return false }
                return element.allSatisfy { $0.isASCIILetterOrDigit || "_-".utf8.contains($0) }
            }
        if isName { return true }
        reader.report(
            .invalidValue, at: name.region, "\(TOMLText.quoted(name.value)) cannot be a name on the session bus",
            help: "a name is as in \"org.gnome.TextEditor\"")
        return false
    }

    mutating func handler(
        _ key: String, of table: CheckedTable, _ schema: TableSchema = ManifestSchema.handler
    ) -> Command? {
        guard let handler = reader.table(key, of: table, schema),
            let choice = choice(of: ["exec"], in: handler, named: key)
        else { return nil }
        return command(choice, of: handler)
    }

    /// A handler that may run several times at once.
    mutating func laneHandler(_ key: String, of table: CheckedTable) -> Command? {
        handler(key, of: table, ManifestSchema.laneHandler)
    }

    /// The one of several keys that a handler table has.
    private mutating func choice(
        of keys: [String], in table: CheckedTable, named name: String, beside alternative: String? = nil
    ) -> String? {
        let present = keys.filter(table.written.contains)
        if present.count == 1 { return present[0] }
        if present.isEmpty, table.hasUnknownKeys { return nil }
        let names = (keys.map { "`\($0)`" } + (alternative.map { [$0] } ?? [])).joined(separator: " or ")
        if present.isEmpty {
            reader.report(.commandChoice, at: table.region, "`\(name)` needs \(names)")
        } else {
            reader.report(
                .commandChoice, at: table.members[present[1]]?.keyRegion ?? table.region,
                "`\(name)` cannot have both \(present.map { "`\($0)`" }.joined(separator: " and "))",
                help: "keep one of them")
        }
        return nil
    }

    private mutating func command(_ key: String, of table: CheckedTable) -> Command? {
        guard let member = table.members[key], let arguments = reader.strings(key, of: table) else { return nil }
        guard let program = arguments.first else {
            if case .array(let elements) = member.value.content, elements.isEmpty {
                reader.report(
                    .emptyCommand, at: member.value.region, "`\(key)` is empty: it begins with the program to run",
                    help: "write it so: \(key) = [\"clowntown\", \"--\", \"{target}\"]")
            }
            return nil
        }
        var command = Command(arguments: arguments.map(\.value), location: location(member.value.region.begin))
        if !Placeholders.occurrences(in: program.value).isEmpty {
            reader.report(
                .placeholderNotAllowed, at: program.region, "the program to run cannot come from a placeholder",
                help: listHelp(for: program.value, of: key) ?? "name the program; placeholders may follow")
        } else if program.value.isEmpty {
            reader.report(.emptyCommand, at: program.region, "the name of the program is empty")
        } else {
            if program.value.utf8.contains(UInt8(ascii: "/")) {
                command.arguments[0] = FilePath.resolve(program.value, from: folder)
            }
            checkProgram(command.arguments[0], at: program, of: key)
        }
        checkArguments(arguments)
        readSurroundings(of: table, into: &command)
        return command
    }

    private mutating func readSurroundings(of table: CheckedTable, into command: inout Command) {
        if let directory = reader.string("directory", of: table) {
            if !Placeholders.occurrences(in: directory.value).isEmpty {
                reader.report(
                    .placeholderNotAllowed, at: directory.region, "`directory` cannot have placeholders",
                    help: "payload text never names a file; hand it over as an argument")
            } else if directory.value.hasPrefix("~") {
                reader.report(
                    .invalidValue, at: directory.region, "`~` is a shell's word, and no shell reads this",
                    help: "write the whole path, or one relative to the manifest's folder")
            } else {
                command.workingDirectory = FilePath.resolve(directory.value, from: folder)
            }
        }
        for variable in reader.members("environment", of: table) ?? [] {
            guard checkVariableName(variable.key, at: variable.keyRegion) else { continue }
            guard case .string(let value) = variable.value.content else {
                reader.report(
                    .wrongType, at: variable.value.region,
                    "`environment` is a table of strings, found \(variable.value.kind)", help: "put it in quotes")
                continue
            }
            checkPlaceholders(in: Spanned(value: value, region: variable.value.region))
            command.environment[variable.key] = value
        }
        for name in unique(reader.strings("keep-environment", of: table) ?? [], of: "keep-environment")
        where checkVariableName(name.value, at: name.region) {
            command.keepEnvironment.append(name.value)
        }
        if let limit = reader.duration("time-limit", of: table) { command.timeLimit = limit }
        if let lanes = reader.integer("lanes", of: table, in: 1...Command.maximumLanes) { command.lanes = lanes.value }
        if let idempotent = reader.boolean("idempotent", of: table) { command.idempotent = idempotent.value }
        command.retry = retryPolicy(of: table)
    }

    /// `retry = 5`, or a table that says how long to wait too.
    private mutating func retryPolicy(of table: CheckedTable) -> RetryPolicy? {
        let range = 1...RetryPolicy.maximumAttempts
        guard let own = reader.table("retry", of: table, ManifestSchema.retry) else {
            return reader.integer("retry", of: table, in: range).map { RetryPolicy(attempts: $0.value) }
        }
        guard let attempts = reader.integer("attempts", of: own, in: range) else { return nil }
        var policy = RetryPolicy(attempts: attempts.value)
        if let first = reader.seconds("first-seconds", of: own) { policy.first = first }
        if let limit = reader.seconds("limit-seconds", of: own) {
            policy.limit = limit
            if limit < policy.first, own.members["first-seconds"] != nil, let place = own.members["limit-seconds"] {
                reader.report(
                    .invalidValue, at: place.value.region, "`limit-seconds` is shorter than `first-seconds`",
                    help: "it is the longest wait: raise it, or drop it")
            }
        }
        return policy
    }
}

// MARK: - Command checks

extension ManifestReader {
    private mutating func checkArguments(_ arguments: [Spanned<String>]) {
        var isAfterDashes = false
        let script = shellScript(in: arguments)
        for (index, argument) in arguments.enumerated() {
            if index > 0 { checkPlaceholders(in: argument) }
            let placeholders = Placeholders.occurrences(in: argument.value)
            if index == script, let first = placeholders.first(where: { Placeholders.fromSender.contains($0.name) }) {
                reader.report(
                    .shellPlaceholder,
                    at: reader.region(ofBytes: first.offset, count: first.count, inStringAt: argument.region),
                    "a sender's text must not become part of a shell script",
                    help: "hand it over as an argument: \"…\\\"$1\\\"…\", \"--\", \"{\(first.name)}\"")
            } else if index > 0, !isAfterDashes, let only = placeholders.first,
                only.count == argument.value.utf8.count, Placeholders.fromSender.contains(only.name),
                !Placeholders.neverOptions.contains(only.name)
            {
                reader.warn(
                    .dashRule, at: argument.region,
                    "values that begin with `-` will be refused here, as they could pass for options",
                    help: "if the program knows `--`, put it before: \"--\", \"{\(only.name)}\"")
            }
            if argument.value == "--" { isAfterDashes = true }
        }
    }

    /// The index of the argument that a shell would run as a script.
    private func shellScript(in arguments: [Spanned<String>]) -> Int? {
        let shells: Set<String> = ["sh", "bash", "dash", "zsh", "ksh", "mksh", "fish", "ash", "busybox"]
        guard let program = arguments.first, shells.contains(FilePath.lastComponent(of: program.value)) else {
            return nil
        }
        let option = arguments.indices.dropFirst().first { index in
            let text = arguments[index].value
            return text.hasPrefix("-") && !text.hasPrefix("--") && text.utf8.last == UInt8(ascii: "c")
        }
        guard let option, option + 1 < arguments.count else { return nil }
        return option + 1
    }

    private mutating func checkPlaceholders(in text: Spanned<String>) {
        for placeholder in Placeholders.occurrences(in: text.value)
        where !Command.placeholders.contains(placeholder.name) {
            let isVariable =
                placeholder.offset > 0 && Array(text.value.utf8)[placeholder.offset - 1] == UInt8(ascii: "$")
            reader.report(
                .unknownPlaceholder,
                at: reader.region(ofBytes: placeholder.offset, count: placeholder.count, inStringAt: text.region),
                "there is no placeholder `{\(placeholder.name)}`",
                help: Spelling.help(placeholder.name, among: Command.placeholders, shown: { "`{\($0)}`" }) {
                    isVariable
                        ? "no shell reads this, so variables are not expanded; the program finds them in its environment"
                        : "there are " + Command.placeholders.map { "{\($0)}" }.joined(separator: ", ")
                })
        }
        reader.warn(ofDoubled: Command.placeholders, in: text, .unknownPlaceholder)
        // A command with a brace that belongs to none could never be run. Commands of hooks have values as well.
        let known = Placeholders.occurrences(in: text.value, hasGroups: true).filter {
            !$0.name.utf8.contains(UInt8(ascii: ".")) || $0.name.utf8.starts(with: "value.".utf8)
        }
        if let offset = Placeholders.strayBrace(in: text.value, besides: known) {
            reader.report(
                .unknownPlaceholder, at: reader.region(ofBytes: offset, count: 1, inStringAt: text.region),
                "this brace belongs to no placeholder", help: "write {{ and }} for braces that the program is to get")
        }
    }

    /// - Parameters:
    ///   - path: where the program is: as it is written, or absolute.
    ///   - key: of the command that it begins.
    private mutating func checkProgram(_ path: String, at program: Spanned<String>, of key: String) {
        switch programs.find(path) {
        case .found: break
        case .notFound:
            let help: String
            if let list = listHelp(for: program.value, of: key) {
                help = list
            } else if program.value.hasPrefix("~") {
                help = "no shell reads this, so `~` is not expanded: write the whole path, such as /home/NAME/bin/…"
            } else if path.utf8.contains(UInt8(ascii: "/")) {
                help = "there is no file \(path)"
            } else {
                help = "install it, or name it by its path, relative to the manifest's folder"
            }
            reader.warn(
                .commandNotFound, at: program.region,
                "the program \(TOMLText.quoted(program.value)) is not found", help: help)
        case .notExecutable(let path):
            reader.warn(
                .commandNotFound, at: program.region,
                "the program \(TOMLText.quoted(program.value)) cannot be run",
                help: "if it is meant, make it executable: chmod +x \(path)")
        }
    }

    /// For a whole command that was written as one word; nil where it does not begin with a program.
    private func listHelp(for text: String, of key: String) -> String? {
        let words = text.split(separator: " ").map(String.init)
        guard let first = words.first, words.count > 1 else { return nil }
        let path = first.utf8.contains(UInt8(ascii: "/")) ? FilePath.resolve(first, from: folder) : first
        guard case .found = programs.find(path) else { return nil }
        return "a command is a list of words: \(key) = [\(words.map(TOMLText.quoted).joined(separator: ", "))]"
    }

    /// tmux takes `:` and `.` in a session's name for separators.
    private mutating func checkSessionName(_ name: Spanned<String>) -> Bool {
        let isPlain = name.value.unicodeScalars.allSatisfy { scalar in
            scalar.value > 0x20 && scalar.value != 0x7F && scalar != ":" && scalar != "." && scalar != "{"
                && scalar != "#" && scalar != "$" && scalar != "@" && scalar != "%" && scalar != "="
        }
        if isPlain, !name.value.hasPrefix("-") { return true }
        reader.report(
            .invalidValue, at: name.region, "\(TOMLText.quoted(name.value)) cannot be the name of a tmux session",
            help: "a name has letters, digits, `-` and `_`, and no placeholders")
        return false
    }

    private mutating func checkVariableName(_ name: String, at region: SourceRegion) -> Bool {
        let isName =
            name.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") }
            && name.utf8.first.map { !(0x30...0x39).contains($0) } ?? false
        guard isName else {
            reader.report(
                .invalidValue, at: region, "\(TOMLText.quoted(name)) is not the name of a variable",
                help: "names have letters, digits and `_`")
            return false
        }
        guard !name.hasPrefix("USHER_") else {
            reader.report(
                .invalidValue, at: region, "variables that begin with USHER_ are set by Usher itself",
                help: "choose another name")
            return false
        }
        return true
    }

    /// Whether an element of `tmux-keys` is a key name, `<Enter>`; an unknown one is reported.
    private mutating func checkKeyName(_ key: Spanned<String>) -> Bool {
        guard key.value.hasPrefix("<"), key.value.hasSuffix(">"), key.value.utf8.count > 2 else { return false }
        let name = String(key.value.dropFirst().dropLast())
        guard !name.utf8.contains(UInt8(ascii: "<")), !name.utf8.contains(UInt8(ascii: " ")) else { return false }
        var base = Substring(name)
        while base.count > 2, ["C-", "M-", "S-"].contains(base.prefix(2)) { base = base.dropFirst(2) }
        if TmuxKeys.names.contains(String(base)) || (base.count == 1 && base.count < name.count) { return true }
        reader.report(
            .unknownKeyName, at: key.region, "tmux has no key `\(name)`",
            help: Spelling.help(name, among: TmuxKeys.names, shown: { "\"<\($0)>\"" }) {
                "text is typed as it is; a key stands in < >, such as \"<Enter>\" or \"<C-c>\""
            })
        return true
    }
}

/// The names that tmux gives to keys, tmux(1), "KEY BINDINGS".
private enum TmuxKeys {
    static let names: [String] =
        [
            "Enter", "Escape", "Tab", "BTab", "Space", "BSpace", "Up", "Down", "Left", "Right", "Home", "End", "PageUp",
            "PageDown", "PgUp", "PgDn", "PPage", "NPage", "Insert", "Delete", "IC", "DC",
        ] + (1...12).map { "F\($0)" }
}
