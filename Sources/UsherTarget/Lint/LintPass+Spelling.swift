// Safe to compare: everybody spells it so.
extension LintPass {
    mutating func judgeSpelling() {
        judgeCharacters()
        guard parts.hasAuthority else { return }
        if let scheme = parts.scheme, scheme != scheme.lowercased() { find(.spelling, "upper case in '\(scheme)'") }
        if parts.isWeb {
            let isLocal = parts.host.lowercased().hasSuffix(".local")
            if !isLocal, parts.host.utf8.contains(where: { (0x41...0x5A).contains($0) }) {
                find(.spelling, "upper case in '\(parts.host)'")
            }
            if parts.host.hasSuffix(".") { find(.spelling, "a dot after '\(parts.host)'") }
            let ports = ["http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"]
            if let port = parts.port, port.isEmpty || ports[parts.lowercaseScheme] == port {
                find(.spelling, "the port that is the default, ':\(port)'")
            }
            if parts.path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) {
                find(.spelling, "'.' or '..' in the path")
            }
        }
        judgeTriplets()
    }

    /// White space, controls and invisible characters, written or encoded; letters with loose accents.
    private mutating func judgeCharacters() {
        let text = parts.text
        let decoded = IdentifierParts.decoded(text[...])
        for scalar in decoded.unicodeScalars where Self.isHazard(scalar) {
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return find(
                .spelling, "the character U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits)
        }
        if text.hasPrefix(" ") || text.hasSuffix(" ") { return find(.spelling, "a space at the edge") }
        if parts.hasAuthority, text.contains(" "), !text.contains("[object ") { find(.spelling, "a space") }
        var before: Unicode.Scalar?
        for scalar in decoded.unicodeScalars {
            if let base = before, base.properties.isAlphabetic, base.value < 0x250,
                (0x300...0x36F).contains(scalar.value)
            {
                return find(.spelling, "a letter and its accent apart (not NFC)")
            }
            before = scalar
        }
    }

    private static func isHazard(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0xA0, 0xAD, 0x200B...0x200F, 0x2028...0x202F, 0x2060...0x206F, 0xFEFF, 0xFFFD, 0x3000,
            0x2000...0x200A:
            true
        default: false
        }
    }

    private mutating func judgeTriplets() {
        guard !has(.placeholder) else { return }
        let bytes = Array(parts.path.utf8)
        var index = 0
        while index < bytes.count {
            guard bytes[index] == ASCII.percent else {
                index += 1
                continue
            }
            guard let value = PercentEncoding.triplet(in: bytes, at: index) else {
                if parts.segments.contains(where: { LintWords.unfilled.contains($0) }) { return }
                return find(.spelling, "a '%' without two hexadecimal digits")
            }
            let triplet = String(decoding: bytes[index..<index + 3], as: UTF8.self)
            if !PercentEncoding.isUpperCase(bytes[index..<index + 3]) {
                return find(.spelling, "lower case in '\(triplet)'")
            }
            if PercentEncoding.isUnreserved(value) { return find(.spelling, "'\(triplet)', which needs no encoding") }
            if value == ASCII.percent, index + 4 < bytes.count, PercentEncoding.hexValue(bytes[index + 3]) != nil,
                PercentEncoding.hexValue(bytes[index + 4]) != nil
            {
                return find(.spelling, "'%25', which is encoded twice")
            }
            index += 3
        }
    }
}
