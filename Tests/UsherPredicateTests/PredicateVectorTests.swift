import Testing
import UsherPredicate

/// The vectors: outcome, canonical text, and what follows from both.
struct PredicateVectorTests {
    @Test func allVectorsAreRead() throws {
        #expect(try PredicateVector.all().count == 484)
    }

    @Test(arguments: try PredicateVector.all())
    func yieldsTheExpectedOutcome(_ vector: PredicateVector) {
        var outcome = PredicateVector.Outcome.error("nothing")
        do throws(PredicateError) {
            let predicate = try ScenePredicate(parsing: vector.format)
            #expect(predicate.evaluate(PredicateSubject(vector.subject)) == predicate.evaluate(vector.subject))
            #expect(predicate.terms(for: vector.subject).first?.result == predicate.evaluate(vector.subject))
            if let canonical = vector.canonical {
                #expect(Array(predicate.canonicalText.utf8) == Array(canonical.utf8), "\(predicate.canonicalText)")
            }
            outcome = .value(predicate.evaluate(vector.subject))
            let reparsed = try ScenePredicate(parsing: predicate.canonicalText)
            #expect(reparsed == predicate)
            #expect(reparsed.evaluate(vector.subject) == predicate.evaluate(vector.subject))
        } catch {
            outcome = .error(error.kind == .unsupported ? "unsupported" : "parse-error")
            #expect(error.offset >= 0 && error.offset + error.length <= vector.format.utf8.count)
            #expect(!error.message.isEmpty)
        }
        #expect(outcome == vector.expected)
    }
}
