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
    /// The limit that it counts towards, where it interrupts somebody and the app has one.
    var interruption: InterruptionRate?
    /// What is not quite as it should be.
    public var notes: [Resolution.Failure]

    public init(_ inquiry: Inquiry, following redirection: Redirection, in resolver: Resolver, fallbackLimit: Int = 2) {
        guard inquiry.activity != nil else {
            self.init(ofAnyVersion: inquiry, following: redirection, in: resolver, fallbackLimit: fallbackLimit)
            return
        }
        var decision = Decision(
            ofAnyVersion: inquiry, following: redirection, in: resolver, fallbackLimit: fallbackLimit)
        decision.judgeVersion()
        self = decision
    }

    /// Without a look at the version of an activity.
    private init(
        ofAnyVersion inquiry: Inquiry, following redirection: Redirection, in resolver: Resolver, fallbackLimit: Int
    ) {
        var resolution = resolver.resolve(inquiry.request, following: redirection, fallbackLimit: fallbackLimit)
        let app = resolution.app.flatMap { resolver.snapshot.configuration.app(id: $0) }
        var session: SceneSession?
        if let id = resolution.session, let app { session = resolver.snapshot.sessions.session(id: id, app: app.id) }
        var action = Action.none
        var policy: Policy?
        var command: Command?
        var isRequested = true
        switch resolution.verdict {
        case .activate: action = session?.state == .disconnected ? .launch : .focus
        case .create: action = .launch
        case .openWeb:
            action = .openWeb
            command = app?.openWeb ?? Decision.desktopOpener
        case .nothing:
            if resolution.reason == .contentDeleted { command = app?.contentDeleted }
            // A push that asks for no window is not wrong because there is none.
            isRequested = resolution.reason == .noScene && !inquiry.isTap && app != nil
            if isRequested { resolution.failure = nil }
        }
        var isSilenced = false
        if let program = inquiry.press?.button?.background, app != nil, resolution.reason != .contentDeleted {
            // The button's program stands in for the window, whether there is one or not.
            (action, policy, command) = (.background, .background, program)
            resolution.failure = nil
        } else if isRequested {
            if !inquiry.isTap {
                policy = .background
                command = inquiry.isBackground ? app?.background : nil
                action = command == nil ? .none : .background
            } else if let level = inquiry.level, let app, resolution.reason != .contentDeleted {
                let delivery = app.deliver.delivery(of: level)
                if delivery != .tapped {
                    action = delivery == .notify ? .notify : .none
                    policy = level == .passive ? .passive : nil
                    command = nil
                    isSilenced = delivery == .none
                }
            }
        }
        // All at once, and from here on left alone: a value this large is copied where it is changed in place.
        self.inquiry = inquiry
        self.redirection = redirection
        self.app = app
        self.scene = resolution.scene.flatMap { name in app?.scene(named: name) }
        self.session = session
        self.action = action
        self.policy = policy
        self.command = command
        self.notes =
            resolution.passedOver.map { missing in
                [.init(.notInstalled, "\(missing.message): its web page is opened instead", help: missing.help)]
            } ?? []
        if isSilenced, let level = inquiry.level { notes.append(.silenced(level)) }
        self.resolution = resolution
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
