internal import UsherActivation
internal import UsherJSON
internal import UsherScene

/// How windows, and what is done with them, are written as JSON: between `usher` and `usherd --windows`, and in answers.
enum WindowWire {
    // MARK: Lists

    static func value(_ list: WindowList) -> JSONValue {
        .object([
            .init("server", text(list.server)),
            .init("windows", .array(list.windows.map(value))),
        ])
    }

    static func list(_ value: JSONValue) -> WindowList {
        WindowList(server: value["server"]?.string, windows: (value["windows"]?.elements ?? []).compactMap(window))
    }

    static func value(_ window: WindowList.Window) -> JSONValue {
        .object([
            .init("handle", .string(window.handle)), .init("server", text(window.server)),
            .init("title", .string(window.title)), .init("group", .string(window.group)),
            .init("parts", .array(window.parts.map(JSONValue.string))), .init("class", text(window.windowClass)),
            .init("instance", text(window.instance)), .init("app_id", text(window.appID)),
            .init("pid", number(window.process.map(Int64.init))), .init("startup_id", text(window.startupID)),
            .init("startup_shared", .boolean(window.sharesStartupID)),
            .init("activation", text(window.activation?.rawValue)), .init("browser", text(window.browser)),
            .init(
                "tabs",
                .array(
                    window.tabs.map { tab in
                        .object([
                            .init("handle", .string(tab.handle)), .init("address", .string(tab.address)),
                            .init("title", .string(tab.title)), .init("active", .boolean(tab.isActive)),
                        ])
                    })),
        ])
    }

    static func window(_ value: JSONValue) -> WindowList.Window? {
        guard let handle = value["handle"]?.string else { return nil }
        var window = WindowList.Window(
            handle: handle, title: value["title"]?.string ?? "", group: value["group"]?.string ?? "",
            parts: texts(value["parts"]), server: value["server"]?.string)
        window.windowClass = value["class"]?.string
        window.instance = value["instance"]?.string
        window.appID = value["app_id"]?.string
        window.process = value["pid"]?.int64.flatMap { Int32(exactly: $0) }
        window.startupID = value["startup_id"]?.string
        window.sharesStartupID = value["startup_shared"]?.boolean ?? false
        window.activation = value["activation"]?.string.flatMap(ActivationState.init(rawValue:))
        window.browser = value["browser"]?.string
        window.tabs = (value["tabs"]?.elements ?? []).compactMap { tab in
            guard let handle = tab["handle"]?.string else { return nil }
            return WindowList.Tab(
                handle: handle, address: tab["address"]?.string ?? "", title: tab["title"]?.string ?? "",
                isActive: tab["active"]?.boolean ?? false)
        }
        return window
    }

    // MARK: Requests and sightings

    static func members(_ window: WindowReference) -> [JSONValue.Member] {
        switch window {
        case .handle(let handle, let server): [.init("handle", .string(handle)), .init("server", text(server))]
        case .group(let name): [.init("group", .string(name))]
        }
    }

    static func reference(_ value: JSONValue) -> WindowReference? {
        if let handle = value["handle"]?.string { return .handle(handle, server: value["server"]?.string) }
        return value["group"]?.string.map(WindowReference.group)
    }

    static func members(_ request: FocusRequest) -> [JSONValue.Member] {
        members(request.window) + [
            .init("prominence", .string(request.policy.prominence.rawValue)),
            .init("placement", .string(request.policy.placement.rawValue)),
            .init("while_typing", text(request.policy.whileTyping?.rawValue)), .init("target", text(request.target)),
            .init("token", text(request.token)),
        ]
    }

    static func request(_ value: JSONValue) -> FocusRequest? {
        guard let window = reference(value) else { return nil }
        var policy = FocusPolicy()
        policy.prominence = value["prominence"]?.string.flatMap(FocusPolicy.Prominence.init(rawValue:)) ?? .focus
        policy.placement = value["placement"]?.string.flatMap(FocusPolicy.Placement.init(rawValue:)) ?? .go
        policy.whileTyping = value["while_typing"]?.string.flatMap(FocusPolicy.Prominence.init(rawValue:))
        return FocusRequest(window, policy: policy, target: value["target"]?.string, token: value["token"]?.string)
    }

    static func value(_ sighting: WindowSighting) -> JSONValue {
        let (view, seen): (String, String?) =
            switch sighting.view {
            case .shown: ("shown", nil)
            case .nobodyLooks: ("nobody-looks", nil)
            case .hidden(let seen): ("hidden", seen)
            case .untouched: ("untouched", nil)
            }
        return .object([
            .init("handle", text(sighting.handle)), .init("server", .string(sighting.server)),
            .init("title", text(sighting.title)), .init("pid", number(sighting.process.map(Int64.init))),
            .init("view", .string(view)), .init("seen", text(seen)),
            .init("spared_typing", .boolean(sighting.sparedTyping)),
        ])
    }

    static func sighting(_ value: JSONValue) -> WindowSighting? {
        guard let server = value["server"]?.string else { return nil }
        let view: WindowSighting.View =
            switch value["view"]?.string {
            case "shown": .shown
            case "nobody-looks": .nobodyLooks
            case "untouched": .untouched
            default: .hidden(seen: value["seen"]?.string ?? "")
            }
        var sighting = WindowSighting(
            handle: value["handle"]?.string, server: server, title: value["title"]?.string,
            process: value["pid"]?.int64.flatMap { Int32(exactly: $0) }, view: view)
        sighting.sparedTyping = value["spared_typing"]?.boolean ?? false
        return sighting
    }

    // MARK: What systems can do

