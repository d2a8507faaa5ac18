import Testing
import UsherPredicate
import UsherScene
import UsherTarget

@Suite("Sessions and what they are compared by")
struct SceneSessionTests {
    static func session(_ id: String, _ state: SceneSession.State, used: Int64?, created: Int64) -> SceneSession {
        SceneSession(id: id, app: "a", scene: "s", state: state, used: used, created: created)
    }

    /// In the order of choice.
    static let ordered = [
        session("d", .connected, used: 5, created: 1), session("c", .connecting, used: 4, created: 9),
        session("b", .connected, used: nil, created: 8), session("a", .connected, used: nil, created: 7),
        session("B", .connected, used: nil, created: 6), session("b2", .connected, used: nil, created: 6),
        session("z", .disconnected, used: 99, created: 99), session("y", .disconnected, used: nil, created: 1),
    ]

    @Test("the order is total: open, used, created, id by its bytes")
    func order() {
        for (first, one) in Self.ordered.enumerated() {
            for (second, other) in Self.ordered.enumerated() {
                #expect(SceneSession.precedes(one, other) == (first < second), "\(one.id) \(other.id)")
            }
        }
    }

    @Test("identifiers are equal by their bytes, not by their characters")
    func identifiers() {
        let composed = TargetContentIdentifier("caf\u{E9}")
        let decomposed = TargetContentIdentifier("cafe\u{301}")
        #expect(composed.text == decomposed.text, "Swift holds them equal")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
    }

    @Test(
        "whose a URL is",
        arguments: [
            ("https://a.example/x?y", "a.example", "/x?y"), ("HTTP://User:pw@A.Example:8080/", "a.example", "/"),
            ("https://a.example", "a.example", ""), ("https://a.example#f", "a.example", "#f"),
            ("https://[::1]:80/x", "[::1]:80", "/x"),
        ])
    func webHost(id: String, host: String, rest: String) {
        let found = TargetContentIdentifier(id).webHost
        #expect(found?.host == host)
        #expect(found.map { String($0.rest) } == rest)
    }

    @Test(
        "what is no web address", arguments: ["doc/9", "clown://a.example/", "https:///x", "https://", "", "ſttps://x"])
    func noWebHost(id: String) {
        #expect(TargetContentIdentifier(id).webHost == nil)
    }

    @Test("the alias list has the newest id first and each once")
    func aliases() {
        let ids = ["a", "b", "c"].map(TargetContentIdentifier.init)
        let moved = Redirection(
            hops: [.init(from: ids[0], to: ids[1], note: ""), .init(from: ids[1], to: ids[2], note: "")], end: .content)
        #expect(moved.aliases(of: ids[0]) == [ids[2], ids[1], ids[0]])
        #expect(Redirection.none.aliases(of: ids[0]) == [ids[0]])
    }
}

@Suite("Conditions of a new session")
struct SceneConditionsTests {
    static let location = SourceLocation(path: "x.toml", line: 1, column: 1)

    static func scene(can: String?, prefers: String?) throws -> SceneConfiguration {
        var scene = SceneConfiguration(name: "s", location: location)
        let variables: Set = ["TARGET", "CLOWN"]
        scene.canActivate = try can.map {
            Located(try ScenePredicateTemplate(parsing: $0, variables: variables), at: location)
        }
        scene.prefersToActivate = try prefers.map {
            Located(try ScenePredicateTemplate(parsing: $0, variables: variables), at: location)
        }
        return scene
    }

    static let template = try? URITemplate("https://clowntown.example/clowns/{clown}")

    @Test("$TARGET and the template's parameters are filled in as values")
    func filled() throws {
        let scene = try Self.scene(can: "SELF ENDSWITH $CLOWN", prefers: "SELF == $TARGET")
        let target = TargetContentIdentifier("https://clowntown.example/clowns/cr%22usty")
        let made = scene.conditions(for: target, template: Self.template)
        #expect(made.unfilled.isEmpty)
        #expect(made.conditions.canActivate.predicate.canonicalText == #"SELF ENDSWITH "cr\"usty""#)
        #expect(made.conditions.prefersToActivate.predicate.evaluate(target.text))
        #expect(made.conditions.canActivate.origin == .configuration)
    }

    @Test("a target that does not match the template binds $TARGET only")
    func noMatch() throws {
        let scene = try Self.scene(can: "SELF ENDSWITH $CLOWN", prefers: "SELF == $TARGET")
        let made = scene.conditions(for: TargetContentIdentifier("doc/9"), template: Self.template)
        #expect(made.unfilled == ["can"])
        #expect(made.conditions.canActivate.predicate == .never)
        #expect(made.conditions.prefersToActivate.predicate.evaluate("doc/9"))
    }

    @Test("without a target a condition that uses one is false; one that uses none stays")
    func noTarget() throws {
        let scene = try Self.scene(can: "SELF BEGINSWITH \"x\"", prefers: "SELF == $TARGET")
        let made = scene.conditions(for: nil, template: Self.template)
        #expect(made.unfilled == ["prefers"])
        #expect(made.conditions.canActivate.predicate.evaluate("xy"))
        #expect(scene.needsTarget)
    }

    @Test("the defaults are can anything, prefer nothing")
    func defaults() throws {
        let made = try Self.scene(can: nil, prefers: nil).conditions(for: nil, template: nil)
        #expect(made.conditions.canActivate.predicate == .always)
        #expect(made.conditions.prefersToActivate.predicate == .never)
        #expect(made.conditions.canActivate.origin == .default)
    }
}
