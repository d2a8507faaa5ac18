import EngineTestSupport
import Foundation
import Testing
import UsherActivation
import UsherLog
import UsherScene
import UsherStore

@testable import UsherEngine

/// `quiet`: what pushes do at most while the user should not be disturbed.
@Suite("Quiet")
struct QuietTests {
    typealias Fixture = DispatchFixture

    /// A user who is away, or says so.
    final class Presence: UserPresence {
        let states: Set<QuietRule.State>
        let asked = Locked<[QuietRule.State]>([])

        init(_ states: Set<QuietRule.State>) { self.states = states }

        private func holds(_ state: QuietRule.State) -> Bool {
            asked.with { $0.append(state) }
            return states.contains(state)
        }

        func isDoNotDisturb() -> Bool { holds(.doNotDisturb) }
        func isLocked() -> Bool { holds(.locked) }
    }

    private static func desk(
        _ acts: [QuietRule.State: QuietRule.Act], _ states: Set<QuietRule.State> = [.locked],
        general: [QuietRule.State: QuietRule.Act] = [:], deliver: DeliveryRule = .tapped,
        windows: ContestedWindows = ContestedWindows()
    ) throws -> Desk {
        let fixture = try Fixture()
        fixture.app.deliver = deliver
        fixture.app.notifications.quiet = QuietRule(acts)
        windows.isFullscreen.with { $0 = states.contains(.fullscreen) }
        return try Desk(
            fixture, deliver: deliver, presence: Presence(states), quiet: QuietRule(general), windows: windows)
    }

    private static func words(_ record: DecisionRecord?) -> String {
        guard let record else { return "-" }
        return "\(record.action) \(record.outcome) \(record.policy?.rawValue ?? "-")"
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var acts: [QuietRule.State: QuietRule.Act]
        var states: Set<QuietRule.State>
        var general: [QuietRule.State: QuietRule.Act] = [:]
        var deliver = DeliveryRule.tapped
        var result: String
    }

    static let cases = [
        Case(testDescription: "no state", acts: [.locked: .none], states: [], result: "launch verified -"),
        Case(testDescription: "none", acts: [.locked: .none], states: [.locked], result: "none skipped quiet"),
        Case(testDescription: "notify", acts: [.locked: .notify], states: [.locked], result: "notify done quiet"),
        Case(testDescription: "urgent", acts: [.locked: .urgent], states: [.locked], result: "launch verified quiet"),
        Case(testDescription: "focus", acts: [.locked: .focus], states: [.locked], result: "launch verified quiet"),
        Case(
            testDescription: "fullscreen", acts: [.fullscreen: .none], states: [.fullscreen],
            result: "none skipped quiet"),
        Case(
            testDescription: "the quietest wins", acts: [.locked: .none, .fullscreen: .notify, .doNotDisturb: .urgent],
            states: [.fullscreen, .doNotDisturb], result: "notify done quiet"),
        Case(
            testDescription: "the app goes first, key by key", acts: [.locked: .focus], states: [.locked, .fullscreen],
            general: [.locked: .none, .fullscreen: .notify], result: "notify done quiet"),
        Case(
            testDescription: "of usher.toml alone", acts: [:], states: [.doNotDisturb], general: [.doNotDisturb: .none],
            result: "none skipped quiet"),
        Case(
            testDescription: "never more than deliver", acts: [.locked: .focus], states: [.locked], deliver: .notify,
            result: "notify done quiet"),
        Case(
            testDescription: "nothing of a notification", acts: [.locked: .none], states: [.locked], deliver: .notify,
            result: "none skipped quiet"),
    ]

    @Test(arguments: cases) func whatIsDone(_ given: Case) throws {
        let desk = try Self.desk(given.acts, given.states, general: given.general, deliver: given.deliver)
        let record = try #require(try desk.daemon.records(of: [Pushes.push()]).first)
        #expect(Self.words(record) == given.result)
        #expect(record.error == nil && record.reason == .opens && record.target == Fixture.crusty)
        #expect(record.warnings.map(\.name) == (record.action == .none ? ["notification.quiet"] : []))
        #expect(desk.presenter.with { $0.shown.count } == (record.action == .notify ? 1 : 0))
        // Without a window there is no session.
        #expect(try desk.daemon.store.sessions().sessions.isEmpty == (record.action != .launch))
        #expect((record.session == nil) == (record.action != .launch))
        let stored = try #require(try desk.daemon.store.delivery(record.id))
        #expect(stored.action == record.action && stored.record == record.json)
    }

