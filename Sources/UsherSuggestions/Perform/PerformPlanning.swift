internal import UsherActivation
internal import UsherActivities
internal import UsherEngine
internal import UsherJSON
internal import UsherOperation
internal import UsherPlace
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherTarget
internal import UsherText

/// The request that makes an app do something.
struct PerformPlanning {
    private let service: OperationContext
    private let call: PerformPlan

    init(_ call: PerformPlan, in context: OperationContext) { (self.call, service) = (call, context) }

    /// What is to be done.
    private struct Action {
        var verb: PerformVerb
        /// As it was asked for, or what the verb means.
        var mode: DirectionsMode?
        var isVideo: Bool
    }

    func answer() throws(ControlError) -> PerformPlanAnswer {
        let action = try Self.action(call)
        let now = Instant.now
        let input = try service.storing(try SuggestionSource(service.store, service.configuration).everything(at: now))
        let finder = PerformFinder(action.verb, in: input, now: now)
        var found: PerformFinder.Found
        if let what = call.what {
            found = try finder.named(what)
        } else if action.verb == .play, call.indexPath != nil {
            // The place in a list is enough.
            found = (try? Self.current(finder, service)) ?? .init(PerformSubject())
        } else {
            found = try Self.current(finder, service)
        }
        if action.verb == .play, let (player, app) = player(named: call.app, input) {
            let (subject, title) = (found.subject, found.subject.title ?? player.title ?? player.name)
            var answer = PerformPlanAnswer(action.verb, "Play \(title)")
            (answer.app, answer.target, answer.player) = (app?.id, subject.item, player.name)
            answer.donation = app.flatMap { Self.donation(action, subject, $0, target: nil, activity: nil) }
            return answer
        }
        let app = try app(for: action, named: call.app, preferring: found.mode, input)
        try Self.check(found.subject, for: action, by: app, at: call.indexPath)
        return try answer(action, found, app, input)
    }

    private static func current(
        _ finder: PerformFinder, _ service: OperationContext
    ) throws(ControlError) -> PerformFinder.Found {
        let activities = try CurrentActivities(service)
        let activity = try activities.system()
        return try finder.current(activity, obstacle: activity == nil ? activities.obstacle() : nil)
    }

    private static func action(_ call: PerformPlan) throws(ControlError) -> Action {
        guard let verb = call.verb.flatMap(PerformVerb.init(rawValue:)) else {
            throw .argument(
                "verb is missing", at: "/verb",
                help: "one of \(PerformVerb.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        var action = Action(verb: verb, mode: call.mode.flatMap(DirectionsMode.init(named:)), isVideo: call.video)
        let isWay = verb == .directions || verb == .ride
        if action.mode != nil, !isWay { throw .argument("\(verb.rawValue) has no mode", at: "/mode") }
        if verb == .ride, let mode = action.mode, mode != .rideShare {
            throw .argument(
                "a ride has the mode ride-share, and not \(mode.rawValue)", at: "/mode",
                help: "usher perform directions --mode \(mode.rawValue)")
        }
        // One is the other.
        if verb == .directions, action.mode == .rideShare { action.verb = .ride }
        if action.verb == .ride { action.mode = .rideShare }
        if action.isVideo, verb != .call { throw .argument("only a call has video", at: "/video") }
        if call.text != nil, verb != .message, verb != .email {
            throw .argument("\(verb.rawValue) takes no text", at: "/text")
        }
        if let path = call.indexPath {
            guard verb == .play else { throw .argument("\(verb.rawValue) has no index path", at: "/index_path") }
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { ("0"..."9").contains($0) } && Int32($0) != nil })
            else {
                throw .argument(
                    "\(QuotedText.text(path)) is no index path", at: "/index_path",
                    help: "places from 0, with / between them: 2/0")
            }
        }
        return action
    }

    /// A media player, where no template says how an app plays something: that of the app; without one, the player that
    /// plays, else the first.
    private func player(named name: String?, _ input: SuggestionInput) -> (player: MediaPlayer, app: App?)? {
        let isDeclared =
            name.map { service.configuration.app(id: $0)?.template(for: .play) != nil }
            ?? !service.configuration.apps(performing: .play, input, now: .now).isEmpty
        if isDeclared { return nil }
        let apps = service.configuration.manifestApps
        let players = ((try? service.activator?.applications?.players()) ?? [])
            .map { (player: $0, app: MediaPlayerAnswer.app(of: $0, in: apps)) }
        if let name { return players.first { $0.app?.id == name } }
        return players.first { $0.player.status == .playing } ?? players.first
    }

    // MARK: App

