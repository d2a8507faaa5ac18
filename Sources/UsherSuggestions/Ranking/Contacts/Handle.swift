internal import UsherPayload
internal import UsherText

/// How a person is named: by a name, a telephone number, an address, or the address of a messenger.
enum Handle: Hashable {
    /// The last nine digits.
    case number(String)
    /// A mail address in lower case.
    case email(String)
    /// Such as `xmpp:one@chat.example`, in lower case.
    case other(String)

    /// As a participant or a question gives it: with its scheme, or as people write it; nil for a name.
    init?(_ text: String) {
        let text = text.whiteSpaceCollapsed
        if let number = Handle.after("tel:", in: text) {
            guard let handle = Handle(number: number) else { return nil }
            self = handle
        } else if let address = Handle.after("mailto:", in: text) {
            self = Handle(email: String(address.prefix { $0 != "?" }))
        } else if let colon = text.firstIndex(of: ":"), colon > text.startIndex, !text.contains(" "),
            text[text.index(after: colon)...].contains("@")
        {
            self = .other(text.lowercased())
        } else if text.contains("@"), !text.contains(" ") {
            self = Handle(email: text)
        } else if ContentAttributes.isTelephoneNumber(text), let handle = Handle(number: text) {
            self = handle
        } else {
            return nil
        }
    }

    /// The extension does not count; nil without a digit.
    init?(number: String) {
        let digits = number.lowercased().prefix { !";,x#e".contains($0) }.filter { ("0"..."9").contains($0) }
        guard !digits.isEmpty else { return nil }
        self = .number(String(digits.suffix(9)))
    }

    init(email: String) { self = .email(email.lowercased()) }

    /// A number or an address as people write it.
    static func withoutScheme(_ text: String) -> String {
        if let number = after("tel:", in: text) { return number }
        return after("mailto:", in: String(text.prefix { $0 != "?" })) ?? text
    }

    /// What follows a scheme, decoded.
    private static func after(_ scheme: String, in text: String) -> String? {
        guard text.utf8.prefix(scheme.utf8.count).map({ $0 | 0x20 }).elementsEqual(scheme.utf8.map { $0 | 0x20 })
        else { return nil }
        return PercentEncoding.decodedText(text.utf8.dropFirst(scheme.utf8.count)).whiteSpaceCollapsed
    }
}

/// Who participants are, by the contacts. Answers are remembered: few persons have many interactions.
final class People {
    struct Person {
        /// Equal for the same person.
        var key: Key
        var name: String
    }

    enum Key: Hashable {
        /// The place in the list of contacts.
        case contact(Int)
        case handle(Handle)
        case name([UInt32])
    }

    private let contacts: [Contact]
    private var handles: [Handle: Int] = [:]
    private var names: [[UInt32]: Int] = [:]

    private struct Question: Hashable {
        var text: [UInt8]
        var person: Key
    }

    private var participants: [[UInt8]: Person] = [:]
    private var meant: [Question: Bool] = [:]

    init(_ contacts: [Contact]) {
        self.contacts = contacts
        for (place, contact) in contacts.enumerated() {
            var all = contact.phoneNumbers.compactMap { Handle(number: $0.value) }
            all += contact.emailAddresses.map { Handle(email: $0.value) }
            all += contact.handles.map { Handle($0) ?? .other($0.lowercased()) }
            // Of contacts that share one, the first has it.
            for handle in all where handles[handle] == nil { handles[handle] = place }
            let name = PlainText.key(contact.name)
            if names[name] == nil { names[name] = place }
        }
    }

    /// A name, or a handle; what no contact has stands for itself.
    func person(_ participant: String) -> Person {
        let bytes = Array(participant.utf8)
        if let known = participants[bytes] { return known }
        let person = find(participant)
        participants[bytes] = person
        return person
    }

    private func find(_ participant: String) -> Person {
        let name = participant.whiteSpaceCollapsed
        let handle = Handle(participant)
        let place = handle.flatMap { handles[$0] } ?? handles[.other(name.lowercased())] ?? names[PlainText.key(name)]
        if let place { return Person(key: .contact(place), name: contacts[place].name) }
        return Person(key: handle.map { .handle($0) } ?? .name(PlainText.key(name)), name: name)
    }

    /// The person that an activity is about.
    func person(_ attributes: ContentAttributes) -> Person? {
        guard attributes.isPerson, let name = attributes.personName else { return nil }
        let known =
            attributes.texts("emailAddresses").map { Handle(email: $0) }
            + attributes.texts("phoneNumbers").compactMap { Handle(number: $0) }
        let place = known.lazy.compactMap { self.handles[$0] }.first ?? names[PlainText.key(name)]
        if let place { return Person(key: .contact(place), name: contacts[place].name) }
        return Person(key: .name(PlainText.key(name)), name: name)
    }

    /// Whether a query means this person: by words of the name, or by a handle.
    func question(_ text: String, means person: Person) -> Bool {
        let question = Question(text: Array(text.utf8), person: person.key)
        if let known = meant[question] { return known }
        let isSame = self.person(text).key == person.key
        let answer: Bool
        if case .handle = person.key {
            answer = isSame
        } else {
            answer = Handle(text) != nil && isSame || PlainText.hasWords(text, in: person.name)
        }
        meant[question] = answer
        return answer
    }
}
