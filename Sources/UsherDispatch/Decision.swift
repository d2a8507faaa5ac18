internal import UsherPayload
public import UsherResolution
public import UsherScene

/// What is to be done for a request: a resolution, and the action that the kind of payload makes of it.
public struct Decision: Sendable {
    public var inquiry: Inquiry
    public var redirection: Redirection
    public var resolution: Resolution
    public var app: App?
    public var scene: SceneConfiguration?
    /// The chosen session as it was decided on.
    public var session: SceneSession?
    public var action: Action
    public var policy: Policy?
    /// The program behind an action that is no window: background, content-deleted or open-web.
    public var command: Command?
    /// Whether the activity that the request carries is older than the app, and is given to its `upgrade` first.
    public var isOutdated = false
    /// What is not quite as it should be.
    public var notes: [Resolution.Failure] = []

    public init(_ inquiry: Inquiry, following redirection: Redirection, in resolver: Resolver, fallbackLimit: Int = 2) {
        self.inquiry = inquiry
        self.redirection = redirection
        action = .none
        resolution = resolver.resolve(inquiry.request, following: redirection, fallbackLimit: fallbackLimit)
        if let missing = resolution.passedOver {
            notes.append(
                .init(.notInstalled, "\(missing.message): its web page is opened instead", help: missing.help))
        }
        let app = resolution.app.flatMap { resolver.snapshot.configuration.app(id: $0) }
        self.app = app
        scene = resolution.scene.flatMap { name in app?.scene(named: name) }
        session = nil
        if let id = resolution.session, let app { session = resolver.snapshot.sessions.session(id: id, app: app.id) }
        switch resolution.verdict {
        case .activate: action = session?.state == .disconnected ? .launch : .focus
        case .create: action = .launch
        case .openWeb:
            action = .openWeb
            command = app?.openWeb ?? Decision.desktopOpener
        case .nothing:
            if resolution.reason == .contentDeleted { command = app?.contentDeleted }
            // A push that asks for no window is not wrong because there is none.
            guard resolution.reason == .noScene, !inquiry.isTap, app != nil else { return }
            resolution.failure = nil
        }
        if !inquiry.isTap {
            policy = .background
            command = inquiry.isBackground ? app?.background : nil
            action = command == nil ? .none : .background
        } else if app?.deliver == .notify, resolution.reason != .contentDeleted {
            action = .notify
        }
        judgeVersion()
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
