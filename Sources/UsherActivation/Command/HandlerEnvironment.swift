import UsherScene
internal import UsherText

/// Which of Usher's own environment variables a handler gets.
package struct HandlerEnvironment: Sendable {
    /// The user's home, locale and windows; no other variables, such as tokens and credentials.
    private static let allowed: Set<String> = [
        "HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "LANGUAGE", "TZ", "TMPDIR", "DISPLAY", "WAYLAND_DISPLAY",
        "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK", "TMUX", "TMUX_TMPDIR", "TERM", "COLORTERM",
        "SWAYSOCK", "HYPRLAND_INSTANCE_SIGNATURE", "NIRI_SOCKET", "I3SOCK", "DESKTOP_SESSION", "BROWSER", "EDITOR",
        "VISUAL", "PAGER", "USHER_CONFIG", "USHER_STATE",
    ]
    private static let allowedPrefixes = ["LC_", "XDG_"]
    /// An activation token is valid once, for one window.
    private static let refused: Set<String> = ["XDG_ACTIVATION_TOKEN"]

    /// Configuration and store, for `usher` when it is called in a window.
    private static let places: Set<String> = ["USHER_CONFIG", "USHER_STATE"]

    private let own: [String: String]
    /// The allowed ones, by name.
    let base: [EnvironmentVariable]

    package init(_ own: [String: String]) {
        self.own = own
        base = own.filter { Self.isAllowed($0.key) }.sorted { $0.key < $1.key }
            .map { EnvironmentVariable($0.key, $0.value) }
    }

    var path: String? { own["PATH"] }

    /// All of Usher's own.
    var variables: [String: String] { own }

    /// What a command adds: variables it keeps, variables it sets, and Usher's own. Of two with one name, the last counts.
    func additions(
        _ command: Command, _ template: CommandTemplate, _ task: ActivationTask, payloadFile: String
    ) throws(ActivationFailure) -> [EnvironmentVariable] {
        var additions: [EnvironmentVariable] = []
        for name in command.keepEnvironment {
            if let value = own[name] { additions.append(EnvironmentVariable(name, value)) }
        }
        additions += try template.expandEnvironment(task, payloadFile: payloadFile)
        UsherVariables.append(of: task, to: &additions)
        return additions
    }

    /// What a window gets beside the environment of its window system's server, which Usher did not start.
    func inWindow(_ additions: [EnvironmentVariable]) -> [EnvironmentVariable] {
        Self.lastOfEach(base.filter { Self.places.contains($0.name) } + additions)
    }

    package func complete(_ additions: [EnvironmentVariable]) -> [EnvironmentVariable] {
        Self.lastOfEach(base + additions)
    }

    private static func isAllowed(_ name: String) -> Bool {
        if refused.contains(name) { return false }
        return allowed.contains(name) || allowedPrefixes.contains { name.utf8.starts(with: $0.utf8) }
    }

    private static func lastOfEach(_ variables: [EnvironmentVariable]) -> [EnvironmentVariable] {
        var result: [EnvironmentVariable] = []
        result.reserveCapacity(variables.count)
        for (place, variable) in variables.enumerated() {
            var later = place + 1
            while later < variables.count, !variables[later].name.hasSameBytes(as: variable.name) { later += 1 }
            if later == variables.count { result.append(variable) }
        }
        return result
    }
}

