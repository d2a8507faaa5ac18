import TestSupport
import Testing
import UsherPredicate

/// Anything may be given to the parser; what it accepts, it prints, and what it prints, it accepts.
struct PredicateFuzzTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func randomPredicatesRoundTrip(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<400 {
            let text = RandomPredicate.text(depth: 4, using: &generator)
            let predicate = try ScenePredicate(parsing: text)
            let canonical = predicate.canonicalText
            let again = try ScenePredicate(parsing: canonical)
            #expect(again == predicate, "\(text)")
            #expect(again.canonicalText.utf8.elementsEqual(canonical.utf8), "\(text)")
            for _ in 0..<4 {
                let subject =
                    Int.random(in: 0..<9, using: &generator) == 0 ? nil : RandomPredicate.word(using: &generator)
                let value = predicate.evaluate(subject)
                #expect(again.evaluate(subject) == value, "\(text)")
                #expect(predicate.evaluate(PredicateSubject(subject)) == value, "\(text)")
                #expect(predicate.terms(for: subject)[0].result == value, "\(text)")
            }
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func randomTokensNeverTrap(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2500 {
            let count = Int.random(in: 1...14, using: &generator)
            var text = ""
            for _ in 0..<count {
                text += RandomPredicate.tokens.randomElement(using: &generator) ?? ""
                if Bool.random(using: &generator) { text += " " }
            }
            check(text)
        }
    }

    @Test func randomBytesNeverTrap() {
        var generator = SeededGenerator(seed: 99)
        for _ in 0..<10000 {
            let count = Int.random(in: 0...24, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            check(String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test func everyPrefixAndEveryDeletionIsAnswered() {
        let text =
            "NOT ANY {'a\\u00e9', \"b\"} BEGINSWITH[cd] SELF AND (SELF.x[LAST] MATCHES 'é' OR f(1, $y) <= -2.5e3)"
        let characters = Array(text)
        for index in characters.indices {
            check(String(characters[..<index]))
            check(String(characters[index...]))
            check(String(characters[..<index] + characters[(index + 1)...]))
        }
    }

    private func check(_ text: String) {
        do throws(PredicateError) {
            let predicate = try ScenePredicate(parsing: text)
            let again = try ScenePredicate(parsing: predicate.canonicalText)
            #expect(again == predicate, "\(text)")
            _ = predicate.evaluate("é")
        } catch {
            #expect(error.offset >= 0 && error.length >= 0 && error.offset + error.length <= text.utf8.count, "\(text)")
            #expect(!error.message.isEmpty && !error.code.isEmpty)
        }
    }
}
