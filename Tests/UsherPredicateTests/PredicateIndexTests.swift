import TestSupport
import Testing

@testable import UsherPredicate

@Suite("What finds the predicates that are true for a subject")
struct PredicateIndexTests {
    /// With literals for §.
    static let patterns = [
        "SELF == '§'", "'§' == SELF", "SELF ==[c] '§'", "SELF ==[d] '§'", "SELF ==[cd] '§'", "SELF BEGINSWITH '§'",
        "SELF BEGINSWITH[c] '§'", "SELF ENDSWITH '§'", "SELF ENDSWITH[cd] '§'", "SELF CONTAINS '§'",
        "SELF CONTAINS[c] '§'", "'§' IN SELF", "'§' IN[d] SELF", "SELF IN '§'", "SELF LIKE '§'", "SELF LIKE '§*'",
        "SELF LIKE '*§'", "SELF LIKE '*§*'", "SELF LIKE '§*§'", "SELF LIKE '§?§*'", "SELF LIKE[c] '?§*'",
        "SELF LIKE[cd] '§*§*§'", "SELF LIKE[d] '*§?'", "SELF IN {'§', '§'}", "SELF IN[c] {'§', nil}", "SELF == nil",
        "SELF <= nil", "SELF != nil", "ANY {'§', '§'} == SELF", "ANY {'§', SELF} LIKE[c] '§'", "NONE {'§'} == SELF",
        "ALL {'§', '§'} IN SELF", "ALL {} == SELF", "{'§', '§'} CONTAINS SELF", "{SELF, '§'} CONTAINS '§'",
        "'§' IN {SELF, nil}", "nil IN {SELF, '§'}", "SELF BETWEEN {'§', '§'}", "SELF != '§'", "NOT SELF == '§'",
        "SELF < '§'", "TRUEPREDICATE", "FALSEPREDICATE", "'§' == '§'", "'§' LIKE SELF", "SELF LIKE SELF",
        "SELF CONTAINS ''", "SELF == ''",
    ]

    static let letters = [
        "a", "b", "A", "B", "k", "\u{212A}", "é", "e\u{301}", "e", "É", "ß", "ss", "S", "\u{301}", "İ", "i", "ﬁ", "fi",
        "小",
        "が", "🤡", "각", "\u{1100}", "ς", "Σ", "/", "-", "aaaa", "bbbbbbbb", "https://clowntown.example/",
    ]

    static func word(_ length: ClosedRange<Int>, _ generator: inout SeededGenerator) -> String {
        (0..<Int.random(in: length, using: &generator)).map { _ in letters.randomElement(using: &generator) ?? "" }
            .joined()
    }

    /// Literals come from `words`, so that subjects made of them often make predicates true.
    static func text(_ depth: Int, _ words: [String], _ generator: inout SeededGenerator) -> String {
        let choice = depth == 0 ? 0 : Int.random(in: 0..<5, using: &generator)
        switch choice {
        case 0, 1:
            let parts = (patterns.randomElement(using: &generator) ?? "").split(
                separator: "§", omittingEmptySubsequences: false)
            return parts.dropFirst().reduce(into: String(parts[0])) { text, part in
                text += (words.randomElement(using: &generator) ?? "") + part
            }
        case 2: return "NOT (" + text(depth - 1, words, &generator) + ")"
        default:
            return (0..<Int.random(in: 2...3, using: &generator))
                .map { _ in "(" + text(depth - 1, words, &generator) + ")" }
                .joined(separator: choice == 3 ? " AND " : " OR ")
        }
    }

