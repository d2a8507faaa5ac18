internal import UsherText

/// What stands between `BEGIN:VCARD` and `END:VCARD`: vCard 2.1, 3.0 (RFC 2426), 4.0 (RFC 6350).
struct Card {
    /// Of its BEGIN, from 1.
    var line: Int
    /// Without their ends, folded as they are.
    var lines: [ArraySlice<UInt8>] = []
    /// Whether it has an END.
    var isComplete = false

    /// The cards of a file in their order. A card that begins within another one ends that.
    static func cards(in bytes: [UInt8]) -> [Card] {
        var cards: [Card] = []
        var isOpen = false
        for (number, line) in lines(of: CardText.utf8(of: bytes)).enumerated() {
            // Files that were put together have a byte order mark each.
            let line = line.starts(with: CardText.byteOrderMark) ? line.dropFirst(3) : line
            if isMark(line, "begin:vcard") {
                cards.append(Card(line: number + 1))
                isOpen = true
            } else if isOpen, isMark(line, "end:vcard") {
                cards[cards.count - 1].isComplete = true
                isOpen = false
            } else if isOpen {
                cards[cards.count - 1].lines.append(line)
            }
        }
        return cards
    }

    /// Lines end with CR LF, LF or CR.
    private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var (start, place) = (0, 0)
        while place < bytes.count {
            let byte = bytes[place]
            guard byte == 0x0A || byte == 0x0D else {
                place += 1
                continue
            }
            lines.append(bytes[start..<place])
            place += byte == 0x0D && place + 1 < bytes.count && bytes[place + 1] == 0x0A ? 2 : 1
            start = place
        }
        if start < bytes.count { lines.append(bytes[start...]) }
        return lines
    }

    /// Whether that is all that a line says, blanks and case apart.
    private static func isMark(_ line: ArraySlice<UInt8>, _ mark: String) -> Bool {
        // Most lines differ in the first letter.
        guard let first = line.first, first | 0x20 == mark.utf8.first, line.count <= 40 else { return false }
        let words = line.filter { $0 != 0x20 && $0 != 0x09 }.map { $0.lowercasedASCII }
        return words.elementsEqual(mark.utf8)
    }

    /// As the card says it; nil where it says none.
    var version: String? {
        for line in lines where line.first.map({ $0 | 0x20 == UInt8(ascii: "v") }) ?? false {
            if let head = CardProperty.Head(line), head.name == "VERSION" {
                return CardText.trimmed(CardText.decode(line[head.value...]))
            }
        }
        return nil
    }

    /// Those with a value, in their order. What has no colon, and what is Base64, is left out.
    ///
    /// - Parameter isOld: version 2.1, whose lines are folded between words.
    func properties(isOld: Bool) -> [CardProperty] {
        var properties: [CardProperty] = []
        var place = 0
        /// The next line, where it goes on with the one before.
        func continuation() -> ArraySlice<UInt8>? {
            guard place < lines.count, let first = lines[place].first, first == 0x20 || first == 0x09 else {
                return nil
            }
            return lines[place]
        }
        while place < lines.count {
            var line = lines[place]
            let isStray = continuation() != nil
            place += 1
            if isStray { continue }
            // Names and parameters may be folded, too. Each line is looked at once.
            var isQuoted = false
            var hasColon = CardProperty.Head.ends(in: line, &isQuoted)
            while !hasColon, let more = continuation() {
                hasColon = CardProperty.Head.ends(in: more.dropFirst(), &isQuoted)
                line += more.dropFirst()
                place += 1
            }
            guard let head = CardProperty.Head(line) ?? CardProperty.Head(line, ignoringQuotes: true) else { continue }
            var value = UnfoldedValue(line[head.value...])
            while place < lines.count {
                if head.encoding == .quotedPrintable, value.dropSoftBreak() {
                    value.append(lines[place])
                } else if let more = continuation() {
                    if isOld, head.encoding == nil {
                        value.dropEndBlanks()
                        value.append([0x20] + more.drop { $0 == 0x20 || $0 == 0x09 })
                    } else {
                        value.append(more.dropFirst())
                    }
                } else {
                    break
                }
                place += 1
            }
            if let property = CardProperty(head, value.bytes[...]) { properties.append(property) }
        }
        return properties
    }
}

/// A value that is put together of lines. Where its end is looked at, only the last line is.
private struct UnfoldedValue {
    private(set) var bytes: [UInt8] = []
    /// Without the blanks at its end.
    private var length = 0
    /// Before the last line.
    private var before = (count: 0, length: 0)

    init(_ line: ArraySlice<UInt8>) { append(line) }

    mutating func append(_ line: ArraySlice<UInt8>) {
        before = (bytes.count, length)
        bytes += line
        measureLastLine()
    }

    mutating func dropEndBlanks() { bytes.removeLast(bytes.count - length) }

