internal import UsherJSON
public import UsherPayload
internal import UsherText

/// What something is done about: a place, a person or media, as far as it is known.
public struct PerformSubject: Sendable, Hashable {
    /// What it is called.
    public var name: String?
    /// What has to be geocoded or searched for.
    public var query: String?
    /// In one line.
    public var address: String?
    /// Degrees, WGS 84; both or neither.
    public var latitude: Double?
    public var longitude: Double?
    /// A telephone number.
    public var number: String?
    /// A mail address.
    public var email: String?
    /// An identifier of content.
    public var item: String?
    public var supportsNavigation = true
    public var supportsPhoneCalls = true

    public init() {}

    /// What an activity is about. A place without coordinates has to be searched for.
    ///
    /// - Parameter item: the identifier of the activity's content.
    public init(_ attributes: ContentAttributes, item: String?) {
        self.item = item
        name =
            attributes.text("namedLocation") ?? (attributes.isPerson ? attributes.personName : nil)
            ?? attributes.text("title")
        let street = StreetAddress(attributes)
        address = street.text
        latitude = attributes["latitude"]?.numberText.flatMap(Double.init)
        longitude = attributes["longitude"]?.numberText.flatMap(Double.init)
        if attributes.isPlace, latitude == nil {
            let parts = [attributes.text("namedLocation"), address].compactMap { $0 }
            query = street.full ?? parts.joined(separator: ", ")
        }
        number = attributes.texts("phoneNumbers").first
        email = attributes.texts("emailAddresses").first
        supportsNavigation = attributes.supportsNavigation
        supportsPhoneCalls = attributes["supportsPhoneCalls"]?.boolean ?? true
    }

    /// Somebody of the address book: the first number and addresses.
    public init(_ contact: Contact) {
        name = contact.name
        number = contact.phoneNumbers.first?.value
        email = contact.emailAddresses.first?.value
        address = contact.addresses.lazy.compactMap { StreetAddress($0).text }.first
        query = address
    }

    /// A telephone number or a mail address, also with `tel:` or `mailto:`; nil for other text.
    public init?(handle text: String) {
        let text = text.whiteSpaceCollapsed
        switch Handle(text) {
        case .number: number = Handle.withoutScheme(text)
        case .email: email = Handle.withoutScheme(text)
        case .other, nil: return nil
        }
    }

    /// For people.
    public var title: String? {
        func text(_ degrees: Double) -> String {
            degrees.description.hasSuffix(".0") ? String(degrees.description.dropLast(2)) : degrees.description
        }
        let point = latitude.flatMap { latitude in longitude.map { "\(text(latitude)), \(text($0))" } }
        return name ?? query ?? number ?? email ?? point ?? item
    }

    /// As interactions name a person.
    public var participant: String? { name ?? number.map { "tel:" + $0 } ?? email.map { "mailto:" + $0 } }
}

extension Sequence<Contact> {
    /// The contact of this name or with this handle, else the first of whose name every word begins a word.
    public func named(_ text: String) -> Contact? {
        guard text.contains(where: { !$0.isWhitespace }) else { return nil }
        let contacts = Array(self)
        if case .contact(let place) = People(contacts).person(text).key { return contacts[place] }
        if Handle(text) != nil { return nil }
        return contacts.first { PlainText.hasWords(text, in: $0.name) }
    }

    /// Whether two participants of interactions are one person.
    public func isSame(_ one: String, _ other: String) -> Bool {
        let people = People(Array(self))
        return people.person(one).key == people.person(other).key
    }
}

extension SuggestedItem {
    /// Whether this is its title, case and runs of blanks apart, or its target.
    public func isCalled(_ text: String) -> Bool {
        PlainText.key(title) == PlainText.key(text) || target.map { $0.hasSameBytes(as: text) } == true
    }
}
