public import UsherStore
internal import UsherText

/// A tag in the text of a note: a `#` at the start or after white space, a letter, then letters, digits, `_`, `-` and `/`.
///
/// Tags are compared by simple case folding, without regard to equivalent forms of Unicode.
public struct NoteTag: Sendable, Hashable, Comparable {
    /// Without the `#`, in lower case.
    public let text: String

    /// A tag with or without its `#`; nil for a text that is none.
    public init?(_ text: String) {
        var scalars = text.unicodeScalars[...]
        if scalars.first == "#" { scalars.removeFirst() }
        guard let first = scalars.first, NoteTag.isLetter(first), scalars.dropFirst().allSatisfy(NoteTag.isPart) else {
            return nil
        }
        self.init(folding: scalars)
    }

    private init(folding scalars: Substring.UnicodeScalarView) {
        var folded = String.UnicodeScalarView()
        for scalar in scalars { folded.append(NoteTag.folded(scalar)) }
        text = String(folded)
    }

    /// The tags of a note's text, sorted by their scalars, each once.
    public static func all(in text: String) -> [NoteTag] {
        guard text.utf8.contains(UInt8(ascii: "#")) else { return [] }
        var found: Set<NoteTag> = []
        let scalars = text.unicodeScalars
        var place = scalars.startIndex
        var isAtStart = true
        while place < scalars.endIndex {
            let scalar = scalars[place]
            scalars.formIndex(after: &place)
            if scalar == "#", isAtStart, place < scalars.endIndex, isLetter(scalars[place]) {
                let end = scalars[place...].firstIndex { !isPart($0) } ?? scalars.endIndex
                found.insert(NoteTag(folding: scalars[place..<end]))
                place = end
                isAtStart = false
            } else {
                isAtStart = scalar.properties.isWhitespace
            }
        }
        return found.sorted()
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return (0x61...0x7A).contains(scalar.value | 0x20) }
        return switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
        default: false
        }
    }

    /// Marks belong to the letters that they are written with.
    private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
        if scalar == "_" || scalar == "-" || scalar == "/" || isLetter(scalar) { return true }
        return switch scalar.properties.generalCategory {
        case .decimalNumber, .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    /// Simple case folding, of one scalar to one (CaseFolding.txt, C and S): what capitals have in common, in lower case.
    private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        if scalar.isASCII {
            return (0x41...0x5A).contains(scalar.value) ? Unicode.Scalar(UInt8(scalar.value | 0x20)) : scalar
        }
        // Its capital is that of the i with a dot, which it is not equal to.
        if scalar == "\u{131}" { return scalar }
        let upper = single(scalar.properties.uppercaseMapping) ?? scalar
        return single(upper.properties.lowercaseMapping) ?? scalar
    }

    private static func single(_ mapping: String) -> Unicode.Scalar? {
        let scalars = mapping.unicodeScalars
        return scalars.count == 1 ? scalars.first : nil
    }

    public static func == (one: NoteTag, other: NoteTag) -> Bool { one.text.hasSameBytes(as: other.text) }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
    }

    public static func < (one: NoteTag, other: NoteTag) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }
}

extension Store.Note {
    /// The tags in its text, sorted, each once.
    public var tags: [NoteTag] { NoteTag.all(in: text) }
}

extension Store {
    /// Every tag with the number of its notes, sorted. Reads the texts of all notes.
    public func noteTags() throws(StoreError) -> [(tag: NoteTag, notes: Int)] {
        let counts = try read { (state) throws(StoreError) -> [NoteTag: Int] in
            var counts: [NoteTag: Int] = [:]
            let rows = try state.prepare("SELECT text FROM note WHERE instr(text, '#') > 0", [])
            while try rows.step() {
                for tag in NoteTag.all(in: rows.text(0)) { counts[tag, default: 0] += 1 }
            }
            return counts
        }
        return counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
