internal import UsherPayload
public import UsherPlace
public import UsherResolution
public import UsherScene
internal import UsherStore
public import UsherText

/// What is to be done for a request: a resolution, and the action that the kind of payload makes of it.
public struct Decision: Sendable {
    public var payloadRequest: PayloadRequest
    public var redirection: Redirection
    public var resolution: Resolution
    /// What it was made by; `resolution` has the places of its app and scene there.
    private var configuration: Shared<Configuration>
    /// The session as it was decided on; claiming it for a delivery changes it.
    public var session: SceneSession?
    public var action: Action
    public var policy: Policy?
    /// The program behind an action that is no window: background, content-deleted or open-web.
    @Rare public var command: Command?
    /// Whether the activity that the request carries is older than the app, and is given to its `upgrade` first.
    var isOutdated = false
    /// The limit that it counts towards; nil if it does not interrupt the user, or the app has no limit.
    var interruption: InterruptionRate?
    /// What is not quite as it should be.
    public var notes: [Diagnostic]
    /// Whether it is about what an app makes of a place that no app owns: see `Decision.init`.
    var isErrand = false

    public var app: App? { resolution.appPlace.map { configuration.value.apps[$0] } }

    /// Reads its app in place: a copy of it takes a reference to each of some twenty members.
    @inline(__always)
    func ofApp<Value>(_ read: (borrowing App) -> Value) -> Value? {
        resolution.appPlace.map { read(configuration.value.apps[$0]) }
    }

    var appID: String? { ofApp { $0.id } }

    public var scene: SceneConfiguration? {
        guard let app = resolution.appPlace, let scene = resolution.scenePlace else { return nil }
        return configuration.value.apps[app].scenes[scene]
    }

    /// Is about this app from now on, as a configuration has it.
    mutating func becomes(about app: String, in configuration: Shared<Configuration>) {
        let place = configuration.value.place(ofApp: app)
        if configuration !== self.configuration || place != resolution.appPlace { resolution.scenePlace = nil }
        self.configuration = configuration
        resolution.appPlace = place
    }

    /// Is about this kind of window of its app; nil for none.
    mutating func becomes(aboutScene name: String?) {
        resolution.scenePlace = name.flatMap { name in app?.scenes.firstIndex { $0.name == name } }
    }
}

extension Decision {
    /// Decides a request. A place that no app owns, a `geo:` URI or a link of a map service, goes to an app that is able to
    /// show it, or the way there, where the request names no other: then the decision is about what that app opens for it.
    ///
    /// - Parameter mapApps: those with `[perform]` in the order in which they are preferred; asked only for such a place.
    public init<Failure>(
        _ payloadRequest: PayloadRequest, following redirection: Redirection, in resolver: borrowing Resolver,
        mapApps: (Place, Configuration) throws(Failure) -> [App]
    ) throws(Failure) {
        let resolution = resolver.resolve(payloadRequest.request, following: redirection)
        guard let place = payloadRequest.unownedPlace(resolution, in: resolver),
            let errand = try? PlaceErrand(
                place,
                among: try payloadRequest.namedApp(in: resolver).map { [$0] }
                    ?? mapApps(place, resolver.configuration.value))
        else {
            self = .made(of: payloadRequest, following: redirection, resolution, in: resolver)
            return
        }
        let other = payloadRequest.replaced(by: errand, of: place)
        self = .made(of: other, following: .none, resolver.resolve(other.request), in: resolver)
        isErrand = true
    }

