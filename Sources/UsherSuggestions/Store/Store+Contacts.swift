public import UsherStore
internal import UsherSystem
internal import UsherText

extension Store {
    /// A contact as it is kept. See the table `contact`.
    public struct StoredContact: Sendable, Hashable {
        /// A UUIDv7, 36 characters.
        public var id: String
        /// The whole contact, a JSON object.
        public var document: [UInt8]
    }

    public struct NewContact: Sendable {
        /// As its card has it.
        public var uid: String?
        public var name: String
        /// A JSON object.
        public var document: [UInt8]
    }

    /// The contacts, by name.
    public func contacts() throws(StoreError) -> [StoredContact] {
        try read { (state) throws(StoreError) in
            try state.rows("SELECT id, document FROM contact ORDER BY name, number") { (row) throws(StoreError) in
                StoredContact(id: try row.identifier(0), document: row.blob(1))
            }
        }
    }

    /// Stores contacts, one after the other. One replaces the contact that has the same UID; where one of the two has
    /// none, the one that has the same name. It keeps the id of that.
    public func importContacts(
        _ contacts: [NewContact]
    ) throws(StoreError) -> (imported: Int, replaced: Int) {
        let counts = try write { (state) throws(StoreError) in
            var counts = [0, 0]
            for contact in contacts { counts[try state.importContact(contact) ? 1 : 0] += 1 }
            return counts
        }
        return (counts[0], counts[1])
    }
}

extension StoreState {
    /// Whether it replaces another one.
    fileprivate mutating func importContact(_ contact: Store.NewContact) throws(StoreError) -> Bool {
        var known: Int64?
        if let uid = contact.uid { known = try integer("SELECT number FROM contact WHERE uid = ?", .text(uid)) }
        if known == nil {
            known = try integer(
                """
                SELECT number FROM contact WHERE name = ? AND (uid IS NULL OR ?) ORDER BY uid IS NOT NULL, number LIMIT 1
                """, .text(contact.name), .integer(contact.uid == nil ? 1 : 0))
        }
        if let known {
            try run(
                "UPDATE contact SET uid = ?, name = ?, document = ?, imported = ? WHERE number = ?",
                SQLiteValue(contact.uid), .text(contact.name), .blob(contact.document), .integer(options.now()),
                .integer(known))
        } else {
            try run(
                "INSERT INTO contact (id, uid, name, document, imported) VALUES (?, ?, ?, ?, ?)",
                SQLiteValue(identifier: UUIDv7.next()) ?? .null, SQLiteValue(contact.uid), .text(contact.name),
                .blob(contact.document), .integer(options.now()))
        }
        return known != nil
    }
}
