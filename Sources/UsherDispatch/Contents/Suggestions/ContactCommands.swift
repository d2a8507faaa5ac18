internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherSuggestion
internal import UsherSystem

/// `contact` commands, for every interface (socket, HTTP, command line).
struct ContactCommands {
    private let service: ContentService

    init(_ service: ContentService) { self.service = service }

    /// Address books with a photo for each contact are large.
    private static let longestFile = 512 << 20

    /// `{"cards","imported","replaced","skipped","errors":[{"line","name","message"}]}`.
    func importFile(_ call: ContactImport) throws(ControlError) -> JSONValue {
        guard call.file.utf8.first == UInt8(ascii: "/") else {
            throw .argument("file is no absolute path", at: "/file")
        }
        let bytes: [UInt8]
        do throws(FileSystem.Failure) {
            bytes = try FileSystem.read(call.file, limit: Self.longestFile)
        } catch {
            throw .argument("\(call.file) cannot be read: \(error.text)", at: "/file")
        }
        let file = ContactFile(vCards: bytes)
        let contacts = file.contacts.map { contact in
            Store.NewContact(
                uid: contact.uid, name: contact.name, document: Array(contact.json.text(escaping: .minimal).utf8))
        }
        let counts =
            contacts.isEmpty
            ? (imported: 0, replaced: 0)
            : try service.storing { () throws(StoreError) in try service.store.importContacts(contacts) }
        func number(_ number: Int) -> JSONValue { .number(String(number)) }
        return [
            "cards": number(file.cards), "imported": number(counts.imported), "replaced": number(counts.replaced),
            "skipped": number(file.skipped),
            "errors": .array(
                file.errors.map { error in
                    [
                        "line": number(error.line), "name": .string(error.code.name), "message": .string(error.message),
                    ]
                }),
        ]
    }

    func list() throws(ControlError) -> JSONValue {
        let found = try service.storing { () throws(StoreError) in try service.store.contacts() }
        return .array(
            found.compactMap { stored in
                guard let document = try? JSONValue(parsing: stored.document), var contact = Contact(json: document)
                else { return nil }
                contact.id = stored.id
                return contact.json
            })
    }
}
