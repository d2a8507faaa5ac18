/// The encodings of pages that are read.
public enum PageEncoding: String, Sendable {
    case utf8 = "UTF-8"
    case windows1252 = "windows-1252"
    case latin2 = "ISO-8859-2"

    /// By a label of the Encoding Standard (https://encoding.spec.whatwg.org/#names-and-labels), in any case.
    init?(label: String) {
        switch label.lowercased() {
        case "utf-8", "utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8": self = .utf8
        case "windows-1252", "x-cp1252", "cp1252", "iso-8859-1", "iso8859-1", "iso88591", "iso_8859-1",
            "iso_8859-1:1987", "iso-ir-100", "csisolatin1", "latin1", "latin-1", "l1", "ibm819", "cp819", "ascii",
            "us-ascii", "ansi_x3.4-1968":
            self = .windows1252
        case "iso-8859-2", "iso8859-2", "iso88592", "iso_8859-2", "iso_8859-2:1987", "iso-ir-101", "csisolatin2",
            "latin2", "latin-2", "l2":
            self = .latin2
        default: return nil
        }
    }
}

/// What a page says about its encoding: its byte order mark, else its `<meta>` in the first 1024 bytes.
struct EncodingDeclaration {
    private(set) var encoding = PageEncoding.utf8
    /// How many bytes the byte order mark has.
    private(set) var markLength = 0
    /// An encoding that is not read, as the page calls it, and where.
    private(set) var unread: (label: String, offset: Int)?

    private static let searched = 1024

    init(_ page: [UInt8]) {
        if page.starts(with: [0xEF, 0xBB, 0xBF]) {
            markLength = 3
        } else if page.starts(with: [0xFE, 0xFF]) || page.starts(with: [0xFF, 0xFE]) {
            markLength = 2
            unread = (page[0] == 0xFE ? "UTF-16BE" : "UTF-16LE", 0)
        } else if let (label, offset) = EncodingDeclaration.label(in: Array(page.prefix(EncodingDeclaration.searched)))
        {
            if let known = PageEncoding(label: label) { encoding = known } else { unread = (label, offset) }
        }
    }

    private static func label(in start: [UInt8]) -> (String, Int)? {
        let bytes = start.span
        var tokenizer = HTMLTokenizer()
        while true {
            switch tokenizer.next(bytes) {
            case .end: return nil
            case .startTag where HTMLTag(tokenizer.nameKey).known == .meta:
                if let charset = tokenizer.attribute(.charset, bytes) {
                    let label = WhiteSpace.collapsed(charset)
                    if !label.isEmpty { return (label, tokenizer.tagStart) }
                }
                if let name = tokenizer.attribute(.httpEquiv, bytes), name.lowercased() == "content-type",
                    let content = tokenizer.attribute(.content, bytes), let label = charset(in: content)
                {
                    return (label, tokenizer.tagStart)
                }
            default: break
            }
        }
    }

    /// The parameter of a media type, in quotation marks or not.
    private static func charset(in content: String) -> String? {
        var rest = Array(content.utf8)[...]
        while !rest.isEmpty {
            guard rest.prefix(7).elementsEqual("charset".utf8, by: { $0 | 0x20 == $1 }) else {
                rest = rest.dropFirst()
                continue
            }
            rest = rest.dropFirst(7).drop(while: HTMLTokenizer.isSpace)
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst().drop(while: HTMLTokenizer.isSpace)
            if let quote = rest.first, quote == 0x22 || quote == 0x27 {
                guard let end = rest.dropFirst().firstIndex(of: quote) else { return nil }
                return WhiteSpace.collapsed(String(decoding: rest.dropFirst()[..<end], as: UTF8.self))
            }
            let label = rest.prefix { !HTMLTokenizer.isSpace($0) && $0 != UInt8(ascii: ";") }
            return label.isEmpty ? nil : String(decoding: label, as: UTF8.self)
        }
        return nil
    }
}

extension PageEncoding {
    /// The page as UTF-8. Of UTF-8 itself wrong bytes stay: they become U+FFFD where text is made of them.
    func decode(_ page: [UInt8]) -> [UInt8] {
        guard self != .utf8 else { return page }
        var output: [UInt8] = []
        output.reserveCapacity(page.count + page.count / 8)
        for byte in page {
            if byte < 0x80 {
                output.append(byte)
            } else {
                output.append(contentsOf: scalar(of: byte).utf8)
            }
        }
        return output
    }

    /// Of a byte from 0x80 on.
    private func scalar(of byte: UInt8) -> Unicode.Scalar {
        switch self {
        case .utf8: "\u{FFFD}"
        case .windows1252: byte < 0xA0 ? PageEncoding.windows1252Controls[Int(byte) - 0x80] : Unicode.Scalar(byte)
        case .latin2: byte < 0xA0 ? Unicode.Scalar(byte) : PageEncoding.latin2Letters[Int(byte) - 0xA0]
        }
    }

    /// 0x80 to 0x9F of windows-1252; five of them are unassigned.
    static let windows1252Controls: [Unicode.Scalar] = Array(
        "€\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}Ž\u{FFFD}\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}žŸ".unicodeScalars)

    /// 0xA0 to 0xFF of ISO-8859-2.
    private static let latin2Letters: [Unicode.Scalar] = Array(
        ("\u{A0}Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u{AD}ŽŻ°ą˛ł´ľśˇ¸šşťź˝žżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎ"
            + "ĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙").unicodeScalars)
}
