internal import UsherPayload
internal import UsherScene
internal import UsherText

/// Something that an event could suggest.
struct Offer {
    /// Equal for the same suggestion.
    enum Key: Hashable {
        case place(name: [UInt32], address: [UInt32])
        case text([UInt32])
        case person(People.Key)
        case pair(People.Key, app: [UInt8], Intent)
        case media(app: [UInt8], target: [UInt8])
        case app([UInt8])
    }

    var key: Key
    var title: String
    var subtitle: String?
    var value: String?
    var app: String?
    var intent: Intent?
    var target: String?
    var attributes: ContentAttributes?
    /// Whether the title is only a makeshift: another event's goes before, though older.
    var lacksTitle = false
}

/// What events and contacts could suggest to a question, whether they count or not.
struct Offers {
    private let query: SuggestionQuery
    private let input: SuggestionInput
    /// Without those that the settings exclude.
    private let contacts: [Contact]
    private let contentType: TextContentType?
    private let people: People

    init(_ query: SuggestionQuery, of input: SuggestionInput, _ contentType: TextContentType?) {
        self.query = query
        self.input = input
        self.contentType = contentType
        contacts = input.settings.includesContacts ? input.contacts : []
        people = People(query.kind == .contact ? contacts : [])
    }

    /// Each key once.
    func offers(of event: SuggestionEvent) -> [Offer] {
        let offers =
            switch query.kind {
            case .place: event.activity.flatMap(place).map { [$0] } ?? []
            case .text: texts(of: event)
            case .contact: persons(of: event)
            case .media: media(of: event).map { [$0] } ?? []
            case .app: app(of: event).map { [$0] } ?? []
            }
        return once(offers)
    }

    /// What is suggested without any event: of contacts, and apps that were not used.
    func standing() -> [Offer] {
        switch query.kind {
        case .place, .contact, .media: return []
        case .text:
            guard let contentType else { return [] }
            return once(contacts.flatMap { text(contentType.values(of: $0), contentType, nil, nil) })
        case .app:
            guard let verb = query.verb else { return [] }
            return input.apps.filter { $0.performs(verb) }.map { app($0.id) }.filter(hasPrefix)
        }
    }

    private func once(_ offers: [Offer]) -> [Offer] {
        if offers.count < 2 { return offers }
        var seen: Set<Offer.Key> = []
        return offers.filter { seen.insert($0.key).inserted }
    }

    private func hasPrefix(_ offer: Offer) -> Bool {
        guard let prefix = query.prefix else { return true }
        return PlainText.begins(offer.title, with: prefix)
    }

    // MARK: Places

    private func place(_ activity: SuggestionEvent.Activity) -> Offer? {
        guard let attributes = activity.attributes, attributes.isPlace, let name = attributes.text("namedLocation")
        else { return nil }
        let address = StreetAddress(attributes).full
        var offer = Offer(
            key: .place(name: PlainText.key(name), address: address.map(PlainText.key) ?? []), title: name)
        offer.subtitle = address
        offer.target = activity.subject
        offer.attributes = attributes
        return hasPrefix(offer) ? offer : nil
    }

    // MARK: Texts

    private func texts(of event: SuggestionEvent) -> [Offer] {
        guard let contentType, let activity = event.activity, let attributes = activity.attributes else { return [] }
        return text(contentType.values(of: attributes), contentType, activity.subject, attributes)
    }

    private func text(
        _ values: [String], _ type: TextContentType, _ target: String?, _ attributes: ContentAttributes?
    ) -> [Offer] {
        values.compactMap { value in
            guard query.prefix.map({ type.value(value, beginsWith: $0) }) ?? true else { return nil }
            var offer = Offer(key: .text(type.key(value)), title: value)
            offer.value = value
            offer.target = target
            offer.attributes = attributes
            return offer
        }
    }

    // MARK: Persons

    private func persons(of event: SuggestionEvent) -> [Offer] {
        let name = query.name.map(\.whiteSpaceCollapsed).flatMap { $0.isEmpty ? nil : $0 }
        if let attributes = event.activity?.attributes {
            // Nobody was spoken to.
            guard name == nil, let person = people.person(attributes) else { return [] }
            var offer = Offer(key: .person(person.key), title: person.name)
            offer.target = event.activity?.subject
            offer.attributes = attributes
            return hasPrefix(offer) ? [offer] : []
        }
        guard let interaction = event.interaction else { return [] }
        return interaction.participants.map(people.person).compactMap { person in
            var offer = Offer(key: .person(person.key), title: person.name)
            if let name {
                guard people.question(name, means: person) else { return nil }
                offer.key = .pair(person.key, app: Array(event.app.utf8), interaction.intent)
                offer.app = event.app
                offer.intent = interaction.intent
                offer.target = interaction.target?.text
            }
            return hasPrefix(offer) ? offer : nil
        }
    }

    // MARK: Media

    private func media(of event: SuggestionEvent) -> Offer? {
        let offer: Offer
        switch event.content {
        case .activity(let activity):
            guard let attributes = activity.attributes, attributes.isMedia, let target = activity.subject else {
                return nil
            }
            offer = media(
                event.app, target, title: attributes.text("title") ?? activity.title, .none, attributes)
        case .interaction(let interaction):
            guard interaction.intent == .playMedia, let target = interaction.target else { return nil }
            var played = media(event.app, target.text, title: nil, .playMedia, nil)
            played.lacksTitle = true
            offer = played
        }
        return hasPrefix(offer) ? offer : nil
    }

    private func media(
        _ app: String, _ target: String, title: String?, _ intent: Intent?, _ attributes: ContentAttributes?
    ) -> Offer {
        var offer = Offer(
            key: .media(app: Array(app.utf8), target: Array(target.utf8)), title: title ?? target)
        offer.app = app
        offer.intent = intent
        offer.target = target
        offer.attributes = attributes
        return offer
    }

    // MARK: Apps

    private func app(of event: SuggestionEvent) -> Offer? {
        if let verb = query.verb {
            guard let interaction = event.interaction, verb.intents.contains(interaction.intent),
                input.app(event.app)?.performs(verb) == true
            else { return nil }
        }
        let offer = app(event.app)
        return hasPrefix(offer) ? offer : nil
    }

    private func app(_ id: String) -> Offer {
        var offer = Offer(key: .app(Array(id.utf8)), title: input.app(id)?.name ?? id)
        offer.app = id
        return offer
    }
}
