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

/// A daemon that stops while a launched program has no window yet: it does not wait, and the next one goes on.
@Suite("Left launches")
struct LeftLaunchTests {
    typealias Fixture = DispatchFixture

    /// A program that notes its process, and stays; its window opens when the test says so.
    private static func fixture(_ ready: LaunchHandler.Readiness) throws -> Fixture {
        let fixture = try Fixture()
        var launch = LaunchHandler(
            method: .exec, command: Fixture.command("sh", "-c", "echo $$ >>\"$HOME/started\"; exec sleep 120"))
        launch.command.timeLimit = 120_000
        launch.grace = 120_000
        launch.ready = ready
        fixture.app.scenes[1].launch = launch
        var show = fixture.shell("echo $USHER_TARGET >>\"$HOME/shown\"")
        show.idempotent = true
        fixture.app.scenes[1].show = .exec(show)
        return fixture
    }

    private static func started(_ fixture: Fixture) -> [Int32] {
        fixture.read("started").split(separator: "\n").compactMap { Int32($0) }
    }

    /// Stops a daemon while it waits; returns the answer to the request.
    private static func stop(_ daemon: Daemon, _ arrivals: [Arrival]) throws -> (told: [String], seconds: Double) {
        let told = Locked<[String]>([])
        daemon.handle(
            arrivals.map { arrival in
                var arrival = arrival
                arrival.events.finished = { record in told.with { $0.append("finished \(record.outcome)") } }
                arrival.events.left = { told.with { $0.append("left") } }
                return arrival
            })
        try waitUntil("the program runs") { started(daemon.fixture).count == 1 }
        let begin = Date()
        daemon.engine.stopWaitingForLaunches()
        #expect(daemon.engine.stop(within: 60))
        return (told.with { $0 }, -begin.timeIntervalSinceNow)
    }

    @Test func theWindowIsWaitedForByTheNextRun() throws {
        let fixture = try Self.fixture(.window(timeLimit: 120_000))
        let desktop = OpeningDesktop()
        defer { for process in Self.started(fixture) { kill(process, SIGKILL) } }
        let line = #"{"url":"https://clowntown.example/clowns/crusty"}"#
        do {
            let daemon = try Daemon(fixture, windows: desktop)
            // The second one is for the same window, and waits behind the first.
            let (told, seconds) = try Self.stop(daemon, [Daemon.arrival(line), Daemon.arrival(line)])
            #expect(told == ["left", "left"])
            #expect(seconds < 60, "the window may take two minutes")
            #expect(try daemon.store.deliveries().map(\.state.isTerminal) == [false, false])
        }
        let next = try Daemon(fixture, windows: desktop)
        let records = Locked<[DecisionRecord]>([])
        next.engine.observe { record in records.with { $0.append(record) } }
        #expect(try next.engine.recover() == 2)
        desktop.open(of: try #require(Self.started(fixture).first))
        try waitUntil("both have their records") { records.with { $0.count } == 2 }
        #expect(
            records.with { $0.map { "\($0.action) \($0.outcome) \($0.isRecovered)" } }
                == ["launch verified true", "focus verified true"])
        // Its window gets the target as well.
        #expect(fixture.read("shown").split(separator: "\n").count == 2)
        #expect(Self.started(fixture).count == 1)
        let session = try #require(try next.store.sessions().sessions.first)
        #expect(session.handle == "x11:0x1" && session.state == .connected)
        #expect(try next.store.sessions().sessions.count == 1)
    }

    @Test func allThatWaitForTheWindowAreLeft() throws {
        let fixture = try Self.fixture(.window(timeLimit: 120_000))
        defer { for process in Self.started(fixture) { kill(process, SIGKILL) } }
        let daemon = try Daemon(fixture, windows: OpeningDesktop())
        let line = #"{"url":"https://clowntown.example/clowns/crusty"}"#
        let (told, _) = try Self.stop(daemon, (0..<1000).map { _ in Daemon.arrival(line) })
        #expect(told == Array(repeating: "left", count: 1000))
        #expect(try daemon.store.deliveries(limit: 2000).filter(\.state.isTerminal).isEmpty)
    }

    @Test func aWindowThatCameMeanwhileIsTaken() throws {
        let fixture = try Self.fixture(.window(timeLimit: 120_000))
        let desktop = OpeningDesktop()
        defer { for process in Self.started(fixture) { kill(process, SIGKILL) } }
        do {
            let daemon = try Daemon(fixture, windows: desktop)
            _ = try Self.stop(daemon, [Daemon.arrival(#"{"url":"https://clowntown.example/clowns/crusty"}"#)])
        }
        desktop.open(of: try #require(Self.started(fixture).first))
        let next = try Daemon(fixture, windows: desktop)
        let records = Locked<[DecisionRecord]>([])
        next.engine.observe { record in records.with { $0.append(record) } }
        #expect(try next.engine.recover() == 1)
        try waitUntil("it has its record") { records.with { $0.count } == 1 }
        #expect(records.with { $0.first?.outcome } == .verified)
        #expect(try next.store.sessions().sessions.first?.handle == "x11:0x1")
        #expect(Self.started(fixture).count == 1)
    }

    @Test func aCommandThatSaysReadyIsNotWaitedForEither() throws {
        let fixture = try Self.fixture(.exec(Fixture.command("false")))
        defer { for process in Self.started(fixture) { kill(process, SIGKILL) } }
        let daemon = try Daemon(fixture, windows: OpeningDesktop())
        let (told, seconds) = try Self.stop(
            daemon, [Daemon.arrival(#"{"url":"https://clowntown.example/clowns/crusty"}"#)])
        #expect(told == ["left"] && seconds < 60)
    }
}

/// A desktop on which one window opens when the test says so.
private final class OpeningDesktop: WindowSystem {
    private let list = Mutex(WindowList(server: "one", windows: []))

    let name = "x11"
    let isAvailable = true
    let isDesktop = true
    var support: WindowSupport { WindowSupport("opening", [:]) }

    func open(of process: Int32) {
        var window = WindowList.Window(handle: "x11:0x1", title: "Crusty", group: "1")
        window.process = process
        list.withLock { [window] in $0 = WindowList(server: "one", windows: [window]) }
    }

    func recognizes(handle: String) -> Bool { handle.hasPrefix("x11:") }
    func windows() throws(ActivationFailure) -> WindowList { list.withLock { $0 } }
    func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence { .present }
    func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting {
        WindowSighting(handle: "x11:0x1", server: "one", title: "Crusty", process: nil, view: .shown)
    }
    func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? {
        guard let window = try windows().windows.first, let process = window.process, processes.contains(process) else {
            return nil
        }
        return WindowSighting(
            handle: window.handle, server: "one", title: window.title, process: process, view: .hidden(seen: ""))
    }
    func launch(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting { throw Self.no }
    func type(_ keys: WindowKeys, into window: WindowReference) throws(ActivationFailure) { throw Self.no }
    func isOnItsWay(nonce: String) -> Bool { false }
    func plan(_ step: WindowStep) -> String { "" }

    private static let no = ActivationFailure(.windowSystem, "it has one window")
}
