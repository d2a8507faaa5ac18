import UsherScene

extension Resolution {
    /// What a decision comes to, as the models of these tests say it.
    enum Verdict: Hashable {
        /// A session is used.
        case activate(session: String, scene: String)
        /// A new session of this configuration is made.
        case create(scene: String)
        /// The web page is shown.
        case openWeb(url: String)
        case nothing
    }

    var verdict: Verdict {
        if let chosen { return .activate(session: chosen.id, scene: chosen.scene) }
        if makesSession { return .create(scene: scene ?? "") }
        return page.map { .openWeb(url: $0) } ?? .nothing
    }
}
