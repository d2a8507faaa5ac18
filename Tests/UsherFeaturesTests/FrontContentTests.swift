import EngineTestSupport
import Foundation
import Testing
import UsherActivation
import UsherJSON
import UsherOperation
import UsherScene
import UsherStore

/// What notes, links, reminders and the like are about: what the window in front shows, and nothing else.
struct FrontContentTests {
    private let fixture: ContentFixture
    private let desktop = ToldDesktop()

    /// Three windows: a clown, a document, and one of no app.
    init() throws {
        fixture = try ContentFixture()
        fixture.windowSystem = WindowSystems([desktop])
        try fixture.connect("clown-1", handle: "x11:0x1", server: "one")
        _ = try fixture.become("clown-1", "crusty")
        _ = try fixture.store.connect([
            Store.NewSession(
                id: "document-1", app: "example.orders", scene: "document",
                target: TargetContentIdentifier("file:///plan.pdf"), handle: "x11:0x2", handleServer: "one",
                title: "plan.pdf", isTargetRead: true)
        ])
        _ = try fixture.store.change(session: "document-1", .init(used: true))
    }

    private func inFront(_ number: Int?, server: String? = "one") {
        desktop.say(
            WindowList(
                server: server,
                windows: (1...3).map { other in
                    var window = WindowList.Window(handle: "x11:0x\(other)", title: "window \(other)", group: "1")
                    window.activation = other == number ? .foregroundActive : .foregroundInactive
                    return window
                }))
    }

    /// The identifiers that a new note is linked to, and what was said.
    private func note() throws -> (links: [String], warnings: [String]) {
        let answer = try fixture.perform("note.new", ["text": "about this", "activity": "current"])
        return (
            answer["links"]?.elements?.compactMap { $0["identifiers"]?.elements?.first?["identifier"]?.string } ?? [],
            answer.warnings
        )
    }

    @Test(
        "a note is linked to what the window in front shows, whatever was used last",
        arguments: [(1, "clown:crusty"), (2, "file:///plan.pdf"), (nil, "file:///plan.pdf")] as [(Int?, String)])
    func linked(window: Int?, identifier: String) throws {
        inFront(window)
        let (links, warnings) = try note()
        #expect(links == [identifier] && warnings.isEmpty)
        let link = try fixture.perform("link.add", ["note": "current", "from_current": true])
        #expect(link["link"]?["identifiers"]?.elements?.first?["identifier"]?.string == identifier)
        let reminder = try fixture.perform("reminder.new", ["text": "about this", "in": "2h"])
        #expect(reminder["target"]?.string == identifier && reminder.warnings.isEmpty)
    }

    @Test("where a window of no app is in front, nothing is linked to another window, and the reason is said")
    func unknown() throws {
        inFront(3)
        let (links, warnings) = try note()
        #expect(links.isEmpty)
        let warning = try #require(warnings.first)
        #expect(warning.contains("window 3") && warning.contains("--link") && warning.contains("activity.not-in-front"))
        let reminder = try fixture.perform("reminder.new", ["text": "about this", "in": "2h"])
        #expect(reminder["target"]?.string == nil && reminder["activity"]?.string == nil)
        #expect(reminder.warnings.first?.contains("window 3") == true)
        #expect(try fixture.perform("link.suggest", .object([]))["suggestions"]?.elements?.isEmpty == true)
        for (name, arguments) in [
            ("link.add", ["note": "current", "from_current": true]), ("activity.show", ["activity": "current"]),
        ] as [(String, JSONValue)] {
            let error = fixture.refusal(name, arguments)
            #expect(error?.code.name == "activity.not-in-front", "\(name)")
            #expect(error?.help?.contains("[browser]") == true, "\(name)")
        }
        #expect(fixture.refusal("perform.plan", ["verb": "place"])?.message.contains("window 3") == true)
    }

    @Test("a window with the handle of another server, and one that is not listed, are not in front")
    func otherServer() throws {
        inFront(1, server: "two")
        #expect(try note().links.isEmpty)
    }

    @Test("a session without a handle is in front with the window of its process")
    func process() throws {
        let programs = try (0..<2).map { _ in
            try Process.run(URL(fileURLWithPath: "/bin/sleep"), arguments: ["600"])
        }
        defer {
            for program in programs {
                // SIGTERM may be blocked in the tests, and so in what they start.
                kill(program.processIdentifier, SIGKILL)
                program.waitUntilExit()
            }
        }
        let (own, other) = (programs[0].processIdentifier, programs[1].processIdentifier)
        try fixture.connect("clown-2")
        let text = #"{"activityType":"example.clowntown.view-clown","targetContentIdentifier":"clown:bozo"}"#
        _ = try fixture.perform(
            "activity.become-current",
            [
                "session": "clown-2", "activity": .string(text),
                "process": .number(String(own)),
            ])
        func links(_ process: Int32) throws -> [String] {
            var window = WindowList.Window(handle: "x11:0x3", title: "window", group: "1")
            window.activation = .foregroundActive
            window.process = process
            desktop.say(WindowList(server: "one", windows: [window]))
            return try note().links
        }
        #expect(try links(own) == ["clown:bozo"])
        #expect(try links(getpid()) == ["clown:bozo"], "its parent has the window")
        #expect(try links(other) == [])
    }
}
