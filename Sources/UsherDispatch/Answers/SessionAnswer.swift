public import UsherJSON
internal import UsherLog
internal import UsherPredicate
public import UsherScene
internal import UsherText

/// A session as every door shows it, in JSON.
public enum SessionAnswer {
    /// - Parameter state: instead of the session's own: that of a window that was closed has none any more.
    /// - Parameter activation: how its window is seen; nil where nobody can tell.
    public static func write(
        _ session: SceneSession, state: String? = nil, activation: ActivationState? = nil, to json: inout JSONWriter
    ) {
        json.beginObject()
        writeMembers(of: session, state: state, activation: activation, to: &json)
        json.endObject()
    }

    public static func writeMembers(
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