    /// Drops a `=` at its end, with the blanks behind it; false where there is none.
    mutating func dropSoftBreak() -> Bool {
        guard length > before.count, bytes[length - 1] == UInt8(ascii: "=") else { return false }
        bytes.removeLast(bytes.count - length + 1)
        measureLastLine()
        return true
    }

    private mutating func measureLastLine() {
        let last = CardText.withoutEndBlanks(bytes[before.count...]).count
        length = last > 0 ? before.count + last : before.length
    }
}

/// One property of a card.
struct CardProperty {
    /// In upper case, without its group.
    var name: String
    /// In lower case, each once, in their order, without `pref`.
    var types: [String]
    /// 1 is preferred most, 100 least; nil: nothing is said.
    var preference: Int?
    /// Decoded, and not empty; still with its escapes.
    var value: String

    enum Encoding { case quotedPrintable, base64 }

    /// nil where there is no value, or one in Base64.
    fileprivate init?(_ head: Head, _ value: ArraySlice<UInt8>) {
        guard head.encoding != .base64 else { return nil }
        let bytes = head.encoding == .quotedPrintable ? CardProperty.unquoted(value) : Array(value)
        let text = CardText.trimmed(CardText.decode(bytes, charset: head.charset))
        guard !text.isEmpty else { return nil }
        (name, types, preference, self.value) = (head.name, head.types, head.preference, text)
    }

    /// Quoted-printable (RFC 2045, 6.7); what is no pair of digits after a `=` stays as it is.
    private static func unquoted(_ value: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var place = value.startIndex
        while place < value.endIndex {
            if value[place] == UInt8(ascii: "="), place + 2 < value.endIndex,
                let high = Hexadecimal.value(of: value[place + 1]), let low = Hexadecimal.value(of: value[place + 2])
            {
                bytes.append(high << 4 | low)
                place += 3
            } else {
                bytes.append(value[place])
                place += 1
            }
        }
        return bytes
    }
}

extension CardProperty {
    /// What stands before the value.
    struct Head {
        private(set) var name: String
        private(set) var types: [String] = []
        private var known: Set<String> = []
        private(set) var preference: Int?
        private(set) var encoding: Encoding?
        private(set) var charset: String?
        /// Where the value begins in the line.
        private(set) var value: Int

        /// Whether a colon outside of quotes is in a part of a line.
        ///
        /// - Parameter isQuoted: whether it begins within quotes; afterwards, whether it ends there.
        static func ends(in part: ArraySlice<UInt8>, _ isQuoted: inout Bool) -> Bool {
            for byte in part {
                if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
                if byte == UInt8(ascii: ":"), !isQuoted { return true }
            }
            return false
        }

        /// nil where there is no colon outside of quotes.
        init?(_ line: ArraySlice<UInt8>, ignoringQuotes: Bool = false) {
            var parts: [ArraySlice<UInt8>] = []
            var start = line.startIndex
            var isQuoted = false
            var colon: Int?
            scan: for (place, byte) in zip(line.indices, line) {
                switch byte {
                case UInt8(ascii: "\"") where !ignoringQuotes: isQuoted.toggle()
                case UInt8(ascii: ";") where !isQuoted:
                    parts.append(line[start..<place])
                    start = place + 1
                case UInt8(ascii: ":") where !isQuoted:
                    parts.append(line[start..<place])
                    colon = place
                    break scan
                default: break
                }
            }
            guard let colon else { return nil }
            value = colon + 1
            let group = parts[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            name = CardText.trimmed(CardText.decode(group.last ?? [])).uppercased()
            for part in parts.dropFirst() { read(CardText.decode(part)) }
        }

        /// A parameter: `TYPE=home,work`, `PREF=1`, or a value alone, as version 2.1 has them.
        private mutating func read(_ parameter: String) {
            let halves = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let key = halves.count == 2 ? CardText.trimmed(String(halves[0])).lowercased() : ""
            let words = (halves.last ?? "").split { $0 == "," || $0 == "\"" }
                .map { CardText.trimmed(String($0)).lowercased() }.filter { !$0.isEmpty }
            switch key {
            case "encoding": if let word = words.first { _ = readEncoding(word) }
            case "charset": charset = words.first
            case "pref":
                if let number = words.first.flatMap({ Int($0) }), (1...100).contains(number) { preference = number }
            case "type": addTypes(words)
            case "": addTypes(words.filter { !readEncoding($0) })
            default: break
            }
        }

        /// Whether a word is the name of an encoding.
        private mutating func readEncoding(_ word: String) -> Bool {
            switch word {
            case "quoted-printable": encoding = .quotedPrintable
            case "base64", "b": encoding = .base64
            case "7bit", "8bit": break
            default: return false
            }
            return true
        }

        private mutating func addTypes(_ words: [String]) {
            for word in words {
                if word == "pref" {
                    preference = preference ?? 1
                } else if known.insert(word).inserted {
                    types.append(word)
                }
            }
        }
    }
}
