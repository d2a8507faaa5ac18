internal import UsherJSON
internal import UsherPayload
internal import UsherScene
internal import UsherText

/// The members of a case line.
enum CaseReader {
    static func query(_ object: CaseObject, now: Instant) throws(CaseProblem) -> SuggestionQuery {
        guard let kind = try object.word("kind", SuggestionKind.self, otherwise: "suggest.kind") else {
            throw CaseProblem("suggest.kind", "the query has no kind")
        }
        var query = SuggestionQuery(kind, now: now)
        query.name = try object.text("name")
        query.contentType = try object.word(
            "content-type", TextContentType.self, otherwise: "suggest.content-type")
        query.prefix = try object.text("prefix")
        query.context = try object.text("context")
        query.forApp = try object.text("for")
        query.verb = try object.word("perform", PerformVerb.self, otherwise: "suggest.perform")
        query.signal = try object.text("signal")
        if let signal = query.signal { try checkSignal(signal) }
        query.limit = try object.count("limit") ?? SuggestionQuery.defaultLimit
        query.showsWhy = try object.flag("why") ?? false
        return query
    }

    static func checkSignal(_ name: String) throws(CaseProblem) {
        guard SuggestionInput.Signal.isName(name) else {
            throw CaseProblem("signal.name", "a signal's name has a-z, 0-9 and - only")
        }
    }

    static func app(_ object: CaseObject) throws(CaseProblem) -> SuggestionApp {
        guard let id = try object.identifier("id") else { throw .missing("id", object.place) }
        var app = SuggestionApp(id: id, name: try object.text("name") ?? id)
        app.suggestions = try object.texts("suggestions").map(kind)
        app.directionsModes = try object.texts("directions-modes").compactMap(DirectionsMode.init(named:))
        app.verbs = try object.object("perform")?.members.compactMap { PerformVerb(rawValue: $0.name) } ?? []
        return app
    }

    private static func kind(_ word: String) throws(CaseProblem) -> SuggestionKind {
        guard let kind = SuggestionKind(rawValue: word) else {
            throw .member("there is no kind \(Printable.text(word, limit: 80))")
        }
        return kind
    }

    static func settings(_ object: CaseObject) throws(CaseProblem) -> SuggestionSettings {
        var settings = SuggestionSettings()
        settings.isEnabled = try object.flag("enabled") ?? true
        if object["kinds"] != nil { settings.kinds = Set(try object.texts("kinds").map(kind)) }
        settings.includesPages = try object.flag("pages") ?? true
        settings.includesContacts = try object.flag("contacts") ?? true
        settings.excludedApps = try object.texts("exclude-apps")
        settings.excludedHosts = try object.texts("exclude-hosts").map(HostName.plain).filter { !$0.isEmpty }
        settings.keepDays = try object.count("keep-days") ?? settings.keepDays
        if let phrases = try object.object("phrases") {
            for member in phrases.members {
                guard let type = TextContentType(rawValue: member.name) else {
                    throw .member("phrases has an unknown content type: \(Printable.text(member.name, limit: 80))")
                }
                settings.phrases[type, default: []] += try phrases.texts(member.name)
            }
        }
        return settings
    }

    static func contact(_ object: CaseObject) throws(CaseProblem) -> Contact {
        guard let name = try object.identifier("name") else { throw .missing("name", object.place) }
        var contact = Contact(name: name)
        contact.id = try object.text("id")
        contact.uid = try object.text("uid")
        contact.givenName = try object.text("givenName")
        contact.familyName = try object.text("familyName")
        contact.nickname = try object.text("nickname")
        contact.organizationName = try object.text("organizationName")
        contact.phoneNumbers = try entries("phoneNumbers", of: object)
        contact.emailAddresses = try entries("emailAddresses", of: object)
        contact.handles = try object.texts("handles")
        contact.addresses = try object.objects("addresses").map { (object) throws(CaseProblem) in
            var address = Contact.Address()
            address.fullThoroughfare = try object.text("fullThoroughfare")
            address.city = try object.text("city")
            address.stateOrProvince = try object.text("stateOrProvince")
            address.postalCode = try object.text("postalCode")
            address.country = try object.text("country")
            return address
        }
        contact.urls = try object.texts("urls")
        return contact
    }

    /// Objects with a value, or the value alone.
    private static func entries(_ name: String, of object: CaseObject) throws(CaseProblem) -> [Contact.Entry] {
        try object.array(name).map { (element) throws(CaseProblem) in
            if let value = element.string { return Contact.Entry(value: value, types: []) }
            let entry = try CaseObject(element, "an element of \(name)")
            guard let value = try entry.text("value") else { throw .missing("value", entry.place) }
            return Contact.Entry(value: value, types: try entry.texts("types"))
        }
    }

    // MARK: Events

    static func activity(_ object: CaseObject) throws(CaseProblem) -> SuggestionEvent.Activity {
        var activity = SuggestionEvent.Activity()
        activity.id = try object.text("id")
        activity.title = try object.identifier("title")
        activity.webpageURL = try object.identifier("webpageURL")
        for name in ["webpageURL", "persistentIdentifier", "targetContentIdentifier"] {
            if let identifier = try object.identifier(name) { activity.subject = identifier }
        }
        activity.isPage = try object.text("activityType") == ActivationRequest.browsingActivity
        activity.isEligible = try object.flag("isEligibleForPrediction")
        activity.isContentDeleted = try object.flag("contentDeleted") ?? false
        if let value = object["expirationDate"] {
            if let seconds = value.numberText.flatMap(Double.init) {
                activity.expires = Instant(seconds: seconds)
            } else {
                activity.expires = try object.time("expirationDate")
            }
        }
        if object["contentAttributeSet"] != nil || object["mapItem"] != nil {
            do throws(ContentAttributes.Fault) {
                activity.attributes = try ContentAttributes(object["contentAttributeSet"], mapItem: object["mapItem"])
            } catch {
                throw CaseProblem(error.code.code.name, error.message)
            }
        }
        return activity
    }

