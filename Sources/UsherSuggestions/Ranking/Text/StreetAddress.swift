internal import UsherPayload
internal import UsherText

/// A postal address in parts, and as lines of text fields hold it.
struct StreetAddress {
    private var street: String?
    private(set) var city: String?
    private(set) var state: String?
    private(set) var postalCode: String?
    private(set) var country: String?

    init(_ attributes: ContentAttributes) {
        street =
            attributes.text("fullThoroughfare")
            ?? attributes.text("thoroughfare").map { street in
                (attributes.text("subThoroughfare").map { $0 + " " } ?? "") + street
            }
        city = attributes.text("city")
        state = attributes.text("stateOrProvince")
        postalCode = attributes.text("postalCode")
        country = attributes.text("country")
    }

    init(_ address: Contact.Address) {
        func text(_ text: String?) -> String? {
            text.map(\.whiteSpaceCollapsed).flatMap { $0.isEmpty ? nil : $0 }
        }
        street = text(address.fullThoroughfare)
        city = text(address.city)
        state = text(address.stateOrProvince)
        postalCode = text(address.postalCode)
        country = text(address.country)
    }

    /// `1 Infinite Loop, Cupertino, CA 95014, United States`, `Mokotowska 12, 00-561 Warszawa, Polska`; nil without a street.
    var full: String? { street == nil ? nil : text }

    /// What there is of it, in one line.
    var text: String? {
        var parts = [street].compactMap { $0 }
        if let state {
            if let city { parts.append(city) }
            parts.append(state + (postalCode.map { " " + $0 } ?? ""))
        } else {
            let line = [postalCode, city].compactMap { $0 }.joined(separator: " ")
            if !line.isEmpty { parts.append(line) }
        }
        if let country { parts.append(country) }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// `Cupertino, CA`, or the city alone.
    var cityAndState: String? { city.map { city in state.map { "\(city), \($0)" } ?? city } }
}
