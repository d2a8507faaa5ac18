import EngineTestSupport
import Foundation
import Glibc
import TestSupport
import Testing
import UsherActivation
import UsherFeatures
import UsherJSON
import UsherLog
import UsherPayload
import UsherScene
import UsherStore

@testable import UsherEngine

/// Programs that come and go while an engine runs.
struct MissingProgramTests {
    /// An engine that goes on, as a daemon's does, and a program of the app's own.
    private final class Desk {
        let fixture: DispatchFixture
        private let store: Store
        private let engine: Engine

        var program: String { fixture.folder + "/clown" }

        init(website: Bool) throws {
            fixture = try DispatchFixture()
            try FileManager.default.createDirectory(atPath: fixture.folder, withIntermediateDirectories: true)
            let name = fixture.folder + "/clown"
            for place in fixture.app.scenes.indices {
                fixture.app.scenes[place].launch?.command = DispatchFixture.command(name, "--", "{target}")
            }
            if website { fixture.app.website = Located(true, at: DispatchFixture.location) }
            fixture.app.openWeb = DispatchFixture.command("true", "{url}")
            store = try fixture.openStore()
            engine = try fixture.engine(store)
        }

        deinit {
            engine.waitUntilIdle()
            store.close()
        }

        func install() throws {
            try Program.copy("/usr/bin/true", to: program)
        }

        func uninstall() throws { try FileManager.default.removeItem(atPath: program) }

        func open(_ target: String) throws -> JSONValue {
            let record = Locked<String?>(nil)
            var arrival = Daemon.arrival(DispatchFixture.push(target))
            arrival.events.finished = { told in record.with { $0 = told.json } }
            #expect(engine.submit([arrival]))
            engine.waitUntilIdle()
            return try JSONValue(parsing: Array((record.with { $0 } ?? "").utf8))
        }

        var sessions: [SceneSession] { get throws { try store.sessions().sessions } }
    }

    @Test("a program that is gone when it is to be launched: the web page, and no session")
    func goneMeanwhile() throws {
        let desk = try Desk(website: true)
        try desk.install()
        #expect(try desk.open(DispatchFixture.crusty).summary("action", "outcome") == "launch verified")
        try desk.uninstall()
        let record = try desk.open(DispatchFixture.bozo)
        #expect(record.summary("action", "reason") == "open-web web-fallback", "\(record.text())")
        #expect(try desk.sessions.count == 1)
        // It is known from now on.
        #expect(try desk.open(DispatchFixture.bozo).summary("action", "reason") == "open-web web-fallback")
    }

    @Test("a program that is there again is launched")
    func thereAgain() throws {
        let desk = try Desk(website: true)
        #expect(try desk.open(DispatchFixture.crusty).summary("action", "reason") == "open-web web-fallback")
        try desk.install()
        let record = try desk.open(DispatchFixture.crusty)
        #expect(record.summary("action", "reason", "outcome") == "launch opens verified", "\(record.text())")
    }

    @Test("a session that would be launched again stays, disconnected")
    func disconnectedSession() throws {
        let desk = try Desk(website: true)
        try desk.install()
        let session = try desk.open(DispatchFixture.crusty)["session"]?.string ?? ""
        let handle = try desk.sessions.first?.handle ?? ""
        let other = try Store(directory: desk.fixture.folder, access: .readWrite, features: .all)
        _ = try other.change(
            session: session, .init(state: .disconnected, handle: .some(nil), handleServer: .some(nil)))
        other.close()
        desk.fixture.windows.close(handle)
        try desk.uninstall()
        #expect(try desk.open(DispatchFixture.crusty).summary("action", "reason") == "open-web web-fallback")
        #expect(try desk.sessions.map(\.state) == [.disconnected])
        try desk.install()
        let record = try desk.open(DispatchFixture.crusty)
        #expect(record.summary("action", "session", "reason") == "launch \(session) prefers", "\(record.text())")
    }

    @Test("without a web page it is an error that says what to install")
    func withoutPage() throws {
        let desk = try Desk(website: false)
        let record = try desk.open(DispatchFixture.crusty)
        #expect(record["error"]?["name"]?.string == "resolution.not-installed")
        #expect(record["error"]?["message"]?.string?.contains(desk.program) == true)
        #expect(try desk.sessions.isEmpty)
    }
}