/// The environment variables that describe the request to a handler. The whole payload is on its standard input.
///
/// | variable | value |
/// | --- | --- |
/// | `USHER_DELIVERY` | the id of the delivery |
/// | `USHER_LAUNCH` | the launch nonce: new for each attempt; a process found with it is what this attempt started |
/// | `USHER_RUN` | of a handler that has a time limit: a value of this run; what has it ends with a handler that is stopped |
/// | `USHER_APP` | the id of the app |
/// | `USHER_SCENE` | the name of the scene configuration |
/// | `USHER_SESSION` | the id of the session; `usher scene update "$USHER_SESSION"` updates this window |
/// | `USHER_TARGET`, `USHER_RESOLVED` | the target content identifier: the newest one, where the content has moved |
/// | `USHER_ORIGINAL_TARGET` | the same as the sender wrote it |
/// | `USHER_URL` | the web page |
/// | `USHER_TITLE` | what to show to people |
/// | `USHER_ACTION` | `focus`, `launch`, `open-web`, `background` |
/// | `USHER_REASON` | the rule that decided: `prefers`, `can`, … |
/// | `USHER_HANDLE` | the window, in the words of its window system |
/// | `USHER_SHORTCUT_TYPE`, `USHER_ACTIVITY_TYPE` | of the carrier |
/// | `USHER_RESTORATION_FILE` | of a launch that brings a window back: the activity that its session had |
/// | `USHER_SUGGESTION_FILE` | of `show`, where the app has `suggestions = ["place"]`: the first of `usher suggest place --for` it |
/// | `USHER_NOTIFICATION_ACTION` | of a notification that was pressed: the id of the button, `default` for itself |
/// | `USHER_ERROR_CODE`, `USHER_ERROR` | of `did-fail`: why |
/// | `USHER_OPEN_WEB` | of a program that opens a web page: the page; `usher open` does not open the same page again |
/// | `USHER_HOOK` | of a hook's `run`: the name of the hook |
/// | `USHER_VALUE_NAME` | of a hook's `run`: a value of the hook; its name in upper case, `_` for other characters |
///
/// A variable without a value is not set. A title that no environment can hold (a NUL, more than 16 KiB) is not set
/// either: it is for people. An identifier that none can hold is an error: a handler would show something else.
enum UsherVariables {
    static let launch = "USHER_LAUNCH"
    static let session = "USHER_SESSION"
    /// Of every program that usherd starts.
    static let state = "USHER_STATE"
    /// Of programs that carry a launch out for us (the tmux client), never of a handler: the nonce of a launch that is on
    /// its way.
    static let carries = "USHER_CARRIES"
    /// Of a handler that has a time limit: its run, and no other.
    static let run = "USHER_RUN"
    /// Of the tmux client that waits for hooks: their channel.
    static let waits = "USHER_WAITS"
    private static let longestTitle = 16 * 1024

    /// The variable of a hook's value.
    private static func variable(_ name: String) -> String {
        let letters = name.utf8.map { byte in
            switch byte {
            case 0x61...0x7A: byte - 0x20
            case 0x30...0x39, 0x41...0x5A: byte
            default: UInt8(ascii: "_")
            }
        }
        return "USHER_VALUE_" + String(decoding: letters, as: UTF8.self)
    }

    static func append(of task: ActivationTask, to variables: inout [EnvironmentVariable]) {
        variables.reserveCapacity(variables.count + 24)
        func add(_ name: String, _ value: String?) {
            if let value, !value.isEmpty { variables.append(EnvironmentVariable(name, value)) }
        }
        func add(_ name: String, title: String?) {
            if let title, title.utf8.count <= longestTitle, !title.utf8.contains(0) { add(name, title) }
        }
        add("USHER_DELIVERY", task.delivery)
        add(launch, task.nonce)
        add("USHER_APP", task.app)
        add("USHER_SCENE", task.scene)
        add(session, task.session)
        add("USHER_TARGET", task.resolved ?? task.target)
        add("USHER_RESOLVED", task.resolved ?? task.target)
        add("USHER_ORIGINAL_TARGET", task.target)
        add("USHER_URL", task.url)
        add("USHER_ACTION", task.action.rawValue)
        add("USHER_REASON", task.reason.rawValue)
        add("USHER_HANDLE", task.handle)
        add("USHER_SHORTCUT_TYPE", task.shortcutType)
        add("USHER_ACTIVITY_TYPE", task.activityType)
        add("USHER_RESTORATION_FILE", task.restorationFile)
        add("USHER_SUGGESTION_FILE", task.suggestionFile)
        add("USHER_ERROR_CODE", task.error?.code.code)
        add("USHER_NOTIFICATION_ACTION", task.notificationAction)
        if task.action == .openWeb { add(OpenedPages.variable, task.url) }
        if let hook = task.hook {
            add("USHER_HOOK", hook.name)
            for (name, value) in hook.values.sorted(by: { $0.key < $1.key }) { add(variable(name), value) }
        }
        add("USHER_TITLE", title: task.title)
        add("USHER_ERROR", title: task.error?.message)
    }
}
