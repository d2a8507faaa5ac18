public import UsherJSON
public import UsherOperation

/// As `usher contact list` has it, and the store.
extension Contact: AnswerRecord {
    public init() { self.init(name: "") }

    public static let schema: String? = "Contact"
    public static let fields: [Field<Self>] = [
        Field(always: "id", \.id, "UUIDv7", ["type": "string"]),
        Field(always: "uid", \.uid, "As its card has it"), Field(always: "name", \.name),
        Field(always: "givenName", \.givenName), Field(always: "familyName", \.familyName),
        Field(always: "nickname", \.nickname), Field(always: "organizationName", \.organizationName),
        Field(always: "phoneNumbers", \.phoneNumbers), Field(always: "emailAddresses", \.emailAddresses),
        Field(always: "handles", \.handles), Field(always: "addresses", \.addresses), Field(always: "urls", \.urls),
    ]
}

extension Contact.Entry: AnswerRecord {
    public init() { self.init(value: "", types: []) }

    public static let schema: String? = "ContactEntry"
    public static let fields: [Field<Self>] = [
        Field(always: "value", \.value), Field(always: "types", \.types, "home, work, cell and the like"),
    ]
}

extension Contact.Address: AnswerRecord {
    public static let fields: [Field<Self>] = [
        Field(always: "fullThoroughfare", \.fullThoroughfare), Field(always: "city", \.city),
        Field(always: "stateOrProvince", \.stateOrProvince), Field(always: "postalCode", \.postalCode),
        Field(always: "country", \.country),
    ]
}

extension Contact {
    /// A contact as the store has it; what is missing, or of another type, counts as absent. nil where there is no name.
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
