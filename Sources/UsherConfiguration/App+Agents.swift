internal import UsherPredicate
public import UsherScene
internal import UsherTarget

extension App {
    /// The id of the app whose windows are the terminals of coding agents.
    public static let agentsID = "usher.agents"
    /// Its scene.
    public static let agentScene = "agent"
    /// The kinds of its notifications that have buttons: for a request that is shown whole, and for one that is not.
    public static let agentPermission = "permission"
    public static let agentDenial = "denial"
    /// The scheme of the identifiers of its sessions.
    public static let agentsScheme = "usher-agent"

    /// The terminals of coding agents. Sessions are made by their hooks; none is opened.
    ///
    /// - Parameter manifest: of the same id: it says how notifications look, and how often they come.
    /// - Returns: nil never; the texts in it are constants.
    static func agents(_ manifest: App?) -> App? {
        let place = SourceLocation(path: "built-in", line: 1, column: 1)
        guard let template = try? URITemplate(agentsScheme + ":{agent}"),
            let none = try? ScenePredicate(parsing: "FALSEPREDICATE"),
            let same = try? ScenePredicateTemplate(parsing: "SELF == $TARGET", variables: ["TARGET"])
        else { return nil }
        var app = App(id: agentsID, name: "Agents", location: place)
        app.isBuiltIn = true
        app.schemes = [Located(agentsScheme, at: place)]
        app.targets = [TargetTemplate(name: "agent", template: template, location: place)]
        var scene = SceneConfiguration(name: agentScene, location: place)
        scene.target = "agent"
        scene.opens = Located(none, at: place)
        scene.canActivate = Located(same, at: place)
        scene.prefersToActivate = Located(same, at: place)
        app.scenes = [scene]
        if let manifest { app.notifications = manifest.notifications }
        app.notifications.need.replace = app.notifications.need.replace ?? .target
        let answers = [("allow", "Allow"), ("deny", "Deny")].map { id, title in
            var answer = NotificationAction(id: id, title: title, location: place)
            answer.isAnswer = true
            return answer
        }
        app.notifications.categories = [
            NotificationCategory(id: agentPermission, actions: answers, location: place),
            NotificationCategory(id: agentDenial, actions: [answers[1]], location: place),
        ]
        app.deliver = .notify
        return app
    }
}