    private func app(
        for action: Action, named name: String?, preferring mode: DirectionsMode?, _ input: SuggestionInput
    ) throws(ControlError) -> App {
        let words = action.mode.map { "\(action.verb.rawValue) in the mode \($0.rawValue)" } ?? action.verb.rawValue
        if let name {
            guard let app = service.configuration.app(id: name) else {
                throw .unknown(
                    .performNoApp, "app", name, among: service.configuration.manifestApps.map(\.id), at: "/app",
                    otherwise: "install its manifest")
            }
            guard app.template(for: action.verb, by: action.mode) != nil else {
                throw ControlError(
                    .performNotSupported, "\(app.id) does not declare \(words)", at: "/app",
                    help: "[perform] and directions-modes of \(app.location.path) say what it can do")
            }
            return app
        }
        let apps = service.configuration.apps(performing: action.verb, by: action.mode, input, now: Instant.now)
        // The mode of a link is a preference, not a condition.
        if action.verb == .directions, action.mode == nil, let app = apps.first(toPerform: .directions, by: mode) {
            return app
        }
        guard let app = apps.first else {
            let excluded = service.configuration.manifestApps.first {
                $0.template(for: action.verb, by: action.mode) != nil && input.settings.excludes(app: $0.id)
            }
            if let excluded {
                throw ControlError(
                    .performNoApp, "\(excluded.id) declares \(words), and is excluded",
                    help:
                        "exclude-apps in [suggestions] of usher.toml names it; --app \(excluded.id) asks it all the same"
                )
            }
            throw ControlError(
                .performNoApp, "no app declares \(words)",
                help: "add \(action.verb.rawValue) = \"…\" to [perform] of a manifest"
                    + (action.mode == nil ? "" : ", and the mode to directions-modes"))
        }
        return app
    }

    private static func check(
        _ subject: PerformSubject, for action: Action, by app: App, at indexPath: String?
    ) throws(ControlError) {
        let title = subject.title ?? ""
        let names = app.template(for: action.verb, by: action.mode)?.variableNames ?? []
        switch action.verb {
        case .directions, .ride:
            if !subject.supportsNavigation {
                throw ControlError(
                    .performNotSupported, "there is no way to \(title): it supports no navigation", at: "/what",
                    help: "usher perform place shows it")
            }
        case .call:
            if !subject.supportsPhoneCalls {
                throw ControlError(
                    .performNotSupported, "\(title) cannot be called: it supports no calls", at: "/what",
                    help: "supportsPhoneCalls of its attributes says so; give the number to call it all the same")
            }
        case .play:
            if indexPath != nil, !names.contains("index-path") {
                throw ControlError(
                    .performNotSupported, "\(app.id) plays no item by its place", at: "/index_path",
                    help: "the template of play in [perform] takes {index-path}")
            }
            if subject.item == nil, names.contains("item") {
                throw ControlError(
                    .performNothing, "it is not said what is to be played", at: "/what", help: "give its identifier")
            }
        case .place, .message, .email: break
        }
        // What an app finds by names alone needs neither.
        let lack: String? =
            switch action.verb {
            case .call where subject.number == nil && names.contains("number"): "telephone number"
            case .email where subject.email == nil && names.contains("email"): "mail address"
            case .message
            where (names.contains("number") || names.contains("email"))
                && !(names.contains("number") && subject.number != nil
                    || names.contains("email") && subject.email != nil):
                names.contains("number") ? "telephone number" : "mail address"
            default: nil
            }
        if let lack {
            throw ControlError(
                .performNothing, "no \(lack) of \(title) is known", at: "/what", help: "give it instead of the name")
        }
    }

    // MARK: Answer

    private func answer(
        _ action: Action, _ found: PerformFinder.Found, _ app: App, _ input: SuggestionInput
    ) throws(ControlError) -> PerformPlanAnswer {
        let subject = found.subject
        let title = Self.label(action, subject, app)
        let contacts = input.settings.includesContacts ? input.contacts : []
        var payload: [JSONValue.Member] = [.init("app", .string(app.id)), .init("title", .string(title))]
        var target: String?
        let activity = try earlierActivity(action, subject, app, contacts, input)
        if let activity {
            target = activity.subject
            payload.append(.init("userActivity", (try? JSONValue(parsing: activity.document)) ?? .null))
            // Its window, where it is still there.
            if let session = activity.session,
                try service.storing(try service.sessions.session(id: session)) != nil
            {
                payload.append(.init("session", .string(session)))
            }
        } else {
            let built = try expanded(action, found, app)
            target = built
            payload.append(.init("url", .string(built)))
        }
        var answer = PerformPlanAnswer(action.verb, title)
        (answer.app, answer.target, answer.activity) = (app.id, target, activity?.id)
        answer.payload = .object(payload)
        answer.donation = Self.donation(action, subject, app, target: target, activity: activity?.id)
        return answer
    }

