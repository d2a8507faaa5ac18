internal import UsherText

/// The tags and texts of a page (https://html.spec.whatwg.org/#tokenization), without copies: in one pass, in constant memory.
///
/// The bytes are lent to each call. Of attributes only those of `Attribute` are kept.
struct HTMLTokenizer {
    enum Token { case text, startTag, endTag, end }

    enum Attribute: UInt8, CaseIterable {
        case id, src, href, data, type, value, itemid, content, itemref, charset, itemprop, itemtype, datetime,
            itemscope
        case httpEquiv
    }

    /// Where the next token begins.
    private(set) var offset: Int
    /// Of a text.
    private(set) var text = 0..<0
    /// Of a tag: where it begins, its name in lower case, and whether it ends in `/>`.
    private(set) var tagStart = 0
    private(set) var nameKey: UInt64 = 0
    private(set) var isSelfClosing = false
    private var given: UInt16 = 0
    private var values = [Range<Int>](repeating: 0..<0, count: Attribute.allCases.count)

    /// Whether `<![CDATA[` begins a text: inside SVG and MathML.
    var readsSections = false

    init(offset: Int = 0) { self.offset = offset }

    // MARK: Tokens

    mutating func next(_ bytes: Span<UInt8>) -> Token {
        let start = offset
        var i = offset
        while i < bytes.count {
            if bytes[i] != 0x3C {
                i &+= 1
                continue
            }
            // Text before markup is a token of its own.
            guard i + 1 < bytes.count, HTMLTokenizer.opens(bytes[i + 1]) else {
                i &+= 1
                continue
            }
            if i > start {
                text = start..<i
                offset = i
                return .text
            }
            switch bytes[i + 1] {
            case 0x21:
                if readsSections, has("[CDATA[", at: i + 2, bytes) { return section(from: i + 9, bytes) }
                offset = has("--", at: i + 2, bytes) ? commentEnd(i + 4, bytes) : end(of: 0x3E, i + 2, bytes)
            case 0x3F: offset = end(of: 0x3E, i + 1, bytes)
            case 0x2F:
                guard i + 2 < bytes.count else {
                    // A text of two characters at the end of the page.
                    text = i..<bytes.count
                    offset = bytes.count
                    return .text
                }
                if HTMLTokenizer.isLetter(bytes[i + 2]) {
                    guard readTag(from: i, name: i + 2, bytes) else { return .end }
                    return .endTag
                }
                offset = end(of: 0x3E, i + 2, bytes)
            default:
                guard readTag(from: i, name: i + 1, bytes) else { return .end }
                return .startTag
            }
            return next(after: offset, bytes)
        }
        guard start < bytes.count else { return .end }
        text = start..<bytes.count
        offset = bytes.count
        return .text
    }

    /// A comment has no token; a page may have very many in a row.
    private mutating func next(after comment: Int, _ bytes: Span<UInt8>) -> Token {
        text = comment..<comment
        return .text
    }

    private static func opens(_ byte: UInt8) -> Bool {
        isLetter(byte) || byte == 0x21 || byte == 0x2F || byte == 0x3F
    }

    private mutating func section(from start: Int, _ bytes: Span<UInt8>) -> Token {
        var i = start
        while i < bytes.count, !has("]]>", at: i, bytes) { i &+= 1 }
        text = min(start, bytes.count)..<min(i, bytes.count)
        offset = min(i + 3, bytes.count)
        return .text
    }

    /// After the `-->`, or `--!>`, of a comment whose text begins here.
    private func commentEnd(_ start: Int, _ bytes: Span<UInt8>) -> Int {
        if has(">", at: start, bytes) { return start + 1 }
        if has("->", at: start, bytes) { return start + 2 }
        var i = start
        while i < bytes.count {
            if bytes[i] == 0x2D {
                if has("-->", at: i, bytes) { return i + 3 }
                if has("--!>", at: i, bytes) { return i + 4 }
            }
            i &+= 1
        }
        return bytes.count
    }

