internal import UsherScene
public import UsherStore
public import UsherTarget
internal import UsherText

// What identifiers of links are compared by. The table `link_key` has a row for each identifier that is compared by
// something else than itself: for an address of a web page its canonical form, for an identifier of one app
// the app and the identifier. Every other identifier is found by itself.

extension Store {
    /// Compares addresses by these settings from now on.
    ///
    /// Keys that were made by other settings are made anew, a few thousand links in a transaction; about three seconds for
    /// a million links. A store for reading keeps the keys that it has, and looks through all addresses instead.
    public func compareAddresses(by settings: AddressSettings) throws(StoreError) {
        guard access == .readWrite, try !read({ (state) throws(StoreError) in try state.hasKeys(by: settings) }) else {
            return withState { $0.useAddresses(settings) }
        }
        var last = Int64.min
        var isDone = false
        while !isDone {
            let after = last
            let next = try write { (state) throws(StoreError) in try state.renewKeys(after: after, by: settings) }
            if let next { last = next } else { isDone = true }
        }
        withState { $0.useAddresses(settings) }
    }
}

extension StoreState {
    /// What an identifier of a link is compared by; nil: by itself.
    ///
    /// No key of an address is one of an app: addresses begin with their scheme.
    static func key(
        of identifier: TargetContentIdentifier, app: String?, by settings: AddressSettings
    ) -> String? {
        if identifier.isGlobal {
            guard let address = CanonicalAddress(identifier.text, settings: settings),
                !address.text.hasSameBytes(as: identifier.text)
            else { return nil }
            return address.text
        }
        return "\t\(app ?? "")\t\(identifier.text)"
    }

    mutating func insertKey(
        of identifier: TargetContentIdentifier, ofLink number: Int64, app: String?, by settings: AddressSettings? = nil
    ) throws(StoreError) {
        guard let key = StoreState.key(of: identifier, app: app, by: settings ?? addresses) else { return }
        try run(
            "INSERT OR IGNORE INTO link_key (key, link, identifier) VALUES (?, ?, ?)", .text(key), .integer(number),
            .text(identifier.text))
    }

    // MARK: Making keys anew

    /// Whether all keys were made by the settings in use; nil: not known. No other process changes that in a store that this
    /// one may write.
    private enum CurrentKeys: StoreValue {
        static var initial: Bool? { nil }
    }

    mutating func useAddresses(_ settings: AddressSettings) {
        addresses = settings
        values[CurrentKeys.self] = nil
    }

    /// Whether all keys were made by these settings, and by the rules of this version.
    fileprivate mutating func hasKeys(by settings: AddressSettings) throws(StoreError) -> Bool {
        try integer("SELECT addresses IS ? FROM store", .text(StoreState.fingerprint(of: settings))) == 1
    }

    /// The same for the settings in use.
    private mutating func keysAreCurrent() throws(StoreError) -> Bool {
        if let known = values[CurrentKeys.self] { return known }
        let found = try hasKeys(by: addresses)
        if !isReadOnly { values[CurrentKeys.self] = found }
        return found
    }

    /// The number changes with the rules of `CanonicalAddress`. A new store begins with the text for no settings, which
    /// `Schema.ownTables` contains.
    private static func fingerprint(of settings: AddressSettings) -> String { "1 " + settings.fingerprint }

    /// How many links get new keys in one transaction.
    private static let renewedLinks: Int64 = 5000

    /// Makes the keys of the links after one anew, and the words that they are found by.
    ///
    /// - Returns: the last link that got them; nil once there is none left, and all keys count as made by the settings.
    fileprivate mutating func renewKeys(
        after last: Int64, by settings: AddressSettings
    ) throws(StoreError) -> Int64? {
        guard
            let end = try integer(
                """
                SELECT max(number) FROM (SELECT number FROM link WHERE number > ? ORDER BY number LIMIT ?)
                """, .integer(last), .integer(StoreState.renewedLinks))
        else {
            try run("UPDATE store SET addresses = ?", .text(StoreState.fingerprint(of: settings)))
            useAddresses(settings)
            return nil
        }
        try run("DELETE FROM link_key WHERE link > ? AND link <= ?", .integer(last), .integer(end))
        let identifiers = try rows(
            """
            SELECT number, app, identifier FROM link CROSS JOIN link_identifier ON link_identifier.link = number
            WHERE number > ? AND number <= ?
            """, [.integer(last), .integer(end)]
        ) { (link: $0.integer(0), app: $0.optionalText(1), identifier: $0.text(2)) }
        var indexed: Int64?
        for row in identifiers {
            if row.link != indexed { try renewText(ofLink: row.link) }
            indexed = row.link
            try insertKey(
                of: TargetContentIdentifier(row.identifier), ofLink: row.link, app: row.app, by: settings)
        }
        return end
    }

    // MARK: Looking up

    /// Where links to some content are found: by an identifier that they have, or by what it is compared by.
    struct LinkLookUp {
        /// In `link_key`; else an identifier, in `link_identifier`.
        var isKey: Bool
        var value: String
        /// The rules that led from the identifier that was asked for to the value: see `CanonicalAddress`.
        var rules: [String] = []

        /// The table and its column.
        var place: (table: String, column: String) {
            isKey ? ("link_key", "key") : ("link_identifier", "identifier")
        }
    }

    /// Every look-up that finds links to content by one of its names, the name itself first.
    mutating func lookUps(for name: TargetContentIdentifier, app: String?) throws(StoreError) -> [LinkLookUp] {
        let exact = LinkLookUp(isKey: false, value: name.text)
        guard name.isGlobal else {
            // Of no app in particular: whatever app has such an identifier.
            guard let app, try keysAreCurrent() else { return [exact] }
            return [app, nil].compactMap { app in
                StoreState.key(of: name, app: app, by: addresses).map { LinkLookUp(isKey: true, value: $0) }
            }
        }
        guard let address = CanonicalAddress(name.text, settings: addresses) else { return [exact] }
        guard try keysAreCurrent() else {
            return [exact] + (try storedAddresses(like: address, besides: name))
        }
        var lookUps = [exact]
        // A link that has the canonical form as its identifier has no key, where that is its own canonical form.
        if !address.rules.isEmpty, CanonicalAddress(address.text, settings: addresses)?.text == address.text {
            lookUps.append(LinkLookUp(isKey: false, value: address.text, rules: address.rules))
        }
        lookUps.append(LinkLookUp(isKey: true, value: address.text, rules: address.rules))
        return lookUps
    }

    /// The identifiers of links with a canonical form, found without keys: O(all addresses).
    private mutating func storedAddresses(
        like address: CanonicalAddress, besides name: TargetContentIdentifier
    ) throws(StoreError) -> [LinkLookUp] {
        var found: [LinkLookUp] = []
        let row = try prepare("SELECT DISTINCT identifier FROM link_identifier WHERE identifier LIKE 'http%'")
        // Few of them are of interest, and there may be very many.
        while try row.step() {
            let text = row.text(0)
            guard let stored = CanonicalAddress(text, settings: addresses),
                stored.text.hasSameBytes(as: address.text), TargetContentIdentifier(text) != name
            else { continue }
            found.append(LinkLookUp(isKey: false, value: text, rules: address.rules))
        }
        return found
    }
}
