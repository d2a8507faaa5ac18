internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherSuggestion
internal import UsherSystem

/// `contact` commands, for every interface (socket, HTTP, command line).
struct ContactOperations {
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
        func number(_ number: Int) -> JSONValue { .number(String(number)) }
        let settings = service.store.suggestionSettings
        let isOff = !settings.takesIn || !settings.includesContacts
        let counts =
            contacts.isEmpty || isOff
            ? (imported: 0, replaced: 0)
            : try service.storing { () throws(StoreError) in try service.store.importContacts(contacts) }
        var members: [JSONValue.Member] = [
            .init("cards", number(file.cards)), .init("imported", number(counts.imported)),
            .init("replaced", number(counts.replaced)),
            .init("skipped", number(file.skipped + (isOff ? contacts.count : 0))),
            .init(
                "errors",
                .array(
                    file.errors.map { error in
                        [
                            "line": number(error.line), "name": .string(error.code.name),
                            "message": .string(error.message),
                        ]
                    })),
        ]
        if isOff, !contacts.isEmpty {
            let switches = "`enabled`, `kinds` and `contacts` of [suggestions]"
            members.append(.init("warnings", [.string("contacts are off, and none is taken in: see \(switches)")]))
        }
        return .object(members)
    }

    func list() throws(ControlError) -> JSONValue {
        let found = try service.storing { () throws(StoreError) in try service.store.contacts() }
        return .array(found.compactMap { Contact($0)?.json })
    }
}
