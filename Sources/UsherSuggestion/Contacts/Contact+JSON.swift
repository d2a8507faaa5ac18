public import UsherJSON

extension Contact {
    /// As `usher contact list` has it; absent facts are null.
    public var json: JSONValue {
        func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        func entries(_ entries: [Entry]) -> JSONValue {
            .array(
                entries.map { entry in
                    ["value": .string(entry.value), "types": .array(entry.types.map { .string($0) })]
                })
        }
        return [
            "id": text(id), "uid": text(uid), "name": .string(name), "givenName": text(givenName),
            "familyName": text(familyName), "nickname": text(nickname), "organizationName": text(organizationName),
            "phoneNumbers": entries(phoneNumbers), "emailAddresses": entries(emailAddresses),
            "handles": .array(handles.map { .string($0) }),
            "addresses": .array(
                addresses.map { address in
                    [
                        "fullThoroughfare": text(address.fullThoroughfare), "city": text(address.city),
                        "stateOrProvince": text(address.stateOrProvince), "postalCode": text(address.postalCode),
                        "country": text(address.country),
                    ]
                }),
            "urls": .array(urls.map { .string($0) }),
        ]
    }

    /// A contact as `json` has it; what is missing, or of another type, counts as absent. nil where there is no name.
    public init?(json: JSONValue) {
        guard let name = json["name"]?.string, !name.isEmpty else { return nil }
        self.init(name: name)
        func texts(_ member: String) -> [String] { json[member]?.elements?.compactMap(\.string) ?? [] }
        func entries(_ member: String) -> [Entry] {
            (json[member]?.elements ?? []).compactMap { entry in
                entry["value"]?.string.map { value in
                    Entry(value: value, types: entry["types"]?.elements?.compactMap(\.string) ?? [])
                }
            }
        }
        id = json["id"]?.string
        uid = json["uid"]?.string
        givenName = json["givenName"]?.string
        familyName = json["familyName"]?.string
        nickname = json["nickname"]?.string
        organizationName = json["organizationName"]?.string
        phoneNumbers = entries("phoneNumbers")
        emailAddresses = entries("emailAddresses")
        handles = texts("handles")
        addresses = (json["addresses"]?.elements ?? []).map { address in
            var read = Address()
            read.fullThoroughfare = address["fullThoroughfare"]?.string
            read.city = address["city"]?.string
            read.stateOrProvince = address["stateOrProvince"]?.string
            read.postalCode = address["postalCode"]?.string
            read.country = address["country"]?.string
            return read
        }
        urls = texts("urls")
    }
}
