import UsherJSON
import UsherScene
internal import UsherText

extension AssociationReader {
    /// The pattern of a string, from one of its bytes on; nil where it is none, which has then been said.
    mutating func pattern(
        _ element: JSONElement, _ what: String, _ form: LinkForm, isPath: Bool = false, from begin: Int = 0
    ) -> LinkPattern? {
        guard expect(.string, element, what) else { return nil }
        let bytes = Array(document.stringBytes(element).dropFirst(begin))
        let text = String(decoding: bytes, as: UTF8.self)
        do {
            let pattern = try LinkPattern(text, form: form, variables: variables)
            if isPath { warnOfPath(bytes, text, at: element, from: begin) }
            if form.isPercentEncoded {
                warnOfEncoding(bytes, at: element, from: begin)
            } else if let escape = LinkText.escape(in: bytes) {
                report(
                    .warning, .associationPercentEncoding, at: range(escape..<(escape + 3), of: element, from: begin),
                    "with `percentEncoded` false, a percent sign stands for itself",
                    help: "write the character that is meant")
            }
            return pattern
        } catch {
            report(error, at: range(error.offset..<(error.offset + error.length), of: element, from: begin))
            return nil
        }
    }

    private mutating func report(_ error: LinkPatternError, at range: Range<Int>) {
        guard !isFull else { return }
        switch error.kind {
        case .unclosedVariable:
            report(
                .error, .associationVariable, at: range, "a variable begins here and does not end",
                help: "close it: $(name)")
        case .unknownVariable(let name):
            let names = variables.names
            let meant = Suggestion.closest(to: name, among: names)
            report(
                .error, .associationUnknownVariable, at: range,
                "there is no substitution variable \(TOMLText.quoted(name))",
                help: meant.map { "did you mean $(\($0))?" }
                    ?? "add it to `substitutionVariables`; there are \(names.prefix(16).joined(separator: ", "))")
        }
    }

    private mutating func warnOfPath(_ bytes: [UInt8], _ text: String, at element: JSONElement, from begin: Int) {
        switch bytes.first {
        case UInt8(ascii: "/"), UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "$"): break
        case nil:
            report(
                .warning, .associationNeverMatches, at: document.textRange(element),
                "an empty pattern matches no path: paths begin with /",
                help: #"the root is "/", and everything is "*""#)
        default:
            report(
                .warning, .associationNeverMatches, at: range(0..<1, of: element, from: begin),
                "this matches no path: paths begin with /", help: "write \(TOMLText.quoted("/" + text))")
        }
        if let hash = bytes.firstIndex(of: UInt8(ascii: "#")) {
            report(
                .warning, .associationNeverMatches, at: range(hash..<(hash + 1), of: element, from: begin),
                "this matches no path: a path ends before `#`",
                help: ##"match the fragment by itself: "#": "…""##)
        } else if let question = LinkText.query(in: bytes) {
            report(
                .warning, .associationNeverMatches, at: range(question..<(question + 1), of: element, from: begin),
                "a path ends before the query; `?` stands for one character here",
                help: #"match the query by itself: "?": { "name": "value" }"#)
        }
    }

    private mutating func warnOfEncoding(_ bytes: [UInt8], at element: JSONElement, from begin: Int) {
        if let foreign = bytes.firstIndex(where: { $0 >= 0x80 || $0 <= 0x20 }) {
            report(
                .warning, .associationPercentEncoding, at: range(foreign..<(foreign + 1), of: element, from: begin),
                "this matches nothing: URLs have such a character percent-encoded",
                help: #"add "percentEncoded": false, or write it as %XX"#)
        } else if let percent = LinkText.brokenEscape(in: bytes) {
            report(
                .warning, .associationPercentEncoding, at: range(percent..<(percent + 1), of: element, from: begin),
                "this matches nothing: in a URL, two hexadecimal digits follow a percent sign",
                help: "a percent sign itself is %25")
        }
    }

    /// Where bytes of a string's value stand in the file.
    func range(_ value: Range<Int>, of element: JSONElement, from begin: Int) -> Range<Int> {
        let quoted = document.textRange(element)
        let source = file.bytes[quoted.dropFirst().dropLast()]
        let lower = LinkText.sourceOffset(of: begin + value.lowerBound, in: source)
        return lower..<max(lower + 1, LinkText.sourceOffset(of: begin + value.upperBound, in: source))
    }
}

/// What can be told of patterns by looking at their bytes.
private enum LinkText {
    /// Where `?name=` begins.
    static func query(in bytes: [UInt8]) -> Int? {
        var start: Int?
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "?"): start = index
            case UInt8(ascii: "="):
                if let start, index > start + 1 { return start }
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"): break
            default: start = nil
            }
        }
        return nil
    }

    /// The first percent sign with two digits behind it.
    static func escape(in bytes: [UInt8]) -> Int? {
        bytes.indices.first { index in
            bytes[index] == UInt8(ascii: "%") && index + 2 < bytes.count && isDigit(bytes[index + 1])
                && isDigit(bytes[index + 2])
        }
    }

    /// The first percent sign that what follows makes no escape of. Wildcards and variables may stand for digits.
    static func brokenEscape(in bytes: [UInt8]) -> Int? {
        bytes.indices.first { index in
            guard bytes[index] == UInt8(ascii: "%") else { return false }
            for byte in bytes[(index + 1)...].prefix(2) {
                if byte == UInt8(ascii: "*") || byte == UInt8(ascii: "$") { return false }
                if byte != UInt8(ascii: "?"), !isDigit(byte) { return true }
            }
            return index + 2 >= bytes.count
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }

    /// Where a byte of a JSON string's value is written: `source` is what stands between its quotes.
    static func sourceOffset(of wanted: Int, in source: ArraySlice<UInt8>) -> Int {
        var value = 0
        var index = source.startIndex
        while index < source.endIndex, value < wanted {
            guard source[index] == UInt8(ascii: "\\") else {
                value += 1
                index += 1
                continue
            }
            guard index + 1 < source.endIndex, source[index + 1] == UInt8(ascii: "u") else {
                value += 1
                index += 2
                continue
            }
            let digits = source[(index + 2)...].prefix(4)
            let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0
            // Two escapes are one character of four bytes.
            if (0xD800..<0xDC00).contains(unit) {
                value += 4
                index += 12
            } else {
                value += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
                index += 6
            }
        }
        return min(index, source.endIndex)
    }
}