    /// A word, part of one, two of them, or one with something changed.
    static func subject(_ words: [String], _ generator: inout SeededGenerator) -> String? {
        let one = words.randomElement(using: &generator) ?? ""
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return nil
        case 1, 2: return one
        case 3: return one + (words.randomElement(using: &generator) ?? "")
        case 4: return word(0...2, &generator) + one + word(0...2, &generator)
        case 5: return String(one.unicodeScalars.dropFirst(Int.random(in: 0...1, using: &generator)))
        case 6: return Bool.random(using: &generator) ? one.uppercased() : one.lowercased()
        default: return word(0...4, &generator)
        }
    }

    @Test("tells the same as trying each of them", arguments: 0..<10 as Range<UInt64>)
    func equalsTrying(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var index = PredicateIndex()
        var inserted: [(number: Int32, predicate: ScenePredicate)] = []
        var found = 0
        for round in 0..<12 {
            let words = (0..<4).map { _ in Self.word(0...4, &generator) }
            for _ in 0..<30 {
                let predicate = try ScenePredicate(parsing: Self.text(2, words, &generator))
                let number = index.insert(predicate)
                #expect(index.predicate(number) == predicate, "seed \(seed): \(predicate)")
                inserted.append((number, predicate))
            }
            for _ in 0..<Int.random(in: 0..<25, using: &generator) where !inserted.isEmpty {
                let gone = inserted.remove(at: Int.random(in: 0..<inserted.count, using: &generator))
                index.remove(gone.number)
            }
            for _ in 0..<40 {
                let text = Self.subject(words, &generator)
                let subject = PredicateSubject(text)
                var numbers: [Int32] = []
                index.appendMatches(subject, to: &numbers)
                let expected = Set(inserted.filter { $0.predicate.evaluate(subject) }.map(\.number))
                found += expected.count
                #expect(numbers.count == Set(numbers).count, "seed \(seed), round \(round)")
                let missed = expected.subtracting(numbers).map { index.predicate($0).canonicalText }
                #expect(missed.isEmpty, "seed \(seed), round \(round): not found for \(text ?? "nil")")
                #expect(Set(numbers).subtracting(expected).isEmpty, "seed \(seed): false for \(text ?? "nil")")
            }
        }
        for one in inserted { index.remove(one.number) }
        #expect(index.unindexedCount == 0)
        #expect(found > 1_000, "the subjects hardly ever make a predicate true")
    }

    @Test("equal predicates have one number, until the last of them is removed")
    func shared() throws {
        var index = PredicateIndex()
        for text in ["SELF == 'a'", "SELF BEGINSWITH 'a' OR SELF == nil", "SELF != 'a'"] {
            let first = index.insert(try ScenePredicate(parsing: text))
            let second = index.insert(try ScenePredicate(parsing: text))
            #expect(first == second)
            index.remove(first)
            var numbers: [Int32] = []
            index.appendMatches(PredicateSubject(text.contains("!") ? "b" : "a"), to: &numbers)
            #expect(numbers.contains(first))
            index.remove(second)
            numbers = []
            index.appendMatches(PredicateSubject(text.contains("!") ? "b" : "a"), to: &numbers)
            #expect(!numbers.contains(first))
        }
    }

    @Test(
        "what has to be tried on every subject is counted",
        arguments: [
            ("SELF == 'a'", 0), ("SELF LIKE '*b*'", 0), ("SELF IN {'a', 'b'}", 0), ("FALSEPREDICATE", 0),
            ("SELF != 'a' AND SELF BEGINSWITH 'b'", 0), ("SELF == 'a' OR SELF CONTAINS[cd] 'é'", 0),
            ("SELF != 'a'", 1), ("NOT SELF == 'a'", 1), ("SELF < 'a'", 1), ("SELF LIKE '*'", 1), ("TRUEPREDICATE", 1),
            ("SELF == 'a' OR SELF != 'b'", 1), ("SELF IN 'abc'", 1),
        ])
    func unindexed(text: String, count: Int) throws {
        var index = PredicateIndex()
        let predicate = try ScenePredicate(parsing: text)
        _ = index.insert(predicate)
        #expect(index.unindexedCount == count)
        #expect(predicate.isUnindexed == (count > 0 && predicate != .always))
    }

    @Test("of several literals the one is looked up that fewer others have")
    func crowded() throws {
        var index = PredicateIndex()
        for number in 0..<200 {
            _ = index.insert(try ScenePredicate(parsing: "SELF LIKE 'https://clowntown.example/clowns/*/\(number)'"))
        }
        var numbers: [Int32] = []
        index.appendMatches(PredicateSubject("https://clowntown.example/clowns/x/77"), to: &numbers)
        #expect(
            numbers.map { index.predicate($0).canonicalText }.sorted() == [
                "SELF LIKE \"https://clowntown.example/clowns/*/77\""
            ])
    }

    @Test("conditions and subjects of the greatest length are found like others")
    func large() throws {
        var index = PredicateIndex()
        let stars = try ScenePredicate(parsing: "SELF LIKE '\(String(repeating: "*", count: 65_000))'")
        let terms = (0..<2_000).map { "SELF BEGINSWITH 'a\($0)'" }.joined(separator: " OR ")
        let many = try ScenePredicate(parsing: terms)
        let numbers = [stars, many].map { index.insert($0) }
        let subject = PredicateSubject("a1999" + String(repeating: "a", count: 16_000))
        for _ in 0..<100 {
            var found: [Int32] = []
            index.appendMatches(subject, to: &found)
            #expect(found.sorted() == numbers.sorted())
        }
        for number in numbers { index.remove(number) }
        #expect(index.unindexedCount == 0)
    }
}

