import StoreTestSupport
import Testing
import UsherPredicate
import UsherScene

@testable import UsherStore

@Suite struct SessionsTests {
    let folder = TemporaryDirectory()

    @Test func everyFieldComesBackAsItWasConnected() throws {
        let store = try folder.open()
        let target = "https://clowntown.example/clowns/cru\u{0301}\u{0000}sty\u{1F921}"
        let new = Store.NewSession(
            id: "id-\u{e9}", app: "example.clowntown", scene: "clown", role: SceneRole(rawValue: "external"),
            target: TargetContentIdentifier(target),
            conditions: ActivationConditions(
                canActivate: .init(equals("a"), origin: .session),
                prefersToActivate: .init(equals("b"), origin: .configuration)),
            state: .connecting, handle: "@3", handleServer: "/tmp/tmux,1", title: "Crusty")
        let made = try #require(try store.connect([new]).first)
        let read = try #require(try store.session(id: "id-\u{e9}"))
        for session in [made, read] {
            #expect(session.id == "id-\u{e9}")
            #expect(session.app == "example.clowntown")
            #expect(session.scene == "clown")
            #expect(session.role.rawValue == "external")
            #expect(session.target == TargetContentIdentifier(target))
            #expect(session.conditions.canActivate.predicate == equals("a"))
            #expect(session.conditions.canActivate.origin == .session)
            #expect(session.conditions.prefersToActivate.predicate == equals("b"))
            #expect(session.conditions.prefersToActivate.origin == .configuration)
            #expect(session.state == .connecting)
            #expect(session.used == nil)
            #expect(session.created == made.created)
            #expect(session.generation == 1)
            #expect(session.handle == "@3")
            #expect(session.handleServer == "/tmp/tmux,1")
            #expect(session.title == "Crusty")
        }
    }

    @Test(
        "a window that another session has is taken over, and that session is disconnected",
        arguments: ["connect", "reconnect", "change"])
    func takeover(way: String) throws {
        let store = try folder.open()
        func window(_ id: String, _ handle: String?, _ server: String?) -> Store.NewSession {
            var new = Store.NewSession.main(id: id)
            (new.handle, new.handleServer) = (handle, server)
            return new
        }
        _ = try store.connect([
            window("a", "@1", "s"), window("b", "@1", "t"), window("c", nil, nil), window("d", "@1", nil),
        ])
        // One that does not know its server may mean any.
        _ = try store.connect([window("a", "@1", "s")])
        #expect(try store.session(id: "d")?.handle == nil)
        let generation = try store.generation()
        switch way {
        case "connect": _ = try store.connect([window("new", "@1", "s")])
        case "reconnect": _ = try store.connect([window("c", "@1", "s")])
        default: _ = try store.change(session: "c", .init(handle: .some("@1"), handleServer: .some("s")))
        }
        let lost = try #require(try store.session(id: "a"))
        #expect(lost.state == .disconnected && lost.handle == nil && lost.handleServer == nil)
        #expect(try store.generation() == generation + 1 && lost.generation == generation + 1)
        #expect(try store.session(id: way == "connect" ? "new" : "c")?.handle == "@1")
        #expect(try store.session(id: "b")?.handle == "@1", "of another server")
        // Its own window belongs to no other session.
        _ = try store.change(session: "b", .init(handle: .some("@1"), handleServer: .some("t")))
        #expect(try store.session(id: "b")?.state == .connected)
    }

