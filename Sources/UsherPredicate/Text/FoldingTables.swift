/// Canonical decomposition, case folding, marks and combining classes of all Unicode scalars.
///
/// Unpacked from `FoldingData` at first use, which only text beyond ASCII causes. Lookups are binary searches.
struct FoldingTables: Sendable {
    static let shared = FoldingTables()

    private let decompositions: ScalarMap
    private let foldings: ScalarMap
    private let marks: ScalarRuns
    private let classes: ScalarRuns

    private init() {
        decompositions = ScalarMap(packed: FoldingData.decompositions)
        foldings = ScalarMap(packed: FoldingData.foldings)
        marks = ScalarRuns(packed: FoldingData.marks)
        classes = ScalarRuns(packed: FoldingData.classes)
    }

    /// Appends the full canonical decomposition of `scalar`, not reordered.
    func appendDecomposition(of scalar: UInt32, to output: inout [UInt32]) {
        if scalar < 0xC0 {
            output.append(scalar)
        } else if scalar >= Hangul.firstSyllable, scalar <= Hangul.lastSyllable {
            Hangul.appendDecomposition(of: scalar, to: &output)
        } else {
            decompositions.append(scalar, to: &output)
        }
    }

    /// Appends the full case folding of a scalar that has no decomposition.
    func appendFolding(of scalar: UInt32, to output: inout [UInt32]) {
        foldings.append(scalar, to: &output)
    }

    /// Whether `scalar` belongs to the combining sequence of what precedes it (Grapheme_Cluster_Break=Extend).
    func isMark(_ scalar: UInt32) -> Bool {
        scalar >= 0x300 && marks[scalar] != 0
    }

    func combiningClass(_ scalar: UInt32) -> UInt8 {
        scalar < 0x300 ? 0 : classes[scalar]
    }
}

/// Hangul syllables decompose by arithmetic (The Unicode Standard, 3.12).
enum Hangul {
    static let firstSyllable: UInt32 = 0xAC00
    static let lastSyllable: UInt32 = 0xD7A3

    static func appendDecomposition(of syllable: UInt32, to output: inout [UInt32]) {
        let index = syllable - firstSyllable
        output.append(0x1100 + index / 588)
        output.append(0x1161 + index % 588 / 28)
        if index % 28 != 0 { output.append(0x11A7 + index % 28) }
    }

    static func isJamo(_ scalar: UInt32) -> Bool { scalar >= 0x1100 && scalar <= 0x11FF }

    /// Vowels and final consonants continue the syllable of the jamo before them.
    static func isTrailingJamo(_ scalar: UInt32) -> Bool { scalar >= 0x1160 && scalar <= 0x11FF }
}
