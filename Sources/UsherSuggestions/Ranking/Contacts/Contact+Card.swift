public import UsherScene
internal import UsherText

/// The contacts of a file of vCards, and what is wrong with the others.
public struct ContactFile: Sendable {
    public struct Failure: Sendable {
        /// Of the card's BEGIN, from 1.
        public var line: Int
        public var code: DiagnosticCode
        public var message: String
    }

    /// How many cards begin in it.
    public private(set) var cards = 0
    /// In their order.
    public private(set) var contacts: [Contact] = []
    /// How many cards are groups, which are passed over.
    public private(set) var skipped = 0
    /// In the order of their lines.
    public private(set) var errors: [Failure] = []

    /// Reads vCards of version 2.1, 3.0 (RFC 2426) and 4.0 (RFC 6350). O(n).
    public init(vCards bytes: [UInt8]) {
        let cards = Card.cards(in: bytes)
        self.cards = cards.count
        if cards.isEmpty {
            errors.append(Failure(line: 1, code: .vcardNone, message: "there is no BEGIN:VCARD"))
        }
        for card in cards { read(card) }
    }

    private mutating func read(_ card: Card) {
        func refuse(_ code: DiagnosticCode, _ message: String) {
            errors.append(Failure(line: card.line, code: code, message: message))
        }
        guard card.isComplete else {
            return refuse(.vcardUnterminated, "the card has no END:VCARD before the next card or the end of the file")
        }
        guard let version = card.version else { return refuse(.vcardVersion, "the card says no version") }
        guard ["2.1", "3.0", "4.0"].contains(version) else {
            return refuse(
                .vcardVersion,
                "the version \(QuotedText.text(Printable.text(version))) is not read: 2.1, 3.0 and 4.0 are")
        }
        let properties = card.properties(isOld: version == "2.1")
        let kinds = ["KIND", "X-ADDRESSBOOKSERVER-KIND"]
        if properties.contains(where: { kinds.contains($0.name) && $0.value.lowercased() == "group" }) {
            skipped += 1
            return
        }
        guard let contact = Contact(properties) else {
            return refuse(.vcardNoName, "the card has no name: neither FN, N, NICKNAME nor ORG")
        }
        contacts.append(contact)
    }
}

extension Contact {
    /// nil where nothing names it.
    fileprivate init?(_ properties: [CardProperty]) {
        /// Those of some names, the preferred first.
        func all(_ names: String...) -> [CardProperty] {
            properties.enumerated().filter { names.contains($0.element.name) }
                .sorted {
                    ($0.element.preference ?? 101, $0.offset) < ($1.element.preference ?? 101, $1.offset)
                }.map(\.element)
        }
        func first<Value>(_ name: String, _ read: (CardProperty) -> Value?) -> Value? {
            all(name).lazy.compactMap(read).first
        }
        let names = first("N") { property -> (given: String?, family: String?)? in
            let parts = property.parts
            let (family, given) = (parts.first.flatMap { $0.text() }, parts.dropFirst().first.flatMap { $0.text() })
            return family == nil && given == nil ? nil : (given, family)
        }
        let nickname = first("NICKNAME") { property in
            property.whole.items.lazy.compactMap { $0.text() }.first
        }
        let organization = first("ORG") { $0.parts.first?.text() }
        let both = [names?.given, names?.family].compactMap { $0 }.joined(separator: " ")
        guard
            let name = first("FN", { $0.whole.text() }) ?? (both.isEmpty ? nil : both) ?? nickname ?? organization
        else { return nil }
        self.init(name: name)
        uid = first("UID") { $0.whole.text() }
        givenName = names?.given
        familyName = names?.family
        self.nickname = nickname
        organizationName = organization
        func entry(_ property: CardProperty, without scheme: String) -> Entry? {
            guard let value = property.whole.text()?.without(scheme), !value.isEmpty else { return nil }
            return Entry(value: value, types: property.types.filter { $0 != "voice" && $0 != "internet" })
        }
        phoneNumbers = all("TEL").compactMap { entry($0, without: "tel:") }
        emailAddresses = all("EMAIL").compactMap { entry($0, without: "mailto:") }
        for property in all("IMPP", "X-JABBER", "X-SIP") {
            guard var handle = property.whole.text() else { continue }
            switch property.name {
            case "X-JABBER" where !handle.begins(with: "xmpp:"): handle = "xmpp:" + handle
            case "X-SIP" where !handle.begins(with: "sip:") && !handle.begins(with: "sips:"): handle = "sip:" + handle
            default: break
            }
            if !handles.contains(where: { $0.hasSameBytes(as: handle) }) { handles.append(handle) }
        }
        addresses = all("ADR").compactMap { Address($0.parts) }
        urls = all("URL").compactMap { $0.whole.text() }
    }
}