@Suite("Numbers in an order")
struct OrderedNumbersTests {
    @Test("holds what an array would, in its order", arguments: 0..<6 as Range<UInt64>)
    func equalsArray(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var numbers = OrderedNumbers()
        var expected: Set<Int32> = []
        for _ in 0..<6_000 {
            let number = Int32.random(in: 0..<3_000, using: &generator)
            if Int.random(in: 0..<3, using: &generator) > 0 {
                numbers.insert(number) { $0 > number }
                expected.insert(number)
            } else {
                let wasThere = expected.remove(number) != nil
                let isTaken = numbers.remove(number) { $0 > number }
                #expect(isTaken == wasThere)
            }
        }
        let order = expected.sorted(by: >)
        var listed: [Int32] = []
        numbers.visit { listed.append($0) }
        #expect(listed == order, "seed \(seed)")
        #expect(numbers.count == order.count)
        #expect(numbers.first == order.first)
        #expect(numbers.first(leavingOut: order[0]) == order[1])
        listed = []
        numbers.append(to: &listed, limit: 700)
        #expect(listed == Array(order.prefix(700)))
    }
}

@Suite("Fingerprints and what they stand for")
struct FingerprintMapTests {
    @Test(
        "texts that differ in few places are spread: a look-up visits few entries",
        arguments: [
            "https://clowntown.example/clowns/%", "%", "%/messages", "00000000-0000-0000-0000-%", "aaaaaaaaaaaaaaaa%",
        ])
    func probes(pattern: String) {
        let parts = pattern.split(separator: "%", omittingEmptySubsequences: false)
        var map = FingerprintMap()
        let count: Int32 = 100_000
        for number in 0..<count {
            map.insert(number, for: "\(parts[0])\(number)\(parts[1])".fingerprint)
            // Half of them go again: what follows a gap is moved back.
            if number % 2 == 1 {
                map.remove(number / 2, for: "\(parts[0])\(number / 2)\(parts[1])".fingerprint)
            }
        }
        let probes = map.entries.indices.filter { map.entries[$0] != 0 }.map { place in
            let home = map.home(of: UInt32(truncatingIfNeeded: map.entries[place] >> 32))
            return (place - home + map.entries.count) % map.entries.count + 1
        }
        #expect(abs(probes.count - Int(count) / 2) < 10, "texts of the same fingerprint are many")
        // Linear probing of a table that is three quarters full: 2.5 on average, and runs of O(log n).
        #expect(probes.reduce(0, +) < 3 * probes.count)
        #expect(probes.max() ?? 0 < 200)
        for number in count / 2..<count {
            var found: [Int32] = []
            map.forEach("\(parts[0])\(number)\(parts[1])".fingerprint) { found.append($0) }
            #expect(found.contains(number))
        }
    }

    @Test("finds every number of a fingerprint after any changes", arguments: 0..<6 as Range<UInt64>)
    func equalsDictionary(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var map = FingerprintMap()
        var expected: [UInt32: Set<Int32>] = [:]
        for _ in 0..<20_000 {
            // Few fingerprints, and those at the ends of the space, so that they meet.
            let fingerprint = (UInt32.random(in: 0..<300, using: &generator) &* 0xFFFF_FFFF) | 1
            let number = Int32.random(in: 0..<50, using: &generator)
            if Bool.random(using: &generator) {
                map.insert(number, for: fingerprint)
                expected[fingerprint, default: []].insert(number)
            } else {
                map.remove(number, for: fingerprint)
                expected[fingerprint]?.remove(number)
            }
        }
        for (fingerprint, numbers) in expected {
            var found: [Int32] = []
            map.forEach(fingerprint) { found.append($0) }
            #expect(found.sorted() == numbers.sorted(), "seed \(seed)")
        }
    }
}
