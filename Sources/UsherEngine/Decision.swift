internal import UsherPayload
public import UsherPlace
public import UsherResolution
public import UsherScene
internal import UsherStore
public import UsherText

/// What is to be done for a request: a resolution, and the action that the kind of payload makes of it.
public struct Decision: Sendable {
    public let payloadRequest: PayloadRequest
    public let redirection: Redirection
    public var resolution: Resolution
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
    /// Whether it is about what an app makes of a place that no app owns: see `Decision.of`.
    var isErrand = false

    public var app: App? { resolution.ofApp { copy $0 } }

    var appID: String? { resolution.ofApp { $0.id } }

    public var scene: SceneConfiguration? { resolution.ofScene { copy $0 } }
}

extension Decision {
    /// Decides a request. A place that no app owns, a `geo:` URI or a link of a map service, goes to an app that is able to
    /// show it, or the way there, where the request names no other: then the decision is about what that app opens for it.
    ///
    /// - Parameter mapApps: those with `[perform]` in the order in which they are preferred; asked only for such a place.
    public static func of<Failure>(
        _ payloadRequest: consuming PayloadRequest, following redirection: consuming Redirection,
        in resolver: borrowing Resolver, mapApps: (Place, Configuration) throws(Failure) -> [App]
    ) throws(Failure) -> Decision {
        let resolution = payloadRequest.resolved(by: resolver, following: redirection)
        guard let place = payloadRequest.unownedPlace(resolution, in: resolver),
            let errand = try? PlaceErrand(
                place,
                among: try payloadRequest.namedApp(in: resolver).map { [$0] }
                    ?? mapApps(place, resolver.configuration.value))
        else { return made(of: payloadRequest, following: redirection, resolution) }
        let other = payloadRequest.replaced(by: errand, of: place)
        let found = other.resolved(by: resolver, following: .none)
        var decision = made(of: other, following: .none, found)
        decision.isErrand = true
        return decision
    }

    // A function, since a method that an initialiser calls copies the value.
    private static func made(
        of payloadRequest: consuming PayloadRequest, following redirection: consuming Redirection,
        _ resolution: consuming Resolution
    ) -> Decision {
        let session = resolution.chosen
        var action = Action.none
        var policy: Policy?
        var command: Command?
        var isRequested = true
        if let session {
            action = session.state == .disconnected ? .launch : .focus
        } else if resolution.makesSession {
            action = .launch
        } else if resolution.page != nil {
            action = .openWeb
        } else {
            if resolution.reason == .contentDeleted { command = resolution.ofApp { $0.contentDeleted } ?? nil }
            // A push that asks for no window is not wrong because there is none.
            isRequested = resolution.reason == .noScene && !payloadRequest.isTap && resolution.appPlace != nil
            if isRequested { resolution.failure = nil }
        }
        var isSilenced = false
        if let hook = payloadRequest.hook {
            // The command needs neither a window nor an app, and is what the hook says explicitly.
            (action, policy, command) = (.background, .background, hook.command)
            resolution = Resolution.of(
                .explicit, by: resolution.configuration, app: resolution.appPlace, subjects: resolution.subjects,
                rule: hook.command.location)
            resolution.hidesApp = payloadRequest.request.app == nil
        } else if payloadRequest.terminal != nil {
            action = .focus
        } else if payloadRequest.isReminder {
            // What its target is, and whether it is anything, matters when the notification is pressed.
            (action, command, resolution.failure) = (.notify, nil, nil)
        } else if let program = payloadRequest.press?.button?.background, resolution.appPlace != nil,
            resolution.reason != .contentDeleted
        {
            // The button's program stands in for the window, whether there is one or not.
            (action, policy, command) = (.background, .background, program)
            resolution.failure = nil
        } else if isRequested {
            if !payloadRequest.isTap {
                policy = .background
                command = payloadRequest.isBackground ? resolution.ofApp { $0.background } ?? nil : nil
                action = command == nil ? .none : .background
            } else if let level = payloadRequest.level, let place = resolution.appPlace,
                resolution.reason != .contentDeleted
            {
                let delivery = resolution.configuration.value.apps[place].deliver.delivery(of: level)
                if delivery != .tapped {
                    action = delivery == .notify ? .notify : .none
                    policy = level == .passive ? .passive : nil
                    command = nil
                    isSilenced = delivery == .none
                }
            }
        }
        if resolution.failure?.code == .noApp, payloadRequest.hasAppBesideAps {
            resolution.failure?.help =
                "\"app\" beside \"aps\" is a member of the app's own and not read: give --app ID, or write "
                + "{\"payload\":…,\"app\":…}"
        }
        var notes: [Diagnostic] = []
        if let warning = resolution.warning { notes.append(warning) }
        if isSilenced, let level = payloadRequest.level { notes.append(.silenced(level)) }
        if payloadRequest.press?.button?.isAnswer == true { notes.append(.lateAnswer) }
        let hasActivity = payloadRequest.activity != nil
        // All at once: a value this large is copied where its members are set one by one.
        var decision = Decision(
            payloadRequest: payloadRequest, redirection: redirection, resolution: resolution,
            session: session, action: action, policy: policy, command: command, notes: notes)
        if hasActivity { decision.judgeVersion() }
        return decision
    }

