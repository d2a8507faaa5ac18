/// A person, or an organization, of the address book.
public struct Contact: Sendable {
    /// A telephone number or an address, and what it is for: `home`, `work`, `cell`.
    public struct Entry: Sendable {
        public var value: String
        /// In lower case, in the order of the card.
        public var types: [String]
    }

    public struct Address: Sendable {
        public var fullThoroughfare: String?
        public var city: String?
        public var stateOrProvince: String?
        public var postalCode: String?
        public var country: String?

        public init() {}
    }

    /// Given by the store; nil before.
    public var id: String?
    /// As the card gives it.
    public var uid: String?
    /// For people; never empty.
    public var name: String
    public var givenName: String?
    public var familyName: String?
    public var nickname: String?
    public var organizationName: String?
    public var phoneNumbers: [Entry] = []
    public var emailAddresses: [Entry] = []
    /// Of messengers: `xmpp:one@chat.example`.
    public var handles: [String] = []
    public var addresses: [Address] = []
    public var urls: [String] = []

    public init(name: String) { self.name = name }
}
