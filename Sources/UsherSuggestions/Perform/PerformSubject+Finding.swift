internal import UsherActivities
internal import UsherEngine
internal import UsherJSON
internal import UsherOperation
internal import UsherPayload
internal import UsherPlace
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// Finds what something is to be done about: by a text, or what is current.
struct PerformFinder {
    private let verb: PerformVerb
    private let input: SuggestionInput
    private let now: Instant

    init(_ verb: PerformVerb, in input: SuggestionInput, now: Instant) {
        self.verb = verb
        self.input = input
        self.now = now
    }

    private var contacts: [Contact] { input.settings.includesContacts ? input.contacts : [] }

    struct Found {
        var subject: PerformSubject
        /// How a link of a map service says to get there.
        var mode: DirectionsMode?

        init(_ subject: PerformSubject, mode: DirectionsMode? = nil) {
            self.subject = subject
            self.mode = mode
        }
    }

    // MARK: What is current

    /// - Parameters:
    ///   - activity: the one that the user looks at.
    ///   - obstacle: why there is none, where that is because of the window in front.
    func current(_ activity: Store.StoredActivity?, obstacle: ControlError?) throws(ControlError) -> Found {
        guard let activity else { throw nothing(obstacle?.message ?? "no activity is current") }
        var document = JSONDocument()
        try? document.parse(activity.document)
        guard let attributes = ContentAttributes(storedIn: document) else {
            throw nothing("the current activity has no attributes")
        }
        var subject = PerformSubject(attributes, item: activity.subject)
        subject.name = subject.name ?? activity.title
        let isMeant =
            switch verb {
            case .place, .directions, .ride: attributes.isPlace
            case .call: subject.number != nil || attributes.isPerson
            case .message: subject.number != nil || subject.email != nil || attributes.isPerson
            case .email: subject.email != nil || attributes.isPerson
            case .play: attributes.isMedia && subject.item != nil
            }
        guard isMeant else { throw nothing("the current activity is about \(lack)") }
        return Found(subject)
    }

    private var lack: String {
        switch verb {
        case .place, .directions, .ride: "no place"
        case .call: "nobody who can be called"
        case .message: "nobody who can be written to"
        case .email: "nobody with a mail address"
        case .play: "no media"
        }
    }

    // MARK: By a text

    func named(_ text: String) throws(ControlError) -> Found {
        guard text.contains(where: { !$0.isWhitespace }) else { throw nothing("the text is empty") }
        return switch verb {
        case .place, .directions, .ride: try place(text)
        case .call, .message, .email: try person(text)
        case .play: media(text)
        }
    }

    private func place(_ text: String) throws(ControlError) -> Found {
        if let known = recent(.place, text) { return Found(known) }
        if let found = try link(text) { return found }
        if let contact = contacts.named(text), case let subject = PerformSubject(contact), subject.query != nil {
            return Found(subject)
        }
        var subject = PerformSubject()
        subject.query = text
        return Found(subject)
    }

    /// nil for what is no link.
    private func link(_ text: String) throws(ControlError) -> Found? {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        let isLink = scheme.utf8.count < text.utf8.count && ["geo", "http", "https"].contains(scheme)
        let isCoordinate =
            text.contains(",") && text.utf8.allSatisfy { (0x30...0x39).contains($0) || " ,.-".utf8.contains($0) }
        guard isLink || isCoordinate else { return nil }
        do throws(Diagnostic) {
            let place = try Place(isLink ? text : "geo:" + text.filter { $0 != " " })
            return Found(PerformSubject(place), mode: place.mode.flatMap { DirectionsMode(rawValue: $0.rawValue) })
        } catch {
            // An address may be of digits and commas, too.
            guard isLink else { return nil }
            throw ControlError(error)
        }
    }

    private func person(_ text: String) throws(ControlError) -> Found {
        let contact = contacts.named(text)
        if var subject = PerformSubject(handle: text) {
            // A number that is given is the one that is meant.
            subject.name = contact?.name
            return Found(subject)
        }
        if let contact { return Found(PerformSubject(contact)) }
        for kind in [SuggestionKind.place, .contact] {
            if let known = recent(kind, text) { return Found(known) }
        }
        throw nothing("nobody is known by the name \(QuotedText.text(text))")
    }

    private func media(_ text: String) -> Found {
        if let known = recent(.media, text) { return Found(known) }
        var subject = PerformSubject()
        subject.item = text
        return Found(subject)
    }

    /// Something of that name or with that identifier among what was looked at or done lately.
    private func recent(_ kind: SuggestionKind, _ text: String) -> PerformSubject? {
        var query = SuggestionQuery(kind, now: now)
        query.limit = .max
        let items = try? Suggestions.answer(to: query, from: input)
        guard let item = items?.first(where: { $0.isCalled(text) }) else { return nil }
        guard let attributes = item.attributes else {
            var subject = PerformSubject()
            (subject.name, subject.item) = (item.title, item.target)
            return subject
        }
        var subject = PerformSubject(attributes, item: item.target)
        subject.name = item.title
        return subject
    }

    private func nothing(_ message: String) -> ControlError {
        let what =
            switch verb {
            case .place, .directions, .ride: "an address, a geo: URI, a map's link, or the name of a contact or place"
            case .call: "a telephone number, or the name of a contact or place"
            case .message: "a telephone number, a mail address or the name of a contact"
            case .email: "a mail address or the name of a contact"
            case .play: "the identifier of the media"
            }
        return ControlError(
            .performNothing, "\(message): there is nothing to \(verb.phrase)", at: "/what", help: "give \(what)")
    }
}

extension PerformVerb {
    /// As in: there is nothing to …
    fileprivate var phrase: String {
        switch self {
        case .place: "show"
        case .directions: "get directions to"
        case .ride: "get a ride to"
        case .call: "call"
        case .message: "send a message to"
        case .email: "send mail to"
        case .play: "play"
        }
    }
}

extension PerformSubject {
    init(_ place: Place) {
        self.init()
        (name, query) = (place.name, place.query)
        (latitude, longitude) = (place.latitude, place.longitude)
    }
}
