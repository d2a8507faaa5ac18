import Foundation
import TestSupport
import Testing
import UsherPredicate

/// Our folding against Foundation's, which is the model: CFString's comparison and search.
struct FoldingTests {
    enum Oddity: String, CaseIterable, Sendable {
        /// Foundation drops a loose mark behind any base, yet keeps が apart from か. Marks spell words outside of Latin,
        /// Greek and Cyrillic (Hebrew points, Thai vowels, dakuten) and tell emoji apart (skin tones, VS16): they stay.
        case marksOfOtherScripts
        /// Foundation drops a mark with nothing before it, so that text of marks alone equals empty text.
        case marksWithoutBase
        /// Foundation folds the case of none of the letters beyond U+FFFF, nor of some that are newer than its tables.
        case newerLetters
        /// Foundation doesn't fold the iota below a Greek letter; full case folding makes it a letter.
        case iotaBelow
        /// Foundation decomposes no letter beyond U+FFFF and not all parts of some Indic vowels.
        case partialDecomposition
    }

    private static let options: [(String, NSString.CompareOptions)] = [
        ("", []), ("[c]", [.caseInsensitive]), ("[d]", [.diacriticInsensitive]),
        ("[cd]", [.caseInsensitive, .diacriticInsensitive]),
    ]

    private static func foundation(
        _ operation: String, _ options: NSString.CompareOptions, _ subject: String, _ other: String
    ) -> Bool {
        let subject = NSString(string: subject)
        func finds(_ more: NSString.CompareOptions) -> Bool {
            subject.range(of: other, options: options.union(more)).location != NSNotFound
        }
        switch operation {
        case "==": return subject.compare(other, options: options) == .orderedSame
        case "<": return subject.compare(other, options: options) == .orderedAscending
        case "BEGINSWITH": return finds([.anchored])
        case "ENDSWITH": return finds([.anchored, .backwards])
        default: return finds([])
        }
    }

    /// Scalars that some folding changes or that can be part of a combining sequence.
    /// Planes 3 to 13, 15 and 16 have no such.
    private static let relevant: [Unicode.Scalar] = [1..<0x30000, 0xE0000..<0xE0200].joined().compactMap {
        Unicode.Scalar($0 as Int)
    }.filter {
        let properties = $0.properties
        if (0xAC00...0xD7A3).contains($0.value) { return $0.value % 97 == 0 }
        return properties.canonicalCombiningClass != .notReordered || properties.isGraphemeExtend
            || properties.changesWhenCaseFolded || properties.changesWhenLowercased
            || properties.changesWhenUppercased || properties.isEmojiModifier
            || Array(String($0).decomposedStringWithCanonicalMapping.unicodeScalars) != [$0]
    }

    /// Why we may differ from Foundation about `scalar` compared with `other`; nil when there is no reason to.
    private static func oddity(_ scalar: Unicode.Scalar, _ subject: String, _ other: String, _ option: String)
        -> Oddity?
    {
        let parts = Array(String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars)
        func isMark(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isGraphemeExtend || scalar.properties.isEmojiModifier
        }
        if parts.count > 1,
            scalar.value > 0xFFFF || parts.allSatisfy(isMark)
                || parts.dropFirst().contains(where: { $0.value == 0xCD5 || $0.value == 0x1B35 })
        {
            return .partialDecomposition
        }
        if scalar.value > 0xFFFF, scalar.properties.isCased || !isMark(scalar) { return .newerLetters }
        if (0x1C80...0x1C8F).contains(scalar.value) { return .newerLetters }
        if option.contains("c"), parts.contains("\u{345}") { return .iotaBelow }
        if option.contains("d"), isMark(parts[0]), subject.unicodeScalars.first == scalar { return .marksWithoutBase }
        if option.contains("d"), isMark(scalar), let base = subject.unicodeScalars.first, base.value >= 0x510 {
            return .marksOfOtherScripts
        }
        return nil
    }