    // A function, since a method that an initialiser calls copies the value.
    private static func made(
        of payloadRequest: PayloadRequest, following redirection: Redirection, _ found: consuming Resolution,
        in resolver: borrowing Resolver
    ) -> Decision {
        var resolution = consume found
        let configuration = resolver.configuration
        let place = resolution.appPlace
        let session = resolution.chosen
        var action = Action.none
        var policy: Policy?
        var command: Command?
        var isRequested = true
        switch resolution.verdict {
        case .activate: action = session?.state == .disconnected ? .launch : .focus
        case .create: action = .launch
        case .openWeb:
            action = .openWeb
        case .nothing:
            if resolution.reason == .contentDeleted {
                command = place.flatMap { configuration.value.apps[$0].contentDeleted }
            }
            // A push that asks for no window is not wrong because there is none.
            isRequested = resolution.reason == .noScene && !payloadRequest.isTap && place != nil
            if isRequested { resolution.failure = nil }
        }
        var isSilenced = false
        if let hook = payloadRequest.hook {
            // The command needs neither a window nor an app, and is what the hook says explicitly.
            (action, policy, command) = (.background, .background, hook.command)
            let namesApp = payloadRequest.request.app != nil
            resolution = Resolution(
                verdict: .nothing, reason: .explicit, app: namesApp ? resolution.app : nil, at: place,
                subjects: resolution.subjects, rule: hook.command.location)
        } else if payloadRequest.isReminder {
            // What its target is, and whether it is anything, matters when the notification is pressed.
            (action, command, resolution.failure) = (.notify, nil, nil)
        } else if let program = payloadRequest.press?.button?.background, place != nil,
            resolution.reason != .contentDeleted
        {
            // The button's program stands in for the window, whether there is one or not.
            (action, policy, command) = (.background, .background, program)
            resolution.failure = nil
        } else if isRequested {
            if !payloadRequest.isTap {
                policy = .background
                command = payloadRequest.isBackground ? place.flatMap { configuration.value.apps[$0].background } : nil
                action = command == nil ? .none : .background
            } else if let level = payloadRequest.level, let place, resolution.reason != .contentDeleted {
                let delivery = configuration.value.apps[place].deliver.delivery(of: level)
                if delivery != .tapped {
                    action = delivery == .notify ? .notify : .none
                    policy = level == .passive ? .passive : nil
                    command = nil
                    isSilenced = delivery == .none
                }
            }
        }
        var notes: [Diagnostic] = []
        if let warning = resolution.warning { notes.append(warning) }
        if isSilenced, let level = payloadRequest.level { notes.append(.silenced(level)) }
        // All at once: a value this large is copied where its members are set one by one.
        var decision = Decision(
            payloadRequest: payloadRequest, redirection: redirection, resolution: resolution,
            configuration: configuration, session: session, action: action, policy: policy, command: command,
            notes: notes)
        if payloadRequest.activity != nil { decision.judgeVersion() }
        return decision
    }

    /// What opens the page of an `open-web`.
    var pageOpener: PageOpener {
        (ofApp { $0.openWeb } ?? nil).map(PageOpener.exec) ?? configuration.value.pageOpener ?? .system
    }

    /// The page is opened again and again: it is left alone.
    mutating func refuseLoop(of page: String) {
        action = .none
        resolution.failure = .init(
            .webLoop, "\(page) was given to the browser, which asks for it again",
            help: "let [browser] open of usher.toml name a browser instead of xdg-open")
    }

    /// Handlers send requests whose handlers send requests: nothing more is done.
    mutating func refuseNesting() {
        action = .none
        command = nil
        resolution.failure = .init(
            .nested, "handlers sent each other \(Nesting.deepest) requests, each within the one before",
            help: "a handler must not open its own target with xdg-open or usher open: let it start the program itself")
    }

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

extension PayloadRequest {
    /// The app that the request names by its id.
    fileprivate func namedApp(in resolver: borrowing Resolver) -> App? {
        guard case .id(let id)? = request.app else { return nil }
        return resolver.configuration.value.app(id: id)
    }

    /// The place that a request asks for which has no owner, and is not yet what an app made of a place.
    fileprivate func unownedPlace(_ resolution: Resolution, in resolver: borrowing Resolver) -> Place? {
        // First what most requests answer.
        guard !resolution.isClaimed, request.app == nil || namedApp(in: resolver) != nil, request.session == nil, isTap,
            hook == nil, !isReminder, !isPerformed, resolution.reason != .contentDeleted,
            request.shortcutType == nil || resolution.app == nil,
            request.activityType == nil || request.activityType == ActivationRequest.browsingActivity,
            let subject = resolution.subjects.first ?? request.target ?? request.page.map(TargetContentIdentifier.init),
            !resolver.isClaimed(subject)
        else { return nil }
        // Last: it costs more than all of the above, and most requests are for content of an app.
        return try? Place(subject.text)
    }
}

// MARK: - Continuing

extension Decision {
    /// How the app takes the user activity that the request carries; nil where it carries none.
    var continuation: Continuation? { payloadRequest.activity == nil ? nil : app?.continuation }