    @Test(
        "sessions have a limited number of different conditions that no index finds",
        arguments: ["connect", "reconnect", "change", "evidence"])
    func unindexedConditions(way: String) throws {
        let store = try folder.open { $0.unindexedConditions = 2 }
        func session(_ id: String, _ text: String) throws -> Store.NewSession {
            var new = Store.NewSession.main(id: id)
            new.conditions.canActivate = .init(try ScenePredicate(parsing: text), origin: .session)
            return new
        }
        _ = try store.connect([
            session("a", "SELF != 'a'"), session("b", "NOT SELF == 'b'"), session("c", "SELF == 'c'"),
        ])
        // One that is there already, and those that are indexed, do not count.
        _ = try store.connect([
            session("d", "SELF != 'a'"), session("e", "SELF LIKE 'e*'"), session("f", "TRUEPREDICATE"),
        ])
        let generation = try store.generation()
        if way == "evidence" {
            // A delivery's evidence keeps a condition that no session has: it counts only for the session that gets it.
            try folder.sql("INSERT INTO condition (text) VALUES ('SELF != \"x\"')")
        }
        let error = #expect(throws: StoreError.self) {
            switch way {
            case "change":
                let condition = ActivationConditions.Condition(
                    try ScenePredicate(parsing: "SELF < 'x'"), origin: .session)
                _ = try store.change(session: "c", .init(prefersToActivate: condition))
            case "evidence": _ = try store.connect([session("new", "SELF != 'x'")])
            default: _ = try store.connect([session(way == "connect" ? "new" : "c", "SELF < 'x'")])
            }
        }
        #expect(error?.code == .storeConditions)
        #expect(error?.message == "the sessions have 2 different conditions that no index finds")
        #expect(try store.generation() == generation && store.session(id: "new") == nil, "nothing is changed")
        // When a session that had one is gone, there is room for another.
        try store.end(session: "b")
        _ = try store.connect([session("new", "SELF != 'x'")])
        #expect(try folder.number("SELECT count(*) FROM condition WHERE is_unindexed = 1") == 3)
    }

    @Test(
        "of windows with one number, each client's is another one",
        arguments: [("s#8", ["a", "other"]), ("s#7", ["other"]), ("s", ["other"]), ("", ["a", "other"])])
    func clients(server: String, keeping: [String]) throws {
        let store = try folder.open()
        func window(_ id: String, _ server: String?) -> Store.NewSession {
            var new = Store.NewSession.main(id: id)
            (new.handle, new.handleServer) = ("x11:0x1", server)
            return new
        }
        _ = try store.connect([window("a", "s#7"), window("other", "t#7")])
        _ = try store.connect([window("new", server.isEmpty ? nil : server)])
        #expect(
            try store.sessions().sessions.filter { $0.handle != nil }.map(\.id).sorted() == (keeping + ["new"]).sorted()
        )
        // Which client's window is meant is not known of the second: it is meant by every one.
        _ = try store.connect([window("b", "s")])
        _ = try store.connect([window("c", "s#9")])
        let holders = try store.sessions().sessions.filter { $0.handleServer?.hasPrefix("s") ?? false }
        #expect(holders.map(\.id) == ["c"])
    }

    @Test func noTwoSessionsHaveOneWindow() throws {
        let store = try folder.open()
        var first = Store.NewSession.main(id: "a")
        first.handle = "@1"
        _ = try store.connect([first, .main(id: "b")])
        #expect(throws: StoreError.self) { try folder.sql("UPDATE session SET handle = '@1' WHERE id = 'b'") }
    }

    @Test func numbersCountByAppAndSceneAndAreNeverGivenTwice() throws {
        let store = try folder.open()
        let first = try store.connect([.clown("a"), .main(), .clown("b")]).map(\.id)
        #expect(first == ["clown-1", "main-1", "clown-2"])
        #expect(try store.end(session: "clown-2"))
        #expect(try store.connect([.clown("c")]).map(\.id) == ["clown-3"])
        // Another app counts for itself, past the ids that are taken.
        #expect(try store.connect([.clown("a", app: "other")]).map(\.id) == ["clown-2"])
        #expect(try store.connect([.clown("b", app: "other")]).map(\.id) == ["clown-4"])
    }

    @Test func createdIsNeverTheSameTwice() throws {
        let store = try folder.open { $0.now = { 5000 } }
        #expect(try store.connect([.main(), .main(), .main()]).map(\.created) == [5000, 5001, 5002])
    }

    @Test func usedIsLaterThanEveryUseBefore() throws {
        let store = try folder.open { $0.now = { 5000 } }
        _ = try store.connect([.main(), .main()])
        #expect(try store.change(session: "main-1", .init(used: true))?.used == 5000)
        #expect(try store.change(session: "main-2", .init(used: true))?.used == 5001)
        #expect(try store.change(session: "main-1", .init(used: true))?.used == 5002)
        // Nor does the end of a session let another one be used at the same time.
        #expect(try store.end(session: "main-1"))
        #expect(try store.change(session: "main-2", .init(used: true))?.used == 5003)
    }

    @Test func everyChangeBumpsTheGeneration() throws {
        let store = try folder.open()
        #expect(try store.generation() == 0)
        _ = try store.connect([.clown("a"), .main()])
        #expect(try store.sessions().sessions.map(\.generation) == [1, 1])
        let condition = ActivationConditions.Condition(equals("z"), origin: .session)
        let changes: [Store.SessionChange] = [
            .init(state: .disconnected), .init(used: true), .init(canActivate: condition),
            .init(prefersToActivate: condition), .init(handle: "@1"), .init(handleServer: "s"), .init(title: "t"),
        ]
        for (index, change) in changes.enumerated() {
            #expect(try store.change(session: "main-1", change)?.generation == Int64(index + 2))
        }
        #expect(try store.generation() == 8)
        #expect(try store.end(session: "clown-1"))
        #expect(try store.generation() == 9)
        #expect(try store.sessions().generation == 9)
        // What changes nothing bumps nothing.
        #expect(try store.change(session: "nobody", .init(used: true)) == nil)
        #expect(try store.end(session: "nobody") == false)
        #expect(try store.connect([]).isEmpty)
        #expect(try store.generation() == 9)
    }

    @Test func nothingChangesOnAViewThatIsOutOfDate() throws {
        let store = try folder.open()
        var new = Store.NewSession.main()
        new.handle = "@1"
        let seen = try #require(try store.connect([new, .main()]).first)
        let other = try #require(try store.session(id: "main-2"))
        #expect(try store.change(session: "main-1", .init(title: "t", ifStill: seen)) != nil)
        // A window that another session has is not taken.
        #expect(try store.change(session: "main-2", .init(handle: "@1", ifStill: other)) == nil)
        new.found = .init(generation: nil)
        #expect(try store.connect([new]).isEmpty)
        new.handle = "@2"
        new.id = "main-1"
        new.found = .init(generation: seen.generation)
        #expect(try store.connect([new]).isEmpty)
        for change in [Store.SessionChange(state: .disconnected), .init(handle: "@3"), .init(handleServer: "s")] {
            _ = try store.change(session: "main-1", change)
            let generation = try store.generation()
            #expect(try store.change(session: "main-1", .init(title: "u", ifStill: seen)) == nil)
            #expect(try store.end(session: "main-1", ifStill: seen) == false)
            #expect(try store.generation() == generation)
            _ = try store.change(
                session: "main-1", .init(state: .connected, handle: "@1", handleServer: .some(nil)))
        }
        #expect(try store.end(session: "main-1", ifStill: seen))
        // Of a scene that is being launched nothing is found.
        _ = try store.change(session: "main-2", .init(state: .connecting))
        new.id = nil
        new.found = .init(generation: nil)
        #expect(try store.connect([new]).isEmpty)
        _ = try store.change(session: "main-2", .init(state: .connected))
        #expect(try store.connect([new]).map(\.handle) == ["@2"])
    }

    @Test func aChangeLeavesTheRestAlone() throws {
        let store = try folder.open()
        var new = Store.NewSession.clown("a")
        (new.handle, new.handleServer, new.title) = ("@1", "server", "A")
        _ = try store.connect([new])
        _ = try store.change(session: "clown-1", .init(state: .disconnected, handle: .some(nil)))
        let session = try #require(try store.session(id: "clown-1"))
        #expect(session.state == .disconnected)
        #expect(session.handle == nil)
        #expect(session.handleServer == "server")
        #expect(session.title == "A")
        #expect(session.target == new.target)
        #expect(session.conditions.canActivate.predicate == new.conditions.canActivate.predicate)
        #expect(session.conditions.canActivate.origin == .configuration)
    }

    @Test func connectingAnExistingIDConnectsItAgain() throws {
        let store = try folder.open()
        _ = try store.connect([.clown("a", id: "mine")])
        _ = try store.change(session: "mine", .init(state: .disconnected, used: true, title: "A"))
        let before = try #require(try store.session(id: "mine"))
        var again = Store.NewSession(app: "example.clowntown", scene: "clown")
        (again.id, again.handle) = ("mine", "@9")
        again.conditions.canActivate = .init(equals("b"), origin: .session)
        let after = try #require(try store.connect([again]).first)
        #expect(after.state == .connected)
        #expect(after.handle == "@9")
        #expect(after.conditions.canActivate.predicate == equals("b"))
        #expect(after.conditions.prefersToActivate.predicate == .never)
        #expect(after.target == before.target)
        #expect(after.title == "A")
        #expect(after.created == before.created)
        #expect(after.used == before.used)
        #expect(try store.sessions().sessions.count == 1)
    }

    @Test(arguments: [("other.app", "clown"), ("example.clowntown", "main")])
    func anIDOfAnotherAppOrSceneIsTaken(app: String, scene: String) throws {
        let store = try folder.open()
        _ = try store.connect([.clown("a", id: "mine")])
        let error = storeError {
            _ = try store.connect([.main(id: "new"), Store.NewSession(id: "mine", app: app, scene: scene)])
        }
        #expect(error?.code == .storeSessionTaken)
        // All or none.
        #expect(try store.sessions().sessions.map(\.id) == ["mine"])
        #expect(try store.generation() == 1)
    }

    @Test func idsCompareByTheirBytes() throws {
        let store = try folder.open()
        _ = try store.connect([.main(id: "caf\u{e9}")])
        #expect(try store.session(id: "cafe\u{301}") == nil)
        #expect(try store.session(id: "CAF\u{e9}") == nil)
        _ = try store.connect([.main(id: "cafe\u{301}")])
        #expect(try store.sessions().sessions.count == 2)
        #expect(try store.end(session: "cafe\u{301}"))
        #expect(try store.session(id: "caf\u{e9}") != nil)
    }

    @Test func oneAppsSessionsOnly() throws {
        let store = try folder.open()
        _ = try store.connect([.main(), .clown("a", app: "other"), .main()])
        #expect(try store.sessions(app: "other").sessions.map(\.id) == ["clown-1"])
        #expect(try store.sessions(app: "example.clowntown").sessions.map(\.id) == ["main-1", "main-2"])
        #expect(try store.sessions(app: "nobody").sessions.isEmpty)
    }

    @Test func equalConditionsAreStoredOnce() throws {
        let store = try folder.open()
        _ = try store.connect((0..<20).map { _ in .main() } + (0..<20).map { _ in .clown("a") })
        // TRUEPREDICATE, FALSEPREDICATE and the clown's.
        #expect(try folder.number("SELECT count(*) FROM condition") == 3)
        // Of canonically equivalent texts each is its own.
        _ = try store.connect([.clown("\u{e9}"), .clown("e\u{301}")])
        #expect(try folder.number("SELECT count(*) FROM condition") == 5)
    }

    @Test func aSecondStoreSeesTheConditionsOfTheFirst() throws {
        let first = try folder.open()
        let second = try folder.open()
        _ = try first.connect([.clown("a")])
        #expect(try second.sessions().sessions.count == 1)
        _ = try first.connect([.clown("b"), .clown("c")])
        let read = try second.sessions().sessions
        #expect(read.map { $0.target?.text.last } == ["a", "b", "c"])
        #expect(read.allSatisfy { $0.conditions.canActivate.predicate == equals($0.target?.text ?? "") })
    }

    @Test func connectIsRolledBackWithItsConditions() throws {
        let store = try folder.open()
        _ = try store.connect([.main(id: "taken")])
        _ = storeError {
            _ = try store.connect([.clown("x"), Store.NewSession(id: "taken", app: "other", scene: "main")])
        }
        _ = try store.connect([.clown("y")])
        #expect(
            try store.session(id: "clown-1")?.conditions.canActivate.predicate
                == .some(
                    equals("https://clowntown.example/clowns/y")))
    }
}
