internal import UsherPayload
public import UsherResolution
public import UsherScene

/// What is to be done for a request: a resolution, and the action that the kind of payload makes of it.
public struct Decision: Sendable {
    public var inquiry: Inquiry
    public var redirection: Redirection
    public var resolution: Resolution
    /// What it was made by, and the places of its app and scene there: copies of them would cost more than deciding.
    private var configuration: Configuration
    private var appPlace: Int?
    private var scenePlace: Int?
    /// The chosen session as it was decided on.
    public var session: SceneSession?
    public var action: Action
    public var policy: Policy?
    /// The program behind an action that is no window: background, content-deleted or open-web.
    public var command: Command?
    /// Whether the activity that the request carries is older than the app, and is given to its `upgrade` first.
    public var isOutdated = false
    /// The limit that it counts towards, where it interrupts somebody and the app has one.
    var interruption: InterruptionRate?
    /// What is not quite as it should be.
    public var notes: [Diagnostic]

    public var app: App? { appPlace.map { configuration.apps[$0] } }

    /// Reads its app in place: a copy of it takes a reference to each of some twenty members.
    @inline(__always)
    func ofApp<Value>(_ read: (borrowing App) -> Value) -> Value? {
        appPlace.map { read(configuration.apps[$0]) }
    }

    var appID: String? { ofApp { $0.id } }

    public var scene: SceneConfiguration? {
        guard let appPlace, let scenePlace else { return nil }
        return configuration.apps[appPlace].scenes[scenePlace]
    }

    /// Is about this app from now on, as a configuration has it.
    mutating func becomes(about app: String, in configuration: Configuration) {
        let place = configuration.place(ofApp: app)
        if configuration.digest != self.configuration.digest || place != appPlace { scenePlace = nil }
        self.configuration = configuration
        appPlace = place
    }

    /// Is about this kind of window of its app; nil for none.
    mutating func becomes(aboutScene name: String?) {
        scenePlace = name.flatMap { name in app?.scenes.firstIndex { $0.name == name } }
    }
}

extension Decision {
    public init(_ inquiry: Inquiry, following redirection: Redirection, in resolver: borrowing Resolver) {
        var resolution = resolver.resolve(inquiry.request, following: redirection)
        let configuration = resolver.snapshot.configuration
        let apps = configuration.apps
        let place = resolution.app.flatMap { configuration.place(ofApp: $0) }
        var session: SceneSession?
        if let id = resolution.session, let place {
            session = resolver.snapshot.sessions.session(id: id, app: apps[place].id)
        }
        var action = Action.none
        var policy: Policy?
        var command: Command?
        var isRequested = true
        switch resolution.verdict {
        case .activate: action = session?.state == .disconnected ? .launch : .focus
        case .create: action = .launch
        case .openWeb:
            action = .openWeb
            command = place.flatMap { apps[$0].openWeb } ?? Decision.desktopOpener
        case .nothing:
            if resolution.reason == .contentDeleted { command = place.flatMap { apps[$0].contentDeleted } }
            // A push that asks for no window is not wrong because there is none.
            isRequested = resolution.reason == .noScene && !inquiry.isTap && place != nil
            if isRequested { resolution.failure = nil }
        }
        var isSilenced = false
        if let program = inquiry.press?.button?.background, place != nil, resolution.reason != .contentDeleted {
            // The button's program stands in for the window, whether there is one or not.
            (action, policy, command) = (.background, .background, program)
            resolution.failure = nil
        } else if isRequested {
            if !inquiry.isTap {
                policy = .background
                command = inquiry.isBackground ? place.flatMap { apps[$0].background } : nil
                action = command == nil ? .none : .background
            } else if let level = inquiry.level, let place, resolution.reason != .contentDeleted {
                let delivery = apps[place].deliver.delivery(of: level)
                if delivery != .tapped {
                    action = delivery == .notify ? .notify : .none
                    policy = level == .passive ? .passive : nil
                    command = nil
                    isSilenced = delivery == .none
                }
            }
        }
        var notes: [Diagnostic] = []
        if let missing = resolution.passedOver {
            notes.append(.init(.notInstalled, "\(missing.message): its web page is opened instead", help: missing.help))
        }
        if isSilenced, let level = inquiry.level { notes.append(.silenced(level)) }
        let scenePlace = resolution.scene.flatMap { name in
            place.flatMap { apps[$0].scenes.firstIndex { $0.name == name } }
        }
        // All at once: a value this large is copied where its members are set one by one.
        self.init(
            inquiry: inquiry, redirection: redirection, resolution: resolution, configuration: configuration,
            appPlace: place, scenePlace: scenePlace, session: session, action: action, policy: policy, command: command,
            notes: notes)
        if self.inquiry.activity != nil { judgeVersion() }
    }

    /// Opens a web page where the manifest names no program for it.
    static let desktopOpener = Command(
        arguments: ["xdg-open", "{url}"], location: SourceLocation(path: "built-in", line: 1, column: 1))

    /// What a program's run is called in records.
    var verb: String {
        switch action {
        case .background: "background"
        case .openWeb: "open-web"
        default: resolution.reason == .contentDeleted ? "content-deleted" : action.rawValue
        }
    }

    /// Whether something has to be carried out.
    var hasEffect: Bool {
        action != .none || command != nil || (resolution.failure != nil && continuation?.didFail != nil)
    }
}
