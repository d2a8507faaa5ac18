/// The characters of one value, or of one part of a value, in an identifier.
struct TemplateRun: Sendable {
    /// What the text is in its variable's value.
    enum Role: Sendable {
        case string
        case member
        case key
        case value
    }

    /// Which characters may stand in the text.
    struct Alphabet: Sendable, Hashable {
        var keepsReserved: Bool
        /// Reserved characters that end the text all the same.
        var ends: [UInt8] = []

        static let unreserved = Self(keepsReserved: false)
        static let reserved = Self(keepsReserved: true)

        /// Names of members end at the first character that could end them: what they are is otherwise anybody's guess.
        static func key(of operator: TemplateOperator) -> Self {
            guard `operator`.isNamed || `operator`.keepsReserved else { return .unreserved }
            return Self(keepsReserved: true, ends: [ASCII.equals, `operator`.separator])
        }
    }

    /// Which occurrence of a variable in the template the text belongs to.
    var occurrence: Int
    var role: Role
    var alphabet: Alphabet
    /// How few and how many characters of the value, counted before encoding.
    var minimum: Int
    var maximum: Int
}

/// How long the character is that stands encoded at each offset of an identifier.
///
/// Zero where no expansion could have put one: a raw character that is always encoded, a triplet in lower case or
/// of a character that never is, bytes that are not UTF-8.
struct EncodedCharacters {
    let bytes: [UInt8]
    private var unreserved: [UInt8]
    private var reserved: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        unreserved = Array(repeating: 0, count: bytes.count)
        reserved = unreserved
        for index in bytes.indices {
            let byte = bytes[index]
            if PercentEncoding.isUnreserved(byte) {
                unreserved[index] = 1
                reserved[index] = 1
            } else if PercentEncoding.isReserved(byte) {
                reserved[index] = 1
            } else if byte == ASCII.percent {
                let count = PercentEncoding.tripletsOfCharacter(in: bytes, at: index)
                guard count > 0, let lead = PercentEncoding.triplet(in: bytes, at: index) else { continue }
                reserved[index] = UInt8(3 * count)
                let isEncodedAgain = count > 1 || lead < 0x80 && !PercentEncoding.isUnreserved(lead)
                if isEncodedAgain, PercentEncoding.isUpperCase(bytes[index..<index + 3 * count]) {
                    unreserved[index] = UInt8(3 * count)
                }
            }
        }
    }

    func length(at index: Int, in alphabet: TemplateRun.Alphabet) -> Int {
        guard index < bytes.count else { return 0 }
        guard alphabet.keepsReserved else { return Int(unreserved[index]) }
        return alphabet.ends.contains(bytes[index]) ? 0 : Int(reserved[index])
    }
}
