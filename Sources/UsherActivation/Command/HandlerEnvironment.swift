import UsherScene

/// Which of Usher's own environment variables a handler gets.
package struct HandlerEnvironment: Sendable {
    /// Where the user is at home and where their windows are; nothing that only happened to be set (tokens, credentials).
    private static let allowed: Set<String> = [
        "HOME", "USER", "LOGNAME", "SHELL", "PATH", "LANG", "LANGUAGE", "TZ", "TMPDIR", "DISPLAY", "WAYLAND_DISPLAY",
        "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK", "TMUX", "TMUX_TMPDIR", "TERM", "COLORTERM",
        "SWAYSOCK", "I3SOCK", "DESKTOP_SESSION", "BROWSER", "EDITOR", "VISUAL", "PAGER", "USHER_CONFIG", "USHER_STATE",
    ]
    private static let allowedPrefixes = ["LC_", "XDG_"]
    /// An activation token is good for one window of one moment.
    private static let refused: Set<String> = ["XDG_ACTIVATION_TOKEN"]

    /// Which configuration and which store are meant: whoever calls `usher` in a window asks for these.
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

    /// What a window gets beside the environment of its window system's server, which was started by somebody else.
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