    static func value(_ support: WindowSupport) -> JSONValue {
        var members: [JSONValue.Member] = [.init("system", .string(support.system))]
        for ability in WindowSupport.Ability.allCases {
            switch support[ability] {
            case .yes: members.append(.init(ability.rawValue, .boolean(true)))
            case .no(let reason): members.append(.init(ability.rawValue, .string(reason)))
            }
        }
        return .object(members)
    }

    static func support(_ value: JSONValue) -> WindowSupport? {
        guard let system = value["system"]?.string else { return nil }
        var answers: [WindowSupport.Ability: WindowSupport.Answer] = [:]
        for ability in WindowSupport.Ability.allCases {
            if let reason = value[ability.rawValue]?.string { answers[ability] = .no(reason) }
            if value[ability.rawValue]?.boolean == true { answers[ability] = .yes }
        }
        return WindowSupport(system, answers)
    }

    // MARK: Applications

    static func value(_ entry: DesktopEntry) -> JSONValue {
        .object([
            .init("id", .string(entry.id)), .init("name", .string(entry.name)), .init("comment", text(entry.comment)),
            .init("icon", text(entry.icon)), .init("path", text(entry.path)), .init("exec", text(entry.exec)),
            .init("class", text(entry.windowClass)), .init("terminal", .boolean(entry.isTerminal)),
            .init("activatable", .boolean(entry.isActivatable)),
            .init(
                "actions",
                .array(
                    entry.actions.map { action in
                        .object([
                            .init("id", .string(action.id)), .init("name", .string(action.name)),
                            .init("icon", text(action.icon)),
                        ])
                    })),
        ])
    }

    static func entry(_ value: JSONValue) -> DesktopEntry? {
        guard let id = value["id"]?.string else { return nil }
        return DesktopEntry(
            id: id, name: value["name"]?.string ?? id, comment: value["comment"]?.string, icon: value["icon"]?.string,
            path: value["path"]?.string, exec: value["exec"]?.string, windowClass: value["class"]?.string,
            isTerminal: value["terminal"]?.boolean ?? false, isActivatable: value["activatable"]?.boolean ?? false,
            actions: (value["actions"]?.elements ?? []).compactMap { action in
                guard let id = action["id"]?.string else { return nil }
                return DesktopEntry.Action(
                    id: id, name: action["name"]?.string ?? id, icon: action["icon"]?.string)
            })
    }

    static func members(_ launch: EntryLaunch) -> [JSONValue.Member] {
        [
            .init("entry", .string(launch.entry)), .init("action", text(launch.action)),
            .init("uris", .array(launch.uris.map(JSONValue.string))),
            .init(
                "environment",
                .array(launch.environment.map { .array([.string($0.name), .string($0.value)]) })),
            .init("directory", text(launch.workingDirectory)), .init("token", text(launch.token)),
        ]
    }

    static func entryLaunch(_ value: JSONValue) -> EntryLaunch? {
        guard let entry = value["entry"]?.string else { return nil }
        return EntryLaunch(
            entry: entry, action: value["action"]?.string, uris: texts(value["uris"]),
            environment: (value["environment"]?.elements ?? []).compactMap { pair in
                let words = texts(pair)
                return words.count == 2 ? EnvironmentVariable(words[0], words[1]) : nil
            }, workingDirectory: value["directory"]?.string, token: value["token"]?.string)
    }

    static func members(_ call: ApplicationCall) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = [
            .init("name", .string(call.name)), .init("token", text(call.token)),
            .init("time_limit", number(Int64(call.timeLimit))),
        ]
        switch call.verb {
        case .activate: members.append(.init("verb", "activate"))
        case .open(let uris):
            members += [.init("verb", "open"), .init("uris", .array(uris.map(JSONValue.string)))]
        case .action(let action, let parameter):
            members += [.init("verb", "action"), .init("action", .string(action)), .init("parameter", text(parameter))]
        }
        return members
    }

    static func applicationCall(_ value: JSONValue) -> ApplicationCall? {
        guard let name = value["name"]?.string else { return nil }
        let verb: ApplicationCall.Verb
        switch value["verb"]?.string {
        case "activate": verb = .activate
        case "open": verb = .open(texts(value["uris"]))
        case "action":
            guard let action = value["action"]?.string else { return nil }
            verb = .action(action, parameter: value["parameter"]?.string)
        default: return nil
        }
        return ApplicationCall(
            name: name, verb: verb, token: value["token"]?.string,
            timeLimit: value["time_limit"]?.int64.flatMap { Int(exactly: $0) } ?? 5000)
    }

    static func value(_ start: ApplicationStart) -> JSONValue {
        .object([
            .init("pid", number(start.process.map(Int64.init))), .init("summary", .string(start.summary)),
            .init("warnings", .array(start.warnings.map(value))),
        ])
    }

    static func start(_ value: JSONValue) -> ApplicationStart {
        ApplicationStart(
            process: value["pid"]?.int64.flatMap { Int32(exactly: $0) }, summary: value["summary"]?.string ?? "",
            warnings: (value["warnings"]?.elements ?? []).map(failure))
    }

    // MARK: Failures

    static func value(_ failure: ActivationFailure) -> JSONValue {
        .object([
            .init("code", .string(failure.code.code)), .init("message", .string(failure.message)),
            .init("help", text(failure.help)),
        ])
    }

    /// A code that this program doesn't know is the window system's.
    static func failure(_ value: JSONValue) -> ActivationFailure {
        let code = value["code"]?.string
        return ActivationFailure(
            DiagnosticCode.all.first { $0.code == code } ?? .windowSystem, value["message"]?.string ?? "it failed",
            help: value["help"]?.string)
    }

    // MARK: Parts

    static func text(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }

    static func number(_ value: Int64?) -> JSONValue { value.map { .number(String($0)) } ?? .null }

    static func texts(_ value: JSONValue?) -> [String] { (value?.elements ?? []).compactMap(\.string) }
}
