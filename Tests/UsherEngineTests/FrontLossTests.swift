import Dispatch
import EngineTestSupport
import Foundation
import TestSupport
import Testing
import UsherActivation
import UsherLog
import UsherScene
import UsherStore
import UsherText

@testable import UsherEngine

/// A window that came to the front, and whose place another one takes.
@Suite("Front loss")
struct FrontLossTests {
    typealias Fixture = DispatchFixture

    private static let theft = FrontLoss(seen: "thief (x11:0x9) is in front", mayBeWanted: false)

    private static func open(_ name: String) -> String { #"{"url":"https://clowntown.example/clowns/\#(name)"}"# }

    @Test(
        "the record says so, here and in the store, and the window comes forward once more unless the user chose",
        arguments: [false, true])
    func recorded(mayBeWanted: Bool) throws {
        let windows = ContestedWindows()
        let daemon = try Daemon(try Fixture(), windows: windows)
        #expect(try daemon.records(of: [Self.open("crusty")]).first?.warnings.isEmpty == true)
        windows.prominences.with { $0 = [] }
        windows.losses.with { $0 = [FrontLoss(seen: Self.theft.seen, mayBeWanted: mayBeWanted)] }
        let record = try #require(try daemon.records(of: [Self.open("crusty")]).first)
        #expect(record.action == .focus && record.outcome == .verified && record.view == .inFront)
        #expect(record.warnings.map(\.name) == ["activation.lost-front"])
        #expect(record.warnings.first?.message.contains("thief (x11:0x9) is in front") == true)
        #expect(windows.prominences.with { $0.count } == (mayBeWanted ? 1 : 2))
        #expect(try daemon.store.delivery(record.id)?.record == record.json)
        #expect(daemon.fixture.log.lines.contains { $0.contains("took the place") && $0.contains(record.id) })
    }

    @Test("a record that waits for the watch is not verified if the window does not come back")
    func lost() throws {
        let windows = ContestedWindows()
        let daemon = try Daemon(try Fixture(), windows: windows)
        _ = try daemon.records(of: [Self.open("crusty")])
        windows.losses.with { $0 = [Self.theft] }
        windows.viewAfterLoss.with { $0 = .hidden(seen: "thief is in front") }
        let record = try #require(try daemon.records(of: [Self.open("crusty")]).first)
        #expect(record.outcome == .unverified && record.view == nil)
        #expect(record.warnings.map(\.name) == ["seen.lost-front"])
        #expect(record.seen?.contains("thief (x11:0x9) is in front") == true)
        #expect(try daemon.store.delivery(record.id)?.record == record.json)
        #expect(try daemon.store.deliveries(outcome: .unverified).map(\.id) == [record.id])
    }

    @Test("a launch, too")
    func launch() throws {
        let windows = ContestedWindows()
        windows.losses.with { $0 = [Self.theft] }
        let daemon = try Daemon(try Fixture(), windows: windows)
        let record = try #require(try daemon.records(of: [Self.open("crusty")]).first)
        #expect(record.action == .launch && record.outcome == .verified)
        #expect(record.warnings.map(\.name) == ["activation.lost-front"])
    }

    @Test("a window that did not come to the front with the keyboard is not watched")
    func marked() throws {
        let windows = ContestedWindows()
        windows.losses.with { $0 = [Self.theft] }
        let fixture = try Fixture()
        fixture.app.scenes[1].focus = FocusHandler(method: nil, policy: FocusPolicy(prominence: .urgent))
        let record = try #require(try Daemon(fixture, windows: windows).records(of: [Self.open("crusty")]).first)
        #expect(record.view == .marked && record.warnings.isEmpty)
    }

    @Test("records need no wait for a while after the front was kept, and need it again after a loss or a new window")
    func wait() throws {
        let windows = ContestedWindows()
        let seconds = Locked<Int64>(0)
        let front = FrontWindow(windows) { MonotonicInstant(nanoseconds: seconds.with { $0 } * 1_000_000_000) }
        func watch() {
            let isOver = DispatchSemaphore(value: 0)
            front.watch(WindowSighting.Front(handle: "x11:0x1", server: "x11"), for: 1, FocusPolicy()) { _ in
                isOver.signal()
            }
            isOver.wait()
        }
        #expect(front.mayBeTaken)
        seconds.with { $0 = 31 }
        #expect(front.mayBeTaken, "nothing is known yet")
        watch()
        #expect(!front.mayBeTaken)
        front.noteOpenedWindow()
        #expect(front.mayBeTaken)
        seconds.with { $0 = 62 }
        #expect(front.mayBeTaken, "that was long ago")
        watch()
        #expect(!front.mayBeTaken)
        windows.losses.with { $0 = [Self.theft] }
        watch()
        #expect(front.mayBeTaken)
    }

    @Test("the record waits for the watch, unless another request for a window begins, which then loses nothing")
    func superseded() throws {
        let windows = ContestedWindows()
        let daemon = try Daemon(try Fixture(), windows: windows)
        windows.gate.with { $0 = DispatchSemaphore(value: 0) }
        windows.losses.with { $0 = [Self.theft, Self.theft] }
        let finished = Locked<[String]>([])
        func submit(_ name: String) {
            var arrival = Daemon.arrival(Self.open(name))
            arrival.events.finished = { record in
                finished.with { $0.append("\(name) \(record.warnings.map(\.name))") }
            }
            daemon.handle([arrival])
        }
        submit("crusty")
        // On disk, its lane free, and not published: what came later and needs no window is.
        try waitUntil("it is on disk") { try daemon.store.deliveries().first?.state.isTerminal == true }
        var expired = Daemon.arrival(WaitingTests.push(Fixture.bozo, #""apns-expiration":"1""#))
        expired.events.finished = { record in finished.with { $0.append("\(record.reason)") } }
        daemon.handle([expired])
        try waitUntil("another record is published") { finished.with { !$0.isEmpty } }
        #expect(finished.with { $0 } == ["expired"])
        submit("bozo")
        try waitUntil("the first record is published") { finished.with { $0.count } > 1 }
        #expect(finished.with { $0.last } == "crusty []")
        for _ in 0..<2 { windows.gate.with { _ = $0?.signal() } }
        daemon.engine.waitUntilIdle()
        #expect(finished.with { $0 } == ["expired", "crusty []", #"bozo ["activation.lost-front"]"#])
    }
}
