internal import UsherJSON
public import UsherScene

/// What is asked of windows by themselves: `usher scene focus`, `usher scene new` and `usher terminal focus`. Operations make it; as text it is in
/// the journal only, and no sender can send it.
public enum SceneRequest: Sendable, Hashable {
    /// The window of a session comes forward.
    case focus(session: String)
    /// A new window of an app, of a scene if one is named.
    case new(app: String, scene: String?, target: String?)
    /// The window, the tab and the pane of a terminal come forward.
    case terminal(TerminalRequest)

    public var target: String? {
        switch self {
        case .focus, .terminal: nil
        case .new(_, _, let target): target
        }
    }

    /// `{"focus":SESSION}`, or `{"new":APP}` with `scene` and `target`, or `{"terminal":{…}}`.
    public var jsonText: [UInt8] {
        var json = JSONWriter(escaping: .minimal)
        json.beginObject()
        switch self {
        case .focus(let session): json.member("focus", session)
        case .new(let app, let scene, let target):
            json.member("new", app)
            if let scene { json.member("scene", scene) }
            if let target { json.member("target", target) }
        case .terminal(let request):
            json.beginObject("terminal")
            if let process = request.process { json.member("pid", process) }
            if let tty = request.tty { json.member("tty", tty) }
            if let pane = request.pane { json.member("pane", pane) }
            if let socket = request.socket { json.member("socket", socket) }
            if let detached = request.detached { json.member("detached", detached.rawValue) }
            json.endObject()
        }
        json.endObject()
        return json.bytes
    }
}

/// Which terminal comes forward: one of a process, a tty, and a pane with the socket of its tmux server.
public struct TerminalRequest: Sendable, Hashable {
    public var process: Int?
    public var tty: String?
    public var pane: String?
    public var socket: String?
    /// What is done for a tmux session that no client shows; nil: as `usher.toml` says.
    public var detached: TerminalSettings.Detached?

    public init() {}
}
