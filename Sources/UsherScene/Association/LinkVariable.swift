/// The values of a substitution variable, in one form.
struct LinkVariable: Sendable {
    /// The values without wildcards.
    var words: WordSet
    /// The others.
    var patterns: [[LinkPattern.Step]]

    init(_ values: [String], form: LinkForm) {
        var words: [[UInt8]] = []
        var patterns: [[LinkPattern.Step]] = []
        for value in values {
            let bytes = Array(value.utf8)
            if bytes.contains(where: { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") }) {
                patterns.append(LinkPattern.steps(bytes, form: form))
            } else {
                words.append(form.apply(to: bytes, isPattern: true))
            }
        }
        self.words = WordSet(words)
        self.patterns = patterns
    }

    /// How many steps it takes at the most, for each byte of a text.
    var size: Int { patterns.reduce(1 + words.size) { $0 + $1.count } }
}

/// Texts that are looked up by their length.
struct WordSet: Sendable {
    private var byLength: [(length: Int, words: Set<[UInt8]>)]

    init(_ words: [[UInt8]]) {
        byLength = Dictionary(grouping: words, by: \.count).map { ($0, Set($1)) }.sorted { $0.length < $1.length }
    }

    /// How many bytes are looked at in one place.
    var size: Int { byLength.reduce(0) { $0 + $1.length } }

    /// Where the words that stand at a place end.
    func forEachEnd(from place: Int, in text: [UInt8], _ body: (Int) -> Void) {
        for (length, words) in byLength {
            guard length <= text.count - place else { return }
            if words.contains(Array(text[place..<(place + length)])) { body(place + length) }
        }
    }
}

/// A set of ASCII characters.
struct ASCIISet: Hashable, Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ ranges: ClosedRange<UInt8>...) {
        for range in ranges {
            for byte in range { insert(byte) }
        }
    }

    private mutating func insert(_ byte: UInt8) {
        if byte < 64 { low |= 1 << UInt64(byte) } else if byte < 128 { high |= 1 << UInt64(byte - 64) }
    }

    func contains(_ byte: UInt8) -> Bool {
        byte < 64 ? low >> UInt64(byte) & 1 == 1 : byte < 128 && high >> UInt64(byte - 64) & 1 == 1
    }

    /// With the small letters for the capitals: compared with texts that have no capitals.
    var folded: ASCIISet {
        var folded = self
        for byte in UInt8(0x41)...0x5A where contains(byte) { folded.insert(byte + 0x20) }
        return folded
    }
}