    /// After the next byte of this kind, or the end.
    private func end(of byte: UInt8, _ start: Int, _ bytes: Span<UInt8>) -> Int {
        var i = start
        while i < bytes.count {
            if bytes[i] == byte { return i + 1 }
            i &+= 1
        }
        return bytes.count
    }

    private func has(_ text: StaticString, at start: Int, _ bytes: Span<UInt8>) -> Bool {
        HTMLTokenizer.has(text.description, at: start, bytes)
    }

    private static func has(_ text: String, at start: Int, _ bytes: Span<UInt8>) -> Bool {
        let expected = text.utf8Span.span
        guard start + expected.count <= bytes.count else { return false }
        for i in expected.indices where bytes[start + i] != expected[i] { return false }
        return true
    }

    // MARK: Tags

    /// Reads a tag to its `>`; false where the page ends before.
    private mutating func readTag(from start: Int, name: Int, _ bytes: Span<UInt8>) -> Bool {
        tagStart = start
        given = 0
        isSelfClosing = false
        var i = name
        while i < bytes.count, !HTMLTokenizer.isSpace(bytes[i]), bytes[i] != 0x2F, bytes[i] != 0x3E { i &+= 1 }
        nameKey = HTMLTokenizer.key(bytes, name..<i)
        while i < bytes.count {
            let byte = bytes[i]
            if HTMLTokenizer.isSpace(byte) {
                i &+= 1
            } else if byte == 0x3E {
                offset = i + 1
                return true
            } else if byte == 0x2F {
                i &+= 1
                if i < bytes.count, bytes[i] == 0x3E { isSelfClosing = true }
            } else {
                guard let next = readAttribute(i, bytes) else { break }
                i = next
            }
        }
        offset = bytes.count
        return false
    }

    /// Returns where it ends; nil where the page ends before.
    private mutating func readAttribute(_ start: Int, _ bytes: Span<UInt8>) -> Int? {
        // A `=` at the beginning is part of the name.
        var i = start + 1
        while i < bytes.count, !HTMLTokenizer.isSpace(bytes[i]), bytes[i] != 0x2F, bytes[i] != 0x3E, bytes[i] != 0x3D {
            i &+= 1
        }
        let name = start..<i
        while i < bytes.count, HTMLTokenizer.isSpace(bytes[i]) { i &+= 1 }
        var value = i..<i
        if i < bytes.count, bytes[i] == 0x3D {
            i &+= 1
            while i < bytes.count, HTMLTokenizer.isSpace(bytes[i]) { i &+= 1 }
            guard i < bytes.count else { return nil }
            let quote = bytes[i]
            if quote == 0x22 || quote == 0x27 {
                let end = self.end(of: quote, i + 1, bytes)
                guard end <= bytes.count, bytes[end - 1] == quote, end > i + 1 else { return nil }
                value = i + 1..<end - 1
                i = end
            } else {
                let first = i
                while i < bytes.count, !HTMLTokenizer.isSpace(bytes[i]), bytes[i] != 0x3E { i &+= 1 }
                value = first..<i
            }
        }
        if let known = HTMLTokenizer.attribute(bytes, name), given & 1 << known.rawValue == 0 {
            given |= 1 << known.rawValue
            values[Int(known.rawValue)] = value
        }
        return i
    }

