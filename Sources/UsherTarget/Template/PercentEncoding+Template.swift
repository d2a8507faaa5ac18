internal import UsherText

/// The ASCII characters this module names.
enum ASCII {
    static let percent: UInt8 = 0x25
    static let ampersand: UInt8 = 0x26
    static let asterisk: UInt8 = 0x2A
    static let comma: UInt8 = 0x2C
    static let period: UInt8 = 0x2E
    static let slash: UInt8 = 0x2F
    static let zero: UInt8 = 0x30
    static let nine: UInt8 = 0x39
    static let colon: UInt8 = 0x3A
    static let semicolon: UInt8 = 0x3B
    static let equals: UInt8 = 0x3D
    static let underscore: UInt8 = 0x5F
    static let openBrace: UInt8 = 0x7B
    static let closeBrace: UInt8 = 0x7D
}

// RFC 3986, section 2; RFC 6570, sections 1.5, 3.1 and 3.2.1.
extension PercentEncoding {
    static func isReserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23, 0x24, 0x26...0x2C, 0x2F, 0x3A, 0x3B, 0x3D, 0x3F, 0x40, 0x5B, 0x5D: true
        default: false
        }
    }

    /// Appends `text`, encoding what the operator does not copy.
    ///
    /// `limit` counts characters of the value before encoding. Where triplets are copied, those that stand for one
    /// character together count as that one character and are never parted.
    static func append(_ text: String, keepingReserved: Bool, limit: Int = .max, to output: inout [UInt8]) {
        // No more than can matter: a character takes twelve bytes at most, and too long an expansion is an error.
        let bytes = Array(text.utf8.prefix(limit < 10_000 ? 12 * limit : URITemplate.maximumLength + 1))
        var index = 0
        var remaining = limit
        while index < bytes.count, remaining > 0 {
            remaining -= 1
            let byte = bytes[index]
            if keepingReserved, byte == ASCII.percent {
                let length = 3 * tripletsOfCharacter(in: bytes, at: index)
                if length > 0 {
                    output.append(contentsOf: bytes[index..<index + length])
                    index += length
                    continue
                }
            }
            if byte < 0x80 {
                if isUnreserved(byte) || keepingReserved && isReserved(byte) {
                    output.append(byte)
                } else {
                    appendTriplet(byte, to: &output)
                }
                index += 1
            } else {
                repeat {
                    appendTriplet(bytes[index], to: &output)
                    index += 1
                } while index < bytes.count && bytes[index] & 0xC0 == 0x80
            }
        }
    }

    /// How many triplets at `index` stand for one character together.
    ///
    /// 0 where no triplet stands; 1 for ASCII, and for a byte that begins no valid UTF-8 sequence.
    static func tripletsOfCharacter(in bytes: [UInt8], at index: Int) -> Int {
        guard let lead = triplet(in: bytes, at: index) else { return 0 }
        let count: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: count = 2
        case 0xE0...0xEF:
            count = 3
            if lead == 0xE0 { second = 0xA0...0xBF }
            if lead == 0xED { second = 0x80...0x9F }
        case 0xF0...0xF4:
            count = 4
            if lead == 0xF0 { second = 0x90...0xBF }
            if lead == 0xF4 { second = 0x80...0x8F }
        default: return 1
        }
        guard let next = triplet(in: bytes, at: index + 3), second.contains(next) else { return 1 }
        for position in 2..<max(count, 2) {
            guard let next = triplet(in: bytes, at: index + 3 * position), next & 0xC0 == 0x80 else { return 1 }
        }
        return count
    }

    /// A text that expands to `bytes` where reserved characters and triplets are copied.
    ///
    /// A triplet stays as it is where its character would not be encoded again to the same bytes.
    static func decodeKeepingReserved(_ bytes: ArraySlice<UInt8>) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        let bytes = Array(bytes)
        var index = 0
        while index < bytes.count {
            let count = tripletsOfCharacter(in: bytes, at: index)
            guard count > 0, let lead = triplet(in: bytes, at: index) else {
                output.append(bytes[index])
                index += 1
                continue
            }
            let end = index + 3 * count
            let isEncodedAgain =
                switch lead {
                case ASCII.percent:
                    // Before two digits it would be the start of a triplet, which is copied.
                    end + 1 >= bytes.count || Hexadecimal.value(of: bytes[end]) == nil
                        || Hexadecimal.value(of: bytes[end + 1]) == nil
                case 0x80...: count > 1
                default: !isUnreserved(lead) && !isReserved(lead)
                }
            if isEncodedAgain, isUpperCase(bytes[index..<end]) {
                for position in 0..<count {
                    if let byte = triplet(in: bytes, at: index + 3 * position) { output.append(byte) }
                }
            } else {
                output.append(contentsOf: bytes[index..<end])
            }
            index = end
        }
        return String(decoding: output, as: UTF8.self)
    }

    static func isUpperCase(_ triplets: ArraySlice<UInt8>) -> Bool {
        !triplets.contains { (0x61...0x66).contains($0) }
    }
}
