import UsherScene

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

    /// What a command adds: variables it keeps, variables it sets, and Usher's own, which nothing overrides.
    func additions(
        _ command: Command, _ template: CommandTemplate, _ task: ActivationTask, payloadFile: String
    ) throws(ActivationFailure) -> [EnvironmentVariable] {
        var additions: [EnvironmentVariable] = []
        for name in command.keepEnvironment {
            if let value = own[name] { additions.append(EnvironmentVariable(name, value)) }
        }
        additions += try template.expandEnvironment(task, payloadFile: payloadFile)
        additions += try UsherVariables.variables(task)
        return Self.lastOfEach(additions)
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
        var seen: Set<[UInt8]> = []
        return variables.reversed().filter { seen.insert(Array($0.name.utf8)).inserted }.reversed()
    }
}

/// The environment variables that describe the request to a handler. The whole payload is on its standard input.
///
/// | variable | value |
/// | --- | --- |
/// | `USHER_DELIVERY` | the id of the delivery |
/// | `USHER_LAUNCH` | the launch nonce: new for each attempt; a process found with it is what this attempt started |
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

    static func variables(_ task: ActivationTask) throws(ActivationFailure) -> [EnvironmentVariable] {
        var variables: [EnvironmentVariable] = []
        let values: [(String, String?)] = [
            ("USHER_DELIVERY", task.delivery), (launch, task.nonce), ("USHER_APP", task.app),
            ("USHER_SCENE", task.scene), (session, task.session), ("USHER_TARGET", task.resolved ?? task.target),
            ("USHER_RESOLVED", task.resolved ?? task.target), ("USHER_ORIGINAL_TARGET", task.target),
            ("USHER_URL", task.url),
            ("USHER_ACTION", task.action.rawValue), ("USHER_REASON", task.reason.rawValue),
            ("USHER_HANDLE", task.handle), ("USHER_SHORTCUT_TYPE", task.shortcutType),
            ("USHER_ACTIVITY_TYPE", task.activityType), ("USHER_RESTORATION_FILE", task.restorationFile),
            ("USHER_SUGGESTION_FILE", task.suggestionFile),
            ("USHER_ERROR_CODE", task.error?.code.code), ("USHER_NOTIFICATION_ACTION", task.notificationAction),
            ("USHER_HOOK", task.hook?.name), (OpenedPages.variable, task.action == .openWeb ? task.url : nil),
        ]
        let ofHook = (task.hook?.values ?? [:]).sorted { $0.key < $1.key }.map {
            (variable($0.key), Optional($0.value))
        }
        for (name, value) in values + ofHook {
            guard let value, !value.isEmpty else { continue }
            if value.utf8.contains(0) { throw .holdsNUL("the environment variable \(name)") }
            variables.append(EnvironmentVariable(name, value))
        }
        for (name, text) in [("USHER_TITLE", task.title), ("USHER_ERROR", task.error?.message)] {
            guard let text, !text.isEmpty, text.utf8.count <= longestTitle, !text.utf8.contains(0) else { continue }
            variables.append(EnvironmentVariable(name, text))
        }
        return variables
    }
}