    private static func attribute(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Attribute? {
        // The shortest one is `id`; `data-…`, `class` and `style` are most of them.
        guard (2...10).contains(name.count) else { return nil }
        switch bytes[name.lowerBound] | 0x20 {
        case UInt8(ascii: "i"):
            switch name.count {
            case 2: return isName("id", bytes, name) ? .id : nil
            case 6: return isName("itemid", bytes, name) ? .itemid : nil
            case 7: return isName("itemref", bytes, name) ? .itemref : nil
            case 8:
                return isName("itemprop", bytes, name) ? .itemprop : isName("itemtype", bytes, name) ? .itemtype : nil
            case 9: return isName("itemscope", bytes, name) ? .itemscope : nil
            default: return nil
            }
        case UInt8(ascii: "s"): return isName("src", bytes, name) ? .src : nil
        case UInt8(ascii: "h"):
            return isName("href", bytes, name) ? .href : isName("http-equiv", bytes, name) ? .httpEquiv : nil
        case UInt8(ascii: "d"):
            return isName("data", bytes, name) ? .data : isName("datetime", bytes, name) ? .datetime : nil
        case UInt8(ascii: "t"): return isName("type", bytes, name) ? .type : nil
        case UInt8(ascii: "v"): return isName("value", bytes, name) ? .value : nil
        case UInt8(ascii: "c"):
            return isName("content", bytes, name) ? .content : isName("charset", bytes, name) ? .charset : nil
        default: return nil
        }
    }

    private static func isName(_ name: String, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let expected = name.utf8Span.span
        guard expected.count == range.count else { return false }
        for i in expected.indices where bytes[range.lowerBound + i].lowercasedASCII != expected[i] { return false }
        return true
    }

    func has(_ attribute: Attribute) -> Bool { given & 1 << attribute.rawValue != 0 }

    /// The value, decoded; nil where the tag does not have it.
    func attribute(_ attribute: Attribute, _ bytes: Span<UInt8>) -> String? {
        guard has(attribute) else { return nil }
        var output: [UInt8] = []
        CharacterReferences.decode(bytes, values[Int(attribute.rawValue)], inAttribute: true, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    // MARK: Raw text

    /// The text up to the end tag of an element that has no tags in it; goes on after that tag.
    mutating func rawText(of name: String, isScript: Bool, _ bytes: Span<UInt8>) -> Range<Int> {
        let start = offset
        // A script is in a comment (escaped), or in a script in a comment (doubly escaped).
        var isEscaped = false
        var isNested = false
        var i = start
        while i < bytes.count {
            switch bytes[i] {
            case 0x3C:
                if isNested {
                    if hasTag("/script", at: i + 1, bytes) { isNested = false }
                } else if i + 1 < bytes.count, bytes[i + 1] == 0x2F, hasTag(name, at: i + 2, bytes) {
                    let isWhole = readTag(from: i, name: i + 2, bytes)
                    return start..<(isWhole ? i : bytes.count)
                } else if isEscaped, hasTag("script", at: i + 1, bytes) {
                    isNested = true
                } else if isScript, !isEscaped, has("!--", at: i + 1, bytes) {
                    isEscaped = true
                    // `<!-->` and `<!--->` end at once.
                    i &+= 2
                    continue
                }
            case 0x2D where isEscaped:
                if has("-->", at: i, bytes) { (isEscaped, isNested) = (false, false) }
            default: break
            }
            i &+= 1
        }
        offset = bytes.count
        return start..<bytes.count
    }

    /// Whether a name stands here, in any case, and ends here.
    private func hasTag(_ name: String, at start: Int, _ bytes: Span<UInt8>) -> Bool {
        let end = start + name.utf8.count
        guard end < bytes.count, HTMLTokenizer.isName(name, bytes, start..<end) else { return false }
        return HTMLTokenizer.isSpace(bytes[end]) || bytes[end] == 0x2F || bytes[end] == 0x3E
    }

    /// All that is left.
    mutating func rest(_ bytes: Span<UInt8>) -> Range<Int> {
        let start = offset
        offset = bytes.count
        return start..<bytes.count
    }

    // MARK: Bytes

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D || byte == 0x0C
    }

    static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    /// A name in lower case as a number: up to eight bytes as they are, of longer ones a hash (FNV-1a).
    private static func key(_ bytes: Span<UInt8>, _ name: Range<Int>) -> UInt64 {
        var key: UInt64 = 0
        guard name.count > 8 else {
            for i in name { key = key << 8 | UInt64(bytes[i].lowercasedASCII) }
            return key
        }
        key = 0xCBF2_9CE4_8422_2325
        for i in name { key = (key ^ UInt64(bytes[i].lowercasedASCII)) &* 0x100_0000_01B3 }
        return key | 1 << 63
    }

    /// Of a name in lower case.
    static func key(_ name: String) -> UInt64 {
        let bytes = Array(name.utf8)
        return key(bytes.span, bytes.indices)
    }
}
