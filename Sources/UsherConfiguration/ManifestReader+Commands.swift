import UsherScene

extension ManifestReader {
    mutating func readHandlers(of table: CheckedTable, into app: inout App) {
        guard let member = table.members["handlers"], let members = reader.members("handlers", of: table) else {
            return
        }
        let handlers = reader.check(members, ManifestSchema.handlers, region: member.keyRegion)
        app.background = handler("background", of: handlers)
        app.contentDeleted = handler("content-deleted", of: handlers)
        app.openWeb = handler("open-web", of: handlers)
        readContinuation(of: handlers, in: table, into: &app.continuation)
    }

    mutating func launchHandler(of scene: CheckedTable) -> LaunchHandler? {
        guard let table = handlerTable("launch", of: scene, ManifestSchema.launch),
            let choice = choice(of: ["exec", "tmux"], in: table, named: "launch"),
            let command = command(choice, of: table)
        else { return nil }
        var session: String?
        if let place = reader.string("in", of: table) {
            if choice == "exec" {
                reader.report(
                    .noEffect, at: place.region, "`in` names a tmux session: it goes with `tmux`, not with `exec`",
                    help: "write tmux = […] instead of exec = […], or drop `in`")
            } else if checkSessionName(place) {
                session = place.value
            }
        }
        var handler = LaunchHandler(place: choice == "exec" ? .exec : .tmux(session: session), command: command)
        if let grace = reader.duration("launch-grace", of: table) { handler.grace = grace }
        handler.ready = self.handler("ready", of: table)
        if handler.ready?.retry != nil {
            reader.report(
                .noEffect, at: table.members["ready"]?.keyRegion ?? table.region,
                "`ready` is asked again anyway, until `time-limit` is over: `retry` has no effect there",
                help: "put retry into the `launch` table")
        }
        return handler
    }

    mutating func focusHandler(of scene: CheckedTable) -> FocusHandler? {
        guard let table = handlerTable("focus", of: scene, ManifestSchema.focus),
            let choice = choice(of: ["exec", "tmux"], in: table, named: "focus")
        else { return nil }
        if choice == "exec" { return command("exec", of: table).map(FocusHandler.exec) }
        guard let session = reader.string("tmux", of: table), checkSessionName(session) else { return nil }
        return .tmux(session: session.value, location: location(session.region.begin))
    }

    mutating func showHandler(of scene: CheckedTable) -> ShowHandler? {
        tellingHandler("show", of: scene, ManifestSchema.show)
    }

    /// A handler that tells a window something: a program, or keys that are typed.
    mutating func tellingHandler(_ key: String, of tables: CheckedTable, _ schema: TableSchema) -> ShowHandler? {
        guard let table = handlerTable(key, of: tables, schema),
            let choice = choice(of: ["exec", "tmux-keys"], in: table, named: key)
        else { return nil }
        if choice == "exec" { return command("exec", of: table).map(ShowHandler.exec) }
        guard let keys = reader.strings("tmux-keys", of: table), let member = table.members["tmux-keys"] else {
            return nil
        }
        guard !keys.isEmpty else {
            reader.report(.emptyCommand, at: member.value.region, "`tmux-keys` must not be empty")
            return nil
        }
        for key in keys where !checkKeyName(key) { checkPlaceholders(in: key) }
        var command = Command(arguments: keys.map(\.value), location: location(member.value.region.begin))
        readSurroundings(of: table, into: &command)
        return .tmuxKeys(command)
    }

    mutating func handler(_ key: String, of table: CheckedTable) -> Command? {
        guard let handler = handlerTable(key, of: table, ManifestSchema.handler),
            let choice = choice(of: ["exec"], in: handler, named: key)
        else { return nil }
        return command(choice, of: handler)
    }

    private mutating func handlerTable(
        _ key: String, of table: CheckedTable, _ schema: TableSchema
    ) -> CheckedTable? {
        guard let member = table.members[key], let members = reader.members(key, of: table) else { return nil }
        return reader.check(members, schema, region: member.keyRegion)
    }

    /// The one of several keys that a handler table has.
    private mutating func choice(of keys: [String], in table: CheckedTable, named name: String) -> String? {
        let present = keys.filter(table.written.contains)
        if present.count == 1 { return present[0] }
        if present.isEmpty, table.hasUnknownKeys { return nil }
        let names = keys.map { "`\($0)`" }.joined(separator: " or ")
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
            checkPlaceholders(in: Placed(value: value, region: variable.value.region))
            command.environment[variable.key] = value
        }
        for name in unique(reader.strings("keep-environment", of: table) ?? [], of: "keep-environment")
        where checkVariableName(name.value, at: name.region) {
            command.keepEnvironment.append(name.value)
        }
        if let limit = reader.duration("time-limit", of: table) { command.timeLimit = limit }
        if let idempotent = reader.boolean("idempotent", of: table) { command.idempotent = idempotent.value }
        command.retry = retryPolicy(of: table)
    }

    /// `retry = 5`, or a table that says how long to wait too.
    private mutating func retryPolicy(of table: CheckedTable) -> RetryPolicy? {
        guard let member = table.members["retry"] else { return nil }
        let range = 1...RetryPolicy.maximumAttempts
        guard let members = reader.members("retry", of: table) else {
            return reader.integer("retry", of: table, in: range).map { RetryPolicy(attempts: $0.value) }
        }
        let own = reader.check(members, ManifestSchema.retry, region: member.keyRegion)
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
