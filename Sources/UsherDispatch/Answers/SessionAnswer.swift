public import UsherJSON
internal import UsherLog
internal import UsherPredicate
public import UsherScene
internal import UsherText

/// A session as JSON, the same for every interface (socket, HTTP, command line).
public enum SessionAnswer {
    /// - Parameter state: replaces the session's own state, for the session of a closed window, which has none any
    ///   more.
    /// - Parameter activation: the visibility of its window; nil if no window system has reported it.
    public static func write(
        _ session: SceneSession, state: String? = nil, activation: ActivationState? = nil, to json: inout JSONWriter
    ) {
        json.beginObject()
        writeMembers(of: session, state: state, activation: activation, to: &json)
        json.endObject()
    }

    static func writeMembers(
        of session: SceneSession, state: String? = nil, activation: ActivationState? = nil, to json: inout JSONWriter
    ) {
        json.member("session", session.id)
        json.member("id", session.id)
        json.member("app", session.app)
        json.member("scene", session.scene)
        json.member("role", session.role.rawValue)
        json.member("target", session.target?.text)
        json.member("state", state ?? session.state.rawValue)
        let attached = state == nil && session.state.isOpen
        json.member("activation", attached ? activation?.rawValue : ActivationState.unattached.rawValue)
        json.member("can", session.conditions.canActivate.predicate.canonicalText)
        json.member("prefers", session.conditions.prefersToActivate.predicate.canonicalText)
        json.member("used", session.used.map { Instant(microseconds: $0).text })
        json.member("created", Instant(microseconds: session.created).text)
        json.member("generation", session.generation)
        json.member("handle", session.handle)
        json.member("title", session.title)
    }

    /// The state of a session that was closed, in answers.
    public static let closed = "closed"
}