    /// Compares the activity's version with the app's: an older one is upgraded first, a newer one goes by the manifest's
    /// `newer`.
    private mutating func judgeVersion() {
        guard opensWindow, let activity = payloadRequest.activity, let continuation else { return }
        switch continuation.age(of: activity) {
        case .same, .unknown: break
        case .older: isOutdated = continuation.upgrade != nil
        case .newer(let theirs, let ours, let place):
            let title = appID ?? ""
            let message = "the activity has \(theirs), and \(title) has \(ours)"
            let page = payloadRequest.request.page.flatMap { TargetContentIdentifier($0).isWebAddress ? $0 : nil }
            if case .try = continuation.newer {
                notes.append(.init(.continuationNewer, "\(message): it is handed on all the same"))
            } else if case .web = continuation.newer, let page {
                notes.append(.init(.continuationNewer, "\(message): its web page is opened"))
                become(.openWeb(url: page), .webFallback, place)
                action = .openWeb
            } else {
                become(.nothing, .noScene, place)
                action = .none
                resolution.failure = .init(
                    .continuationNewer, "\(message), which refuses it",
                    help: "update \(title), or say newer = \"try\" or \"web\" in its manifest")
            }
        }
    }

    private mutating func become(_ verdict: Resolution.Verdict, _ reason: Reason, _ rule: SourceLocation) {
        resolution = Resolution(
            verdict: verdict, reason: reason, app: resolution.app, at: resolution.appPlace,
            subjects: resolution.subjects,
            rule: rule)
        session = nil
    }
}

// MARK: - Rate

// `rate` of a manifest: how often an app's pushes may interrupt (Documentation/Notifications.md).

extension Decision {
    /// The limit that applies to this decision: only to a push that the user has not tapped, and that would show a
    /// notification or bring a window forward.
    private var rate: InterruptionRate? {
        guard payloadRequest.level != nil, policy != .background, let rate = ofApp({ $0.rate }) ?? nil
        else {
            return nil
        }
        switch action {
        case .notify, .focus, .launch, .openWeb: return rate
        case .background, .none: return nil
        }
    }

    /// Holds it back where the app has interrupted often enough, and notes whether it counts itself; whether anything of
    /// the decision has changed by that.
    ///
    /// A notification that takes the place of one that is shown is none more. A critical one is never held back.
    ///
    /// - Parameter delivery: nil where nothing comes of it.
    mutating func observeRate(
        of delivery: String?, collapse: String?, in facts: inout some PlanningFacts & ~Copyable
    ) throws(StoreError) -> Bool {
        guard let rate, let appID else { return false }
        let recent = try facts.interruptions(
            of: appID, within: rate.milliseconds, for: delivery, collapse: action == .notify ? collapse : nil)
        return observe(recent, rate)
    }

    /// The same for what is only looked at.
    mutating func observeRate(collapse: String?, in store: Store) throws(StoreError) {
        guard let rate, let appID else { return }
        let recent = try store.interruptions(
            of: appID, within: rate.milliseconds, for: nil, collapse: action == .notify ? collapse : nil)
        _ = observe(recent, rate)
    }

    private mutating func observe(_ recent: RecentInterruptions, _ rate: InterruptionRate) -> Bool {
        if recent.isReplacement || recent.isCounted { return false }
        if payloadRequest.level == .critical || recent.others < rate.limit {
            interruption = rate
            return false
        }
        action = .none
        policy = .rate
        command = nil
        notes.append(.heldBack(rate))
        return true
    }
}

// MARK: - Quiet

extension Decision {
    /// What the request does at most while the user should not be disturbed. Empty for what the user has tapped, for what
    /// shows nothing, and for a critical push.
    var quiet: QuietRule {
        guard let level = payloadRequest.level, level != .critical, payloadRequest.hook == nil,
            action != .background, action != .none
        else { return QuietRule() }
        return (ofApp { $0.notifications.quiet } ?? QuietRule()).over(configuration.value.quiet)
    }
}

extension Diagnostic {
    /// The app has interrupted as often as its manifest lets it.
    fileprivate static func heldBack(_ rate: InterruptionRate) -> Self {
        .init(
            .notificationRate, "held back: the app's pushes may interrupt \(rate.words), and have",
            help: "the app's `rate` says so; usher deliveries list has what came meanwhile")
    }
}