extension Contact.Address {
    /// The parts of ADR in their order: box, extension, street, city, region, code, country.
    fileprivate init?(_ parts: [EscapedText]) {
        self.init()
        func lines(_ parts: some Sequence<EscapedText>) -> String? {
            let lines = parts.flatMap(\.items).flatMap(\.lines)
            return lines.isEmpty ? nil : lines.joined(separator: ", ")
        }
        func part(_ place: Int) -> String? { lines(parts.dropFirst(place).prefix(1)) }
        fullThoroughfare = lines(parts.prefix(3))
        city = part(3)
        stateOrProvince = part(4)
        postalCode = part(5)
        country = part(6)
        if [fullThoroughfare, city, stateOrProvince, postalCode, country].allSatisfy({ $0 == nil }) { return nil }
    }
}

/// Text with `\n`, `\,`, `\;` and `\\` for what they stand for.
private struct EscapedText {
    private var escaped: Substring.UnicodeScalarView

    init(_ text: Substring.UnicodeScalarView) { escaped = text }

    /// The pieces between separators that are not escaped.
    func pieces(_ separator: Unicode.Scalar) -> [EscapedText] {
        var pieces: [EscapedText] = []
        var isEscaped = false
        var start = escaped.startIndex
        for place in escaped.indices {
            let scalar = escaped[place]
            if isEscaped {
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == separator {
                pieces.append(EscapedText(escaped[start..<place]))
                start = escaped.index(after: place)
            }
        }
        return pieces + [EscapedText(escaped[start...])]
    }

    /// What stands between commas.
    var items: [EscapedText] { pieces(",") }

    private var unescaped: String {
        var text = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in escaped {
            guard isEscaped else {
                if scalar == "\\" { isEscaped = true } else { text.append(scalar) }
                continue
            }
            isEscaped = false
            switch scalar {
            case "n", "N": text.append("\n")
            case ",", ";", ":", "\\": text.append(scalar)
            default: text.append(contentsOf: ["\\", scalar])
            }
        }
        if isEscaped { text.append("\\") }
        return String(text)
    }

    /// Those with something in them.
    var lines: [String] {
        unescaped.unicodeScalars.split { $0 == "\n" || $0 == "\r" }
            .map { CardText.trimmed(String(String.UnicodeScalarView($0))) }.filter { !$0.isEmpty }
    }

    /// One line; nil where there is nothing in it.
    func text() -> String? {
        let lines = lines
        return lines.isEmpty ? nil : lines.joined(separator: " ")
    }
}

extension CardProperty {
    fileprivate var whole: EscapedText { EscapedText(value[...].unicodeScalars) }
    /// What stands between semicolons.
    fileprivate var parts: [EscapedText] { whole.pieces(";") }
}

extension String {
    /// Whatever its case.
    fileprivate func begins(with scheme: String) -> Bool { prefix(scheme.count).lowercased() == scheme }

    fileprivate func without(_ scheme: String) -> String {
        begins(with: scheme) ? CardText.trimmed(dropFirst(scheme.count)) : self
    }
}
