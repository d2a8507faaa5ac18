public import UsherActivation
public import UsherJSON
public import UsherOperation
internal import UsherScene

/// How windows, and what is done with them, are written as JSON: between `usher` and `usherd --windows`, and in answers.
enum WindowWire {
    // MARK: Lists

    static func value(_ list: WindowList) -> JSONValue {
        ["server": text(list.server), "windows": .array(list.windows.map(value))]
    }

    static func list(_ value: JSONValue) -> WindowList {
        WindowList(server: value["server"]?.string, windows: (value["windows"]?.elements ?? []).compactMap(window))
    }

    static func value(_ window: WindowList.Window) -> JSONValue {
        let tabs = window.tabs.map { tab -> JSONValue in
            [
                "handle": .string(tab.handle), "address": .string(tab.address), "title": .string(tab.title),
                "active": .boolean(tab.isActive),
            ]
        }
        return [
            "handle": .string(window.handle), "server": text(window.server), "title": .string(window.title),
            "group": .string(window.group), "parts": .array(window.parts.map(JSONValue.string)),
            "class": text(window.windowClass), "instance": text(window.instance), "app_id": text(window.appID),
            "pid": number(window.process.map(Int64.init)), "pids": .array(window.processes.map { .number(String($0)) }),
            "startup_id": text(window.startupID), "startup_shared": .boolean(window.sharesStartupID),
            "activation": text(window.activation?.rawValue), "browser": text(window.browser), "tabs": .array(tabs),
        ]
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
        window.processes = (value["pids"]?.elements ?? []).compactMap { $0.int64.flatMap { Int32(exactly: $0) } }
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

    // MARK: Requests

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
        let actions = entry.actions.map { action -> JSONValue in
            ["id": .string(action.id), "name": .string(action.name), "icon": text(action.icon)]
        }
        return [
            "id": .string(entry.id), "name": .string(entry.name), "comment": text(entry.comment),
            "icon": text(entry.icon), "path": text(entry.path), "exec": text(entry.exec),
            "class": text(entry.windowClass), "terminal": .boolean(entry.isTerminal),
            "activatable": .boolean(entry.isActivatable), "actions": .array(actions),
        ]
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
            .init("environment", .array(launch.environment.map { [.string($0.name), .string($0.value)] })),
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

    static func value(_ start: ApplicationStart) -> JSONValue {
        [
            "pid": number(start.process.map(Int64.init)), "summary": .string(start.summary),
            "warnings": .array(start.warnings.map(value)),
        ]
    }

    static func start(_ value: JSONValue) -> ApplicationStart {
        ApplicationStart(
            process: value["pid"]?.int64.flatMap { Int32(exactly: $0) }, summary: value["summary"]?.string ?? "",
            warnings: (value["warnings"]?.elements ?? []).map(failure))
    }

    // MARK: Failures

    static func value(_ failure: ActivationFailure) -> JSONValue {
        [
            "code": .string(failure.code.code), "name": .string(failure.code.name),
            "message": .string(failure.message), "help": text(failure.help),
        ]
    }

    static func failure(_ value: JSONValue) -> ActivationFailure {
        var code = DiagnosticCode.windowSystem
        if let number = value["code"]?.string, let name = value["name"]?.string { code = DiagnosticCode(number, name) }
        return ActivationFailure(code, value["message"]?.string ?? "it failed", help: value["help"]?.string)
    }

    // MARK: Parts

    static func text(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }

    static func number(_ value: Int64?) -> JSONValue { value.map { .number(String($0)) } ?? .null }

    private static func texts(_ value: JSONValue?) -> [String] { (value?.elements ?? []).compactMap(\.string) }
}

/// The windows that there are, and what each window system can do: the same from the daemon and from a look of one's own.
public struct WindowsAnswer: AnswerRecord {
    public var systems: [WindowSupport] = []
    public var windows: [WindowList.Window] = []

    public init() {}

    public init(_ windowSystem: any WindowSystem) {
        for system in (windowSystem as? WindowSystems)?.systems ?? [windowSystem] {
            if let remote = system as? RemoteWindows {
                systems += remote.supports
            } else if system.isAvailable {
                systems.append(system.support)
            }
        }
        windows = (try? windowSystem.windows())?.windows ?? []
    }

    public static let fields: [Field<Self>] = [
        Field(always: "systems", \.systems), Field(always: "windows", \.windows),
    ]
}

extension WindowSupport: FieldValue {
    public static var shape: ValueShape { ValueShape(.json) }

    public static func read(
        _ value: JSONValue, _ name: String, at place: String
    ) throws(ControlError) -> WindowSupport {
        guard let support = WindowWire.support(value) else { throw .argument("\(name) names no system", at: place) }
        return support
    }

    public func write(to json: inout JSONWriter) { json.value(WindowWire.value(self)) }
}

extension WindowList.Window: FieldValue {
    public static var shape: ValueShape { ValueShape(.json) }

    public static func read(
        _ value: JSONValue, _ name: String, at place: String
    ) throws(ControlError) -> WindowList.Window {
        guard let window = WindowWire.window(value) else { throw .argument("\(name) has no handle", at: place) }
        return window
    }

    public func write(to json: inout JSONWriter) { json.value(WindowWire.value(self)) }
}