    private func expanded(
        _ action: Action, _ found: PerformFinder.Found, _ app: App
    ) throws(ControlError) -> String {
        let subject = found.subject
        let values: [String: String?] = [
            "name": subject.name, "query": subject.query, "address": subject.address,
            "latitude": subject.latitude.map(Place.decimalText), "longitude": subject.longitude.map(Place.decimalText),
            "mode": (action.mode ?? found.mode)?.rawValue, "number": subject.number, "email": subject.email,
            "text": call.text, "item": subject.item, "index-path": call.indexPath,
        ]
        do throws(URITemplateError) {
            let template = app.template(for: action.verb, by: action.mode)
            return try template?.expand(values.compactMapValues { $0.map(TemplateValue.string) }) ?? ""
        } catch {
            throw .argument("the target would be too long: \(error.message)", at: "/what")
        }
    }

    private static func label(_ action: Action, _ subject: PerformSubject, _ app: App) -> String {
        let title = subject.title ?? app.name
        let isRideOnly = SuggestionApp(app).isRideOnly
        return switch action.verb {
        case .place: "Show \(title)"
        case .directions where !isRideOnly: "Get directions to \(title)"
        case .directions, .ride: "Get a ride to \(title)"
        case .call: action.isVideo ? "Call \(title) with video" : "Call \(title)"
        case .message: "Send a message to \(title)"
        case .email: "Send mail to \(title)"
        case .play: "Play \(title)"
        }
    }

    /// nil for what is no interaction.
    private static func donation(
        _ action: Action, _ subject: PerformSubject, _ app: App, target: String?, activity: String?
    ) -> Donation? {
        let intents = action.verb.intents
        guard let intent = action.isVideo ? intents.last : intents.first else { return nil }
        var donation = Donation()
        (donation.app, donation.intent) = (app.id, intent.rawValue)
        if intent.needsParticipant { donation.participants = [subject.participant].compactMap(\.self) }
        donation.target = intent == .playMedia ? subject.item ?? target : target
        donation.activity = activity
        return donation
    }

    /// The activity in which something was done last with this person and app, where it is still there.
    private func earlierActivity(
        _ action: Action, _ subject: PerformSubject, _ app: App, _ contacts: [Contact], _ input: SuggestionInput
    ) throws(ControlError) -> Store.StoredActivity? {
        let isAboutPerson = action.verb == .call || action.verb == .message || action.verb == .email
        guard isAboutPerson, let person = subject.participant else { return nil }
        let last = input.events.compactMap(\.interaction).last {
            $0.app.hasSameBytes(as: app.id) && $0.participants.contains { contacts.isSame($0, person) }
        }
        guard let id = last?.activity else { return nil }
        return try service.storing(try service.store.activity(id: id))
    }
}

extension App {
    /// What makes it do something; a ride is directions in the mode `ride-share`.
    func template(for verb: PerformVerb, by mode: DirectionsMode? = nil) -> URITemplate? {
        let modes = suggestions.directionsModes
        switch verb {
        case .ride:
            return
                (suggestions.perform[.ride] ?? (modes.contains(.rideShare) ? suggestions.perform[.directions] : nil))?
                .value
        case .directions where mode.map { !modes.contains($0) } ?? false: return nil
        case .place, .directions, .call, .message, .email, .play: return suggestions.perform[verb]?.value
        }
    }
}

extension Configuration {
    /// The apps that may be asked to show a place, or the way there.
    func mapApps(for place: Place, by interactions: [Store.StoredInteraction], now: Instant) -> [App] {
        var input = SuggestionInput()
        (input.settings, input.apps) = (suggestions, manifestApps.map(SuggestionApp.init))
        input.events = interactions.compactMap { SuggestionEvent($0) }
        let ways = place.isDirections ? apps(performing: .directions, input, now: now) : []
        return ways + apps(performing: .place, input, now: now)
    }

    /// The apps that can do something, in the order of `usher suggest app --perform`. Without suggestions they are as if none
    /// had been used.
    func apps(
        performing verb: PerformVerb, by mode: DirectionsMode? = nil, _ input: SuggestionInput, now: Instant
    ) -> [App] {
        var query = SuggestionQuery(.app, now: now)
        query.verb = verb
        query.limit = .max
        var input = input
        if !input.settings.isEnabled || !input.settings.kinds.contains(.app) {
            (input.settings.isEnabled, input.events) = (true, [])
            input.settings.kinds.insert(.app)
        }
        let ranked = (try? Suggestions.answer(to: query, from: input)) ?? []
        return ranked.compactMap { $0.app.flatMap { app(id: $0) } }.filter { $0.template(for: verb, by: mode) != nil }
    }
}