    /// What runs after the window came forward; nil also where it needs a target and the request has none.
    var show: ShowHandler? {
        guard !payloadRequest.isFocusAlone, let show = resolution.ofScene({ $0.show }) ?? nil,
            payloadRequest.request.target != nil || !show.command.usesTarget
        else { return nil }
        return show
    }

    /// What opens the page of an `open-web`.
    var pageOpener: PageOpener {
        (resolution.ofApp { $0.openWeb } ?? nil).map(PageOpener.exec) ?? resolution.configuration.value.pageOpener
            ?? .system
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

    /// Whether it can only be carried out with a session.
    var needsSession: Bool { opensWindow && payloadRequest.terminal == nil }

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
        guard !resolution.isClaimed, request.carrier != .scene, request.app == nil || namedApp(in: resolver) != nil,
            request.session == nil, isTap,
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
                become(.webFallback, page: page, place)
                action = .openWeb
            } else {
                become(.noScene, page: nil, place)
                action = .none
                resolution.failure = .init(
                    .continuationNewer, "\(message), which refuses it",
                    help: "update \(title), or say newer = \"try\" or \"web\" in its manifest")
            }
        }
    }

    private mutating func become(_ reason: Reason, page: String?, _ rule: SourceLocation) {
        resolution = Resolution.of(
            reason, by: resolution.configuration, app: resolution.appPlace, page: page,
            subjects: resolution.subjects, rule: rule)
        session = nil
    }
}

// MARK: - Rate

// `rate` of a manifest: how often an app's pushes may interrupt (Documentation/Notifications.md).

extension Decision {
    /// The limit that applies to this decision: only to a push that the user has not tapped, and that would show a
    /// notification or bring a window forward.
    private var rate: InterruptionRate? {
        guard payloadRequest.level != nil, policy != .background, let rate = resolution.ofApp({ $0.rate }) ?? nil
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
        let isNotice = action == .notify
        let recent = try facts.interruptions(
            of: appID, within: rate.milliseconds, for: delivery, collapse: isNotice ? collapse : nil,
            target: isNotice && notices.replacesTarget ? noticeTarget : nil)
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

extension Decision {
    /// Does not open a window, because requests of unknown senders have opened so many for this app in the last minute.
    mutating func holdBackWindow(_ limit: Int) {
        action = .none
        policy = .rate
        command = nil
        notes.append(
            .init(
                .tooManyWindows,
                "held back: requests over TCP without a token opened \(limit) windows of this app in the last minute",
                help: "let the sender use a token, or raise `new-windows` of [server.rate]"))
    }
}

/// When requests of unknown senders opened windows in the last minute, by app.
struct NewWindows: Sendable {
    private var times: [String: [MonotonicInstant]] = [:]

    /// Whether one more is below the limit; counts it then.
    mutating func admit(_ app: String, limit: Int, at now: MonotonicInstant) -> Bool {
        let recent = (times[app] ?? []).filter { now - $0 < .seconds(60) }
        let isAdmitted = limit == 0 || recent.count < limit
        times[app] = isAdmitted && limit > 0 ? recent + [now] : recent
        return isAdmitted
    }
}

// MARK: - Notifications

extension Decision {
    /// Whether its notification is needed.
    var notices: NoticeRule {
        let configuration = resolution.configuration.value
        return (resolution.ofApp { $0.notifications.need } ?? NoticeRule()).over(configuration.notices)
    }

    /// The newest identifier of what its notification leads to.
    var noticeTarget: String? { resolution.resolved?.text ?? payloadRequest.request.target?.text }
}

// MARK: - Quiet

extension Decision {
    /// What the request does at most while the user should not be disturbed. Empty for what the user has tapped, for what
    /// shows nothing, and for a critical push.
    var quiet: QuietRule {
        guard let level = payloadRequest.level, level != .critical, payloadRequest.hook == nil,
            action != .background, action != .none
        else { return QuietRule() }
        return (resolution.ofApp { $0.notifications.quiet } ?? QuietRule()).over(resolution.configuration.value.quiet)
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