    @Test func aWindowComesForwardLessFar() throws {
        for (act, prominence) in [
            (QuietRule.Act.raise, FocusPolicy.Prominence.raise), (.urgent, .urgent), (.focus, .focus),
        ] {
            let windows = ContestedWindows()
            let desk = try Self.desk([.fullscreen: act], [], windows: windows)
            _ = try desk.daemon.records(of: [Pushes.push()])
            windows.isFullscreen.with { $0 = true }
            windows.prominences.with { $0 = [] }
            let record = try desk.daemon.records(of: [Pushes.push()]).first
            #expect(Self.words(record) == "focus verified quiet")
            #expect(windows.prominences.with { $0 } == [prominence])
            #expect(record?.view == (act == .urgent ? .marked : .inFront))
        }
    }

    @Test func aSessionKeepsItsWindow() throws {
        let windows = ContestedWindows()
        let desk = try Self.desk([.fullscreen: .none], [], windows: windows)
        let session = try desk.daemon.records(of: [Pushes.push()]).first?.session
        windows.isFullscreen.with { $0 = true }
        windows.prominences.with { $0 = [] }
        let record = try desk.daemon.records(of: [Pushes.push()]).first
        #expect(Self.words(record) == "none skipped quiet" && record?.session == session)
        #expect(windows.prominences.with { $0.isEmpty })
        #expect(try desk.daemon.store.sessions().sessions.map(\.state) == [.connected])
    }

    @Test(
        "what the user has tapped, and what is critical, is done",
        arguments: [
            #"{"url":"https://clowntown.example/clowns/crusty"}"#, #"{"shortcutItem":{"type":"order-crusty"}}"#,
            Pushes.push(#""interruption-level":"critical""#),
        ])
    func notAffected(line: String) throws {
        let desk = try Self.desk([.locked: .none])
        #expect(Self.words(try desk.daemon.records(of: [line]).first) == "launch verified -")
    }

    @Test func aPressOnTheNotificationIsATap() throws {
        let desk = try Self.desk([.locked: .notify])
        let record = try #require(try desk.daemon.records(of: [Pushes.push()]).first)
        desk.presenter.press(1)
        let press = try #require(try desk.presses(1).first)
        #expect(Self.words(press) == "launch verified -" && press.parent == record.id)
    }

    @Test("a window that comes forward under a lock is not verified", arguments: [true, false])
    func lock(isLocked: Bool) throws {
        let windows = ContestedWindows()
        windows.evidence.with { $0 = SeenEvidence() }
        let desk = try Self.desk([:], isLocked ? [.locked] : [], windows: windows)
        _ = try desk.daemon.records(of: [Pushes.push()])
        let record = try #require(try desk.daemon.records(of: [Pushes.push()]).first)
        #expect(record.action == .focus && record.evidence?.isLocked == isLocked, "\(record)")
        #expect(record.outcome == (isLocked ? .unverified : .verified))
        #expect(record.evidence?.reason == (isLocked ? "seen.locked" : nil))
        #expect(record.warnings.map(\.name).contains("seen.locked") == isLocked)
    }

    @Test func onlyWhatMattersIsAsked() {
        let presence = Presence([.doNotDisturb, .locked])
        func holds(_ state: QuietRule.State) -> Bool {
            switch state {
            case .doNotDisturb: presence.isDoNotDisturb()
            case .locked: presence.isLocked()
            case .fullscreen: true
            }
        }
        #expect(QuietRule([.locked: .notify]).act(where: holds) == .notify)
        #expect(presence.asked.with { $0 } == [.locked])
        #expect(QuietRule([.doNotDisturb: .none, .locked: .notify]).act(where: holds) == QuietRule.Act.none)
        #expect(presence.asked.with { $0 } == [.locked, .doNotDisturb])
    }
}
