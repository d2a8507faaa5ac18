internal import UsherPayload
internal import UsherPredicate
internal import UsherScene

extension TextContentType {
    /// What an activity's attributes have of this type.
    func values(of attributes: ContentAttributes) -> [String] {
        let address = StreetAddress(attributes)
        func of(place value: String?) -> [String] { attributes.isPlace ? [value].compactMap { $0 } : [] }
        func of(person value: String?) -> [String] { attributes.isPerson ? [value].compactMap { $0 } : [] }
        switch self {
        case .name: return of(person: attributes.personName)
        case .givenName: return of(person: attributes.text("givenName"))
        case .familyName: return of(person: attributes.text("familyName"))
        case .fullStreetAddress: return of(place: address.full)
        case .addressCityAndState: return of(place: address.cityAndState)
        case .addressCity: return of(place: address.city)
        case .addressState: return of(place: address.state)
        case .postalCode: return of(place: address.postalCode)
        case .countryName: return of(place: address.country)
        case .location:
            guard let name = attributes.text("namedLocation") else { return [] }
            return [name + (address.full.map { ", " + $0 } ?? "")]
        case .telephoneNumber: return attributes.texts("phoneNumbers")
        case .emailAddress: return attributes.texts("emailAddresses")
        }
    }

    /// The same of a contact.
    func values(of contact: Contact) -> [String] {
        func of(_ values: String?...) -> [String] { values.compactMap { $0 }.filter { !$0.isEmpty } }
        func of(addresses part: (StreetAddress) -> String?) -> [String] {
            contact.addresses.compactMap { part(StreetAddress($0)) }
        }
        switch self {
        case .name: return of(contact.name)
        case .givenName: return of(contact.givenName)
        case .familyName: return of(contact.familyName)
        case .fullStreetAddress: return of(addresses: \.full)
        case .addressCityAndState: return of(addresses: \.cityAndState)
        case .addressCity: return of(addresses: \.city)
        case .addressState: return of(addresses: \.state)
        case .postalCode: return of(addresses: \.postalCode)
        case .countryName: return of(addresses: \.country)
        case .location: return []
        case .telephoneNumber: return contact.phoneNumbers.map(\.value)
        case .emailAddress: return contact.emailAddresses.map(\.value)
        }
    }

    /// Equal for values that are offered once.
    func key(_ value: String) -> [UInt32] {
        self == .telephoneNumber ? TextContentType.digits(of: value) : PlainText.key(value)
    }

    /// Of telephone numbers, only digits and `+` are compared; of others case and accents do not count.
    func value(_ value: String, beginsWith prefix: String) -> Bool {
        self == .telephoneNumber
            ? TextContentType.digits(of: value).starts(with: TextContentType.digits(of: prefix))
            : PlainText.begins(value, with: prefix)
    }

    private static func digits(of number: String) -> [UInt32] {
        number.unicodeScalars.filter { ("0"..."9").contains($0) || $0 == "+" }.map(\.value)
    }
}
