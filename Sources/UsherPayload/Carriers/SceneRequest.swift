internal import UsherJSON

/// What is asked of windows by themselves: `usher scene focus` and `usher scene new`. Operations make it; as text it is in
/// the journal only, and no sender can send it.
public enum SceneRequest: Sendable, Hashable {
    /// The window of a session comes forward.
    case focus(session: String)
    /// A new window of an app, of a scene if one is named.
    case new(app: String, scene: String?, target: String?)

    public var target: String? {
        switch self {
        case .focus: nil
        case .new(_, _, let target): target
        }
    }

    /// `{"focus":SESSION}`, or `{"new":APP}` with `scene` and `target`.
    public var jsonText: [UInt8] {
        var json = JSONWriter(escaping: .minimal)
        json.beginObject()
        switch self {
        case .focus(let session): json.member("focus", session)
        case .new(let app, let scene, let target):
            json.member("new", app)
            if let scene { json.member("scene", scene) }
            if let target { json.member("target", target) }
        }
        json.endObject()
        return json.bytes
    }
}
