public import UsherPredicate
public import UsherTarget
public import UsherText

/// A kind of window that an app has: its conditions, what it opens for, how to launch, focus and show it.
public struct SceneConfiguration: Sendable {
    public var name: String
    public var role = SceneRole.windowApplication
    /// The name of the app's template that this scene's targets are built from; its parameters may be used in conditions.
    public var target: String?
    /// The subjects that a new scene of this kind is made for; nil accepts what no other configuration opens for.
    @Rare public var opens: Located<ScenePredicate>? = nil
    /// nil is the default, TRUEPREDICATE.
    @Rare public var canActivate: Located<ScenePredicateTemplate>? = nil
    /// nil is the default, FALSEPREDICATE.
    @Rare public var prefersToActivate: Located<ScenePredicateTemplate>? = nil
    public var newScene = NewScenePolicy.whenNoneCan
    @Rare public var launch: LaunchHandler? = nil {
        didSet {
            isCommand = launch?.hasWindow == false
            switch launch?.method {
            case .exec, .tmux: program = launch?.command.arguments.first
            case .desktop, .dbus, nil: program = nil
            }
        }
    }
    // Stored, since decisions ask for them, and a look at `launch` copies it.
    /// Whether it is a command without a window.
    public private(set) var isCommand = false
    /// The program that launches it. Whether a desktop entry or a bus name is there is known when it is asked.
    public private(set) var program: String?
    @Rare public var focus: FocusHandler? = nil
    @Rare public var show: ShowHandler? = nil
    /// Where the target of a window stands that the user opened; the first that gives one counts.
    public var content: [SceneContent] = []
    public var location: SourceLocation

    public enum NewScenePolicy: String, Sendable, CaseIterable {
        /// An open window that can show the subject takes it (as on iOS).
        case whenNoneCan = "when-none-can"
        /// For subjects that `opens` accepts, a new window goes before one that merely can: a window a document.
        case unlessPreferred = "unless-preferred"
    }

    public init(name: String, location: SourceLocation) {
        self.name = name
        self.location = location
    }
}

/// What a scene is for, in UIKit's words; requests reach scenes of their own role only.
public struct SceneRole: RawRepresentable, Hashable, Sendable {
    public var rawValue: String

    /// The usual role shares one text, so that comparing two of them compares no characters.
    public init(rawValue: String) { self.rawValue = rawValue == SceneRole.usual ? SceneRole.usual : rawValue }

    public static let windowApplication = SceneRole(rawValue: usual)
    private static let usual = "windowApplication"
}

extension SceneConfiguration {
    /// Whether a launched window can be identified only by its process: no window is described, awaited or handed over
    /// by name, and there is no handler to bring it forward or to show a target in it.
    public var isKnownByProcessAlone: Bool {
        guard let launch, case .exec = launch.method else { return false }
        return !launch.hasWindow || launch.ready == nil && focus?.method == nil && show == nil
    }
}

// MARK: - Target

extension SceneConfiguration {
    /// Whether its conditions use the target that a session is made for.
    public var needsTarget: Bool {
        !(canActivate?.value.usedVariables.isEmpty ?? true) || !(prefersToActivate?.value.usedVariables.isEmpty ?? true)
    }

    /// The conditions of a new session for `target`: the configuration's, with `$TARGET` and the parameters of its
    /// template filled in as values.
    ///
    /// - Returns: the conditions, and the names of those (`can`, `prefers`) that use a variable without a value and
    ///   became FALSEPREDICATE.
    public func conditions(
        for target: TargetContentIdentifier?, template: URITemplate?
    ) -> (conditions: ActivationConditions, unfilled: [String]) {
        var values: [String: String] = [:]
        if let target {
            // Nearly all conditions use the target alone: then the template has nothing to say.
            let usesMore = [canActivate, prefersToActivate].contains {
                $0?.value.usesVariable(besides: "TARGET") == true
            }
            if let template, usesMore {
                for (name, value) in template.match(target.text)?.variables ?? [:] {
                    values[URITemplate.variableKey(name)] = value
                }
            }
            values["TARGET"] = target.text
        }
        var unfilled: [String] = []
        func fill(_ condition: Located<ScenePredicateTemplate>?, _ name: String, _ other: ScenePredicate)
            -> ActivationConditions.Condition
        {
            guard let condition else { return .init(other, origin: .default) }
            guard let predicate = condition.value.substituting(values) else {
                unfilled.append(name)
                return .init(.never, origin: .configuration)
            }
            return .init(predicate, origin: .configuration)
        }
        let conditions = ActivationConditions(
            canActivate: fill(canActivate, "can", .always),
            prefersToActivate: fill(prefersToActivate, "prefers", .never))
        return (conditions, unfilled)
    }
}

extension Configuration {
    /// The conditions of a session by its scene, apart from those that it was given at run time; nil where its scene is not
    /// configured.
    public func conditions(of session: SceneSession) -> ActivationConditions? {
        guard let app = app(id: session.app), let scene = app.scene(named: session.scene) else { return nil }
        var conditions = scene.conditions(for: session.target, template: app.template(of: scene)).conditions
        let given = session.conditions
        if given.canActivate.origin == .session { conditions.canActivate = given.canActivate }
        if given.prefersToActivate.origin == .session { conditions.prefersToActivate = given.prefersToActivate }
        return conditions
    }

    /// Whether there is such a scene now.
    public func hasScene(of session: SceneSession) -> Bool { app(id: session.app)?.scene(named: session.scene) != nil }
}

extension SceneConfiguration {
    /// The desktop entry that it is launched by, where its manifest names one.
    public var desktopEntry: String? {
        guard let launch, case .desktop = launch.method, let name = launch.command.arguments.first,
            !name.utf8.contains(UInt8(ascii: "{"))
        else { return nil }
        return name
    }
}
