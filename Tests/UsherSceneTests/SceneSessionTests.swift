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

    @Test("many that change at once end where each alone would", arguments: [0, 1, 16, 17, 300])
    func many(_ count: Int) {
        var before: [SceneSession] = []
        var changed: [SceneSession] = []
        for number in 0..<200 {
            before.append(
                SceneSession(id: "s-\(number)", app: "app-\(number % 3)", scene: "s", created: Int64(number)))
        }
        for number in 0..<count {
            // Old ones, new ones, and some of them twice.
            var session = SceneSession(
                id: "s-\(number * 7 % 250)", app: "app-\(number * 7 % 250 % 3)", scene: "s", created: Int64(number))
            session.state = number % 5 == 0 ? .disconnected : .connected
            session.used = number % 2 == 0 ? Int64(number) : nil
            changed.append(session)
        }
        // Two ids that are equal to Swift's strings.
        changed.append(SceneSession(id: "caf\u{e9}", app: "app-0", scene: "s", created: 1))
        changed.append(SceneSession(id: "cafe\u{301}", app: "app-0", scene: "s", created: 2))
        var expected = SessionTable(before)
        for session in changed { expected.update(session) }
        var table = SessionTable(before)
        table.update(changed)
        for app in ["app-0", "app-1", "app-2"] {
            #expect(
                table.sessions(of: app).map { "\($0.id) \($0.created)" }
                    == expected.sessions(of: app).map { "\($0.id) \($0.created)" })
        }
    }

    @Test("a table keeps the order through updates and removals")
    func table() {
        var table = SessionTable(Self.ordered.reversed())
        #expect(table.sessions(of: "a").map(\.id) == Self.ordered.map(\.id))
        var moved = Self.ordered[3]
        moved.used = 50
        table.update(moved)
        #expect(table.sessions(of: "a").first?.id == "a")
        #expect(table.count == Self.ordered.count)
        table.remove(id: "a", app: "a")
        #expect(table.session(id: "a") == nil)
        #expect(table.session(id: "z", app: "a")?.used == 99)
        #expect(table.session(id: "z", app: "b") == nil)
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

@Suite("Diagnostic codes")
struct DiagnosticCodeTests {
    @Test("codes and names are one to one, and well formed")
    func codes() {
        let all = DiagnosticCode.all
        #expect(Set(all.map(\.code)).count == all.count)
        #expect(Set(all.map(\.name)).count == all.count)
        #expect(all.allSatisfy { $0.code.utf8.count == 5 && $0.code.hasPrefix("U") && $0.name.contains(".") })
    }
}
