internal import UsherPredicate
public import UsherScene
internal import UsherTarget

extension App {
    /// The id of the app that Usher's own notes are opened by.
    public static let notesID = "usher.notes"
    /// The scheme of the identifiers of notes.
    public static let notesScheme = "usher-note"

    /// Usher's own notes: each in a window of its own, in the user's editor, in tmux.
    ///
    /// - Parameter program: of `usher note edit`; a path, or a name that is looked for.
    /// - Returns: nil never; the texts in it are constants.
    fileprivate static func notes(program: String) -> App? {
        let place = SourceLocation(path: "built-in", line: 1, column: 1)
        guard let template = try? URITemplate(notesScheme + ":{note}"),
            let own = try? ScenePredicate(parsing: "SELF BEGINSWITH \"\(notesScheme):\""),
            let same = try? ScenePredicateTemplate(parsing: "SELF == $TARGET", variables: ["TARGET"])
        else { return nil }
        var app = App(id: notesID, name: "Notes", location: place)
        app.isBuiltIn = true
        app.schemes = [Located(notesScheme, at: place)]
        app.targets = [TargetTemplate(name: "note", template: template, location: place)]
        var command = Command(arguments: [program, "note", "edit", "--", "{target}"], location: place)
        command.keepEnvironment = ["VISUAL", "EDITOR"]
        var scene = SceneConfiguration(name: "note", location: place)
        scene.target = "note"
        scene.opens = Located(own, at: place)
        scene.canActivate = Located(same, at: place)
        scene.prefersToActivate = Located(same, at: place)
        scene.launch = LaunchHandler(method: .tmux(session: nil), command: command)
        app.scenes = [scene]
        // Suggestions are passive notifications: they are shown, and a click opens the note.
        app.deliver = DeliveryRule(.tapped, levels: [.passive: .notify])
        return app
    }
}

extension LoadedConfiguration {
    /// No file at all: nothing but what is built in.
    public static let empty = LoadedConfiguration(
        configuration: Configuration(), settings: Settings(), diagnostics: [], sources: SourceMap(), folder: "",
        files: [], missingPrograms: [])

    /// With the apps that are built in: Usher's own notes, unless a manifest has taken their place by their id or their scheme,
    /// and the terminals of coding agents.
    ///
    /// The digest stays that of the files.
    ///
    /// - Parameter program: the `usher` that edits notes; a path, or a name that is looked for.
    public func withNotes(program: String, search: ProgramSearch) -> LoadedConfiguration {
        let isTaken = configuration.apps.contains { app in
            app.id == App.notesID || app.schemes.contains { $0.value == App.notesScheme }
        }
        let notes = isTaken ? nil : App.notes(program: program)
        let agents = App.agents(configuration.app(id: App.agentsID))
        let others = configuration.apps.filter { $0.id != App.agentsID }
        var loaded = self
        loaded.configuration = Configuration(
            apps: others + [notes, agents].compactMap(\.self), digest: configuration.digest)
        loaded.configuration.manifests = configuration.manifests
        loaded.configuration.hookCommands = configuration.hookCommands
        loaded.configuration.addresses = configuration.addresses
        loaded.configuration.pageOpener = configuration.pageOpener
        loaded.configuration.quiet = configuration.quiet
        loaded.configuration.terminal = configuration.terminal
        loaded.configuration.notices = configuration.notices
        loaded.configuration.agents = configuration.agents
        loaded.configuration.suggestions = configuration.suggestions
        if case .found = search.find(program) { return loaded }
        for scene in notes?.scenes ?? [] {
            loaded.missingPrograms.insert(SceneName(app: App.notesID, scene: scene.name))
        }
        return loaded
    }
}
