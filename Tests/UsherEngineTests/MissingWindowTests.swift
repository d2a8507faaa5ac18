import EngineTestSupport
import Foundation
import Synchronization
import TestSupport
import Testing
import UsherActivation
import UsherLog
import UsherScene
import UsherStore

@testable import UsherEngine

/// Launches whose window does not come in time, or is closed at once: they leave nothing that the next ones stumble over.
@Suite("Missing windows")
final class MissingWindowTests {
    private let fixture: DispatchFixture
    private let desktop = ProgramDesktop()
    private let daemon: Daemon
    private let registry: WindowRegistry

    /// Programs note their processes. The first one for Crusty opens no window in time: it stays, or ends if `isBrief`.
    init() throws {
        let fixture = try DispatchFixture()
        self.fixture = fixture
        var launch = LaunchHandler(
            method: .exec,
            command: fixture.shell(
                """
                echo "$$ $USHER_TARGET" >>"$HOME/started"
                [ -e "$HOME/brief" ] || exec sleep 120
                """))
        launch.command.timeLimit = 2000
        var rule = WindowRule(location: DispatchFixture.location)
        rule.windowClass = try .init("Clown")
        fixture.app.scenes[1].launch = launch
        fixture.app.scenes[1].focus = FocusHandler(method: .window(rule))
        daemon = try Daemon(fixture, windows: desktop)
        registry = WindowRegistry(
            desktop, daemon.engine, logger: Logger(level: .debug, sink: fixture.log),
            sessions: { [engine = daemon.engine] () throws(StoreError) in try engine.sessions() },
            configuration: { [app = fixture.app] in Configuration(apps: [app]) },
            owner: { [engine = daemon.engine] in engine.owner(of: $0) })
    }

    deinit {
        for (process, _) in Self.started(in: fixture.folder) {
            kill(process, SIGKILL)
            // A wait for any child, as that of exit tests, would return this one again and again.
            waitpid(process, nil, 0)
        }
    }

    private static func started(in folder: String) -> [(process: Int32, target: String)] {
        let lines = (try? String(contentsOfFile: folder + "/started", encoding: .utf8)) ?? ""
        return lines.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            return words.count == 2 ? Int32(words[0]).map { ($0, String(words[1])) } : nil
        }
    }

    /// Finds the process that was launched for a target.
    private func process(for target: String) -> @Sendable () -> Int32? {
        { [folder = fixture.folder] in Self.started(in: folder).last { $0.target == target }?.process }
    }

    private func launch(_ target: String) throws -> DecisionRecord {
        let records = try daemon.records(of: [Daemon.arrival(DispatchFixture.push(target))])
        return try #require(records.first)
    }

    private func session(_ record: DecisionRecord) throws -> SceneSession? {
        try daemon.store.session(id: try #require(record.session))
    }

    private func follow() throws { registry.follow(try desktop.windows(), of: desktop) }

    @Test("the session of a program that runs gets its window when that comes")
    func late() throws {
        let record = try launch(DispatchFixture.crusty)
        #expect(record.outcome == .unverified && record.warnings.map(\.name) == ["activation.not-ready"])
        let found = process(for: DispatchFixture.crusty)()
        let process = try #require(found)
        #expect(try session(record)?.state == .connected)
        #expect(try daemon.store.process(ofSession: #require(record.session))?.pid == process)
        desktop.open(of: process)
        try follow()
        #expect(try session(record)?.handle == "x11:0x1")
        #expect(
            try daemon.store.process(ofSession: #require(record.session)) == nil, "from now on it lives by its window")
        #expect(try launch(DispatchFixture.crusty).action == .focus)
    }

    @Test("beside a program whose window does not come, the next ones are sure of theirs, and keep them")
    func beside() throws {
        let missing = try launch(DispatchFixture.crusty)
        desktop.opens = process(for: DispatchFixture.bozo)
        let record = try launch(DispatchFixture.bozo)
        #expect(record.outcome == .verified && record.warnings.isEmpty, "\(record.warnings)")
        #expect(try session(record)?.handle == "x11:0x1")
        try follow()
        #expect(try session(missing)?.handle == nil)
        desktop.opens = process(for: DispatchFixture.crusty)
        desktop.openOnce()
        try follow()
        #expect(try session(missing)?.handle == "x11:0x2")
    }

    @Test("the session of a program that has ended waits for no window, and gets one that can only be its own")
    func handedOver() throws {
        _ = FileManager.default.createFile(atPath: fixture.folder + "/brief", contents: nil)
        let record = try launch(DispatchFixture.crusty)
        #expect(record.outcome == .unverified)
        #expect(try session(record)?.state == .disconnected)
        // A program that ran before opens it.
        desktop.open(of: getpid())
        try follow()
        #expect(try session(record).map { "\($0.state) \($0.handle ?? "")" } == "connected x11:0x1")
        #expect(try daemon.store.sessions().sessions.count == 1)
    }

    @Test("a window that was closed at once ends its session")
    func closed() throws {
        desktop.opens = process(for: DispatchFixture.crusty)
        desktop.isBrief = true
        let record = try launch(DispatchFixture.crusty)
        #expect(record.outcome == .unverified && record.warnings.map(\.name) == ["activation.window-gone"])
        #expect(try session(record) == nil)
    }
}

/// A desktop on which programs open the windows that the test says.
private final class ProgramDesktop: WindowSystem {
    private struct State: Sendable {
        var windows: [WindowList.Window] = []
        var number = 0
        var opens: @Sendable () -> Int32? = { nil }
        var isBrief = false
    }

    private let state = Mutex(State())

    let name = "x11"
    let isAvailable = true
    let isDesktop = true
    var support: WindowSupport { WindowSupport("programs", [:]) }

    /// The process that opens a window as soon as it runs.
    var opens: @Sendable () -> Int32? {
        get { state.withLock { $0.opens } }
        set { state.withLock { $0.opens = newValue } }
    }
    /// Windows are closed before they can come to the front.
    var isBrief: Bool {
        get { state.withLock { $0.isBrief } }
        set { state.withLock { $0.isBrief = newValue } }
    }

    func open(of process: Int32) {
        state.withLock { state in
            state.number += 1
            var window = WindowList.Window(
                handle: "x11:0x\(state.number)", title: "Clown", group: "1", server: "one")
            window.windowClass = "Clown"
            window.process = process
            state.windows.append(window)
        }
    }

    /// Opens the window of the process that opens one, unless it has one.
    func openOnce() {
        guard let process = opens(), !state.withLock({ $0.windows.contains { $0.process == process } }) else { return }
        open(of: process)
    }

    func recognizes(handle: String) -> Bool { handle.hasPrefix("x11:") }
    func windows() throws(ActivationFailure) -> WindowList {
        openOnce()
        return WindowList(server: "one", windows: state.withLock { $0.windows })
    }
    func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence { .present }
    func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting {
        guard case .handle(let handle, _) = request.window, !isBrief else {
            throw ActivationFailure(.windowGone, "it is gone")
        }
        return WindowSighting(handle: handle, server: "one", title: "Clown", process: nil, view: .shown)
    }
    func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? { nil }
    func plan(_ step: WindowStep) -> String { "" }
}
