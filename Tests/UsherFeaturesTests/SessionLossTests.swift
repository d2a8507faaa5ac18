import EngineTestSupport
import Foundation
import Testing
import UsherActivities
import UsherEngine
import UsherJSON
import UsherNotes
import UsherOperation
import UsherScene
import UsherStore

/// Sessions whose process has ended, where no daemon heard of it.
struct SessionLossTests {
    @Test("those that run, or have no process, stay; the others are disconnected, or shown so by a read-only process")
    func ended() throws {
        let fixture = try ContentFixture()
        let gone = Process()
        gone.executableURL = URL(fileURLWithPath: "/bin/sleep")
        gone.arguments = ["600"]
        try gone.run()
        for (session, process) in [("own", getpid()), ("gone", gone.processIdentifier)] {
            try fixture.connect(session)
            let text = #"{"activityType":"example.clowntown.view-clown","targetContentIdentifier":"clown:1"}"#
            _ = try fixture.perform(
                "activity.become-current",
                ["session": .string(session), "activity": .string(text), "process": .number(String(process))])
        }
        try fixture.connect("without")
        kill(gone.processIdentifier, SIGKILL)
        gone.waitUntilExit()

        var seen = try fixture.store.sessions()
        try seen.noteEnded(in: fixture.store) { nil }
        let states = Dictionary(uniqueKeysWithValues: seen.sessions.map { ($0.id, $0.state) })
        #expect(states == ["own": .connected, "gone": .disconnected, "without": .connected])
        #expect(try fixture.store.session(id: "gone")?.state == .connected)

        // What the user looks at is what is left.
        let suggested = try LinkedNotes.now(in: fixture.store, targets: [])
        #expect(suggested.activity == (try fixture.store.activity(ofSession: "own")?.id))

        try fixture.store.loseEndedSessions()
        #expect(try fixture.store.session(id: "gone")?.state == .disconnected)
        #expect(try fixture.store.activity(ofSession: "gone")?.state == .kept)
        #expect(try fixture.store.session(id: "own")?.state == .connected)
    }

    @Test("a process of another store's session of the same name is not this session's")
    func otherStore() throws {
        let fixture = try ContentFixture()
        let other = try ContentFixture()
        let session = "note-\(getpid())"
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "/bin/sleep")
        program.arguments = ["600"]
        program.environment = ["USHER_SESSION": session, "USHER_STATE": other.store.stateFolder + "/."]
        try program.run()
        defer {
            kill(program.processIdentifier, SIGKILL)
            program.waitUntilExit()
        }
        #expect(SessionLoss.survivor(of: session, in: fixture.store.stateFolder) == nil)
        #expect(
            SessionLoss.survivor(of: session, in: other.store.stateFolder)?.pid == Int32(program.processIdentifier))
    }

    @Test("an activity whose time is over is neither linked to nor suggested for")
    func expired() throws {
        let fixture = try ContentFixture()
        try fixture.connect("a")
        _ = try fixture.perform("note.new", ["text": "Ask Crusty", "links": ["clown:crusty"]])
        try fixture.become("a", "crusty")
        #expect(try fixture.perform("link.suggest", .object([]))["suggestions"]?.elements?.count == 1)
        try fixture.become("a", "crusty", more: #","expirationDate":"2020-01-01T00:00:00Z""#)
        #expect(try fixture.perform("link.suggest", .object([]))["suggestions"]?.elements?.count == 0)
        #expect(
            fixture.refusal("link.add", ["note": "current", "from_current": true])?.code.name == "activity.none")
    }
}
