import Foundation
import Glibc
import Testing
import UsherActivation
import UsherDispatch
import UsherJSON
import UsherLog
import UsherPayload
import UsherScene
import UsherStore

/// Programs that come and go while a dispatcher runs.
struct MissingProgramTests {
    /// A dispatcher that goes on, as a daemon's does, and a program of the app's own.
    private final class Desk {
        let fixture: DispatchFixture
        private let store: Store
        private let dispatcher: Dispatcher
        private let output: String
        private let descriptor: Int32
        private var count = 0

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
            output = fixture.folder + "-records-\(UUID().uuidString)"
            _ = FileManager.default.createFile(atPath: output, contents: nil)
            descriptor = Glibc.open(output, O_WRONLY)
            var options = Dispatcher.Options(source: "test")
            options.outputDescriptor = descriptor
            dispatcher = try Dispatcher(
                configuration: Configuration(apps: [fixture.app]), store: store,
                activator: Activator(
                    windowSystem: fixture.windows, environment: ["PATH": "/usr/bin:/bin", "HOME": fixture.folder],
                    stateDirectory: fixture.folder),
                logger: Logger(level: .debug, sink: fixture.log), options: options)
        }

        deinit {
            _ = dispatcher.finish()
            store.close()
            Glibc.close(descriptor)
            try? FileManager.default.removeItem(atPath: output)
        }

        func install() throws {
            try FileManager.default.copyItem(atPath: "/usr/bin/true", toPath: program)
        }

        func uninstall() throws { try FileManager.default.removeItem(atPath: program) }

        func open(_ target: String) throws -> JSONValue {
            let line = Array(DispatchFixture.push(target).utf8)
            var reader = PayloadReader()
            count += 1
            dispatcher.handle(.success(try reader.read(line)), input: line[...], sequence: count, startedAt: 0)
            _ = dispatcher.finish()
            let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
            return try JSONValue(parsing: Array((lines.last ?? "").utf8))
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
        let other = try Store(directory: desk.fixture.folder, access: .readWrite)
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