    @Test(arguments: ["==", "CONTAINS"])
    func everyScalarFoldsAsInFoundation(_ operation: String) throws {
        #expect(Self.relevant.count > 6000)
        var seen: Set<Oddity> = []
        // Equality without options is that of code units; searches share their folding with the rest.
        for (letters, options) in Self.options where letters.isEmpty != (operation == "==") || letters == "[cd]" {
            let template = try ScenePredicateTemplate(
                parsing: "SELF \(operation)\(letters) $OTHER", variables: ["OTHER"])
            for scalar in Self.relevant {
                let text = String(scalar)
                let decomposed = text.decomposedStringWithCanonicalMapping
                let properties = scalar.properties
                let pairs = [
                    (text, properties.lowercaseMapping), (text, properties.uppercaseMapping),
                    (text, properties.titlecaseMapping), (text, decomposed),
                    (text, String(decomposed.unicodeScalars.prefix(1))), ("a" + text, "a"), ("Я" + text, "я"),
                    ("か" + text, "か"), (text, ""),
                ]
                for (subject, other) in pairs {
                    let ours = try #require(template.substituting(["OTHER": other])).evaluate(subject)
                    if ours == Self.foundation(operation, options, subject, other) { continue }
                    let reason = Self.oddity(scalar, subject, other, letters)
                    if let reason {
                        seen.insert(reason)
                    } else {
                        Issue.record("U+\(String(scalar.value, radix: 16)): \(subject) \(operation)\(letters) \(other)")
                    }
                }
            }
        }
        // An oddity that no longer shows has no place in the table.
        if operation == "==" { #expect(seen == Set(Oddity.allCases)) }
    }

    /// Foundation sometimes lets a letter and the marks of the next one match a composed letter (EÉ contains é under c);
    /// such neighbours are rare in these texts: two in a thousand answers may differ.
    @Test(arguments: [
        ["a", "A", "e", "é", "E", "e\u{301}", "o\u{323}", "s", "S", "ø", "c", "ç", "/", ".", "1"],
        ["s", "ß", "S", "t", "a", "ẞ", "ﬁ", "f", "i", "I", "ı"],
        ["a", "й", "Й", "и", "σ", "ς", "Σ", "ά", "小", "が", "か", "ガ", "カ", "🤡", "K", "k"],
    ])
    func randomTextsCompareAsInFoundation(_ alphabet: [String]) throws {
        var generator = SeededGenerator(seed: 42)
        func text(_ length: Int) -> String {
            (0..<Int.random(in: 0...length, using: &generator)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
            }.joined()
        }
        var differences: [String] = []
        let count = 5000
        for _ in 0..<count {
            let operation = ["==", "<", "CONTAINS", "BEGINSWITH", "ENDSWITH"][Int.random(in: 0..<5, using: &generator)]
            let (letters, options) = Self.options[Int.random(in: 0..<4, using: &generator)]
            let (subject, other) = (text(6), text(3))
            // Without options equality is that of code units.
            if operation == "==", letters.isEmpty { continue }
            let template = try ScenePredicateTemplate(
                parsing: "SELF \(operation)\(letters) $OTHER", variables: ["OTHER"])
            let ours = try #require(template.substituting(["OTHER": other])).evaluate(subject)
            if ours != Self.foundation(operation, options, subject, other) {
                differences.append("\(subject) \(operation)\(letters) \(other)")
            }
        }
        #expect(differences.count <= count / 500, "\(differences)")
    }

    private static let generator = Repository.path + "/Scripts/generate-folding-tables.py"
    private static let canGenerate =
        FileManager.default.fileExists(atPath: "/usr/share/unicode/UnicodeData.txt")
        && FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

    @Test(.enabled(if: canGenerate, "needs unicode-data and Python"))
    func committedTablesAreWhatTheGeneratorYields() throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [Self.generator, "--check"]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