    static func interaction(
        _ object: CaseObject, app: String, time: Instant
    ) throws(CaseProblem) -> Interaction {
        guard let intent = try object.word("intent", Intent.self, otherwise: "interaction.intent") else {
            throw CaseProblem("interaction.intent", "an interaction has no intent")
        }
        var interaction = Interaction(
            app: app, intent: intent,
            direction: try object.word("direction", Interaction.Direction.self) ?? .outgoing,
            outcome: try object.word("outcome", Interaction.Outcome.self) ?? .success, time: time)
        interaction.id = try object.text("id")
        interaction.participants = try object.texts("participants")
        interaction.target = try object.identifier("target").map { TargetContentIdentifier($0) }
        interaction.activity = try object.text("activity")
        return interaction
    }
}

extension Instant {
    /// Seconds since 1970, as far as they fit.
    fileprivate init(seconds: Double) {
        self.init(
            microseconds: Int64(exactly: (seconds * 1_000_000).rounded()) ?? (seconds < 0 ? .min : .max))
    }
}

/// What happened, without what was forgotten. By their times: the order of the line only counts for equal ones.
struct CaseTimeline {
    /// With the place in the line.
    private var all: [(place: Int, event: SuggestionEvent)] = []
    private var allSignals: [(place: Int, signal: SuggestionInput.Signal)] = []
    private var forgets: [Forget] = []
    private var count = 0

    /// All that is given has to hold.
    private struct Forget {
        var place: Int
        var time: Instant
        var app: String?
        var source: String?
        var since: Instant?

        func comes(after place: Int, _ time: Instant) -> Bool { (time, place) < (self.time, self.place) }

        func covers(_ event: SuggestionEvent) -> Bool {
            if let app, !app.hasSameBytes(as: event.app) { return false }
            if let source, !event.isFrom(source) { return false }
            return since.map { event.time >= $0 } ?? true
        }

        /// A signal is of no app.
        func covers(_ signal: SuggestionInput.Signal) -> Bool {
            app == nil && source == nil && since.map { signal.time >= $0 } ?? true
        }
    }

    var events: [SuggestionEvent] {
        all.filter { entry in
            !forgets.contains { $0.comes(after: entry.place, entry.event.time) && $0.covers(entry.event) }
        }.map(\.event)
    }

    var signals: [SuggestionInput.Signal] {
        allSignals.filter { entry in
            !forgets.contains { $0.comes(after: entry.place, entry.signal.time) && $0.covers(entry.signal) }
        }.map(\.signal)
    }

    /// - Parameter now: when something is forgotten that does not say when.
    mutating func add(_ object: CaseObject, now: Instant) throws(CaseProblem) {
        count += 1
        let kinds = ["activity", "interaction", "signal", "forget"].filter { object[$0] != nil }
        guard kinds.count == 1 else {
            throw .member("an event is one of activity, interaction, signal and forget")
        }
        if let forgotten = try object.object("forget") {
            return forgets.append(try forget(forgotten, at: try object.time("time") ?? now))
        }
        guard let time = try object.time("time") else { throw .missing("time", object.place) }
        if kinds == ["signal"] {
            let name = try object.text("signal") ?? ""
            try CaseReader.checkSignal(name)
            return allSignals.append((count, .init(name, at: time)))
        }
        guard let content = try object.object(kinds[0]) else { return }
        var app = try object.identifier("app")
        if app == nil { app = try content.identifier("app") }
        guard let app else { throw .missing("app", object.place) }
        let event = SuggestionEvent(
            time: time, app: app,
            kinds == ["activity"]
                ? .activity(try CaseReader.activity(content))
                : .interaction(try CaseReader.interaction(content, app: app, time: time)))
        all.append((count, event))
    }

    private func forget(_ object: CaseObject, at time: Instant) throws(CaseProblem) -> Forget {
        var forget = Forget(place: count, time: time)
        forget.app = try object.text("app")
        forget.source = try object.text("source")
        if let text = try object.text("since") {
            guard let since = CaseTimeline.since(text, before: time) else {
                throw .member("since of \(object.place) is no time and no duration, such as 90s, 15m, 2h or 7d")
            }
            forget.since = since
        }
        guard forget.app != nil || forget.source != nil || forget.since != nil || object["all"] != nil else {
            throw .member("forget says neither app, source, since nor all")
        }
        return forget
    }

    private static func since(_ text: String, before time: Instant) -> Instant? {
        if let instant = Instant(text: text) { return instant }
        let seconds: Int64
        switch text.last {
        case "s": seconds = 1
        case "m": seconds = 60
        case "h": seconds = 3600
        case "d": seconds = 86_400
        default: return nil
        }
        guard let number = UInt32(text.dropLast()), text.utf8.first != UInt8(ascii: "+") else { return nil }
        return Instant(microseconds: time.microseconds - Int64(number) * seconds * 1_000_000)
    }
}

extension SuggestionEvent {
    /// Whether it comes from an app, or from pages of a host.
    fileprivate func isFrom(_ source: String) -> Bool {
        let host = HostName.plain(source)
        return app.hasSameBytes(as: source)
            || identifiers.contains { identifier in
                let own = identifier.flatMap { TargetContentIdentifier($0).webHost?.host }
                return own.map { HostName.plain($0).utf8.elementsEqual(host.utf8) } ?? false
            }
    }
}
