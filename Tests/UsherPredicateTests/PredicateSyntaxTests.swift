import Testing
import UsherPredicate

/// The whole grammar parses, whatever scene conditions make of it.
struct PredicateSyntaxTests {
    @Test(arguments: [
        "1 + 2 * 3 ** 4 - -5 / 6 == 7", "a.b.@max.c[FIRST] != x[ SIZE ]", "a[b[0]][LAST] = 'x'",
        "max({1, 2.5, 1e-3}) > 0b11",
        "SUBQUERY(a, $x, $x.b == 1 AND NOT $x.c IN {1}).@count > 0", "TERNARY(a == b, 'x', {}) == nil",
        "multiply:by:(5, 3) == 15", "now() >= %ld", "$x := a.b == 3", "a | b & c ^ ~d << 2 >> 1 == %1$@",
        "SELF respondsTo: 'x' OR BLOCKPREDICATE(1) == %K", "FUNCTION(SELF, 'f:', 1, {}) UTI-CONFORMS-TO 'x'",
        "ANY a.b ==[cdln] 'x'", "#SELF.#in == FETCH(a)", "CAST('1', 'N') BETWEEN {1, (2)}", "((1)) == ((a).b)",
    ])
    func acceptsAllOfIt(_ text: String) throws {
        let syntax = try PredicateSyntax(parsing: text)
        #expect(!syntax.children(of: syntax.root).isEmpty)
        let error = try #require(throws: PredicateError.self) { try ScenePredicate(parsing: text) }
        #expect(error.kind == .unsupported)
    }

    @Test func chainsBecomeOneNode() throws {
        let syntax = try PredicateSyntax(parsing: "a == 1 AND b == 2 AND c == 3 OR d == 4 OR (e == 5 OR f == 6)")
        #expect(syntax.nodes[syntax.root].kind == .or)
        let parts = syntax.children(of: syntax.root)
        #expect(parts.map { syntax.nodes[$0].kind == .and } == [true, false, false])
        #expect(syntax.children(of: parts[0]).count == 3)
        #expect(syntax.nodes[parts[2]].kind == .or)
    }

    @Test func arithmeticBindsByPrecedence() throws {
        let syntax = try PredicateSyntax(parsing: "1 + 2 * 3 == 4")
        let sum = syntax.children(of: syntax.root)[0]
        #expect(syntax.children(of: sum).map { syntax.nodes[$0].kind } == [.number, .arithmetic])
        #expect(syntax.name(of: syntax.children(of: sum)[0]) == "1")
    }
}
