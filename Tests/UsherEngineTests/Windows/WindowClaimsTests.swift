import Testing
import UsherScene
import UsherText

@testable import UsherActivation
@testable import UsherEngine
@testable import UsherStore

/// Launches that wait for their windows side by side, and the window that each one gets.
@Suite final class WindowClaimsTests {
    private var claims = WindowClaims()
    /// The processes that have ended.
    private var ended: Set<Int32> = []

    private func enter(_ launch: PendingLaunch, at now: Int64) -> Bool {
        claims.enter(launch, at: MonotonicInstant(nanoseconds: now), isRunning: { !ended.contains($0.pid) })
    }

    private func leave(_ nonce: String, hasFailed: Bool = false, at now: Int64 = 0) -> [String] {
        claims.leave(
            nonce, hasFailed: hasFailed, at: MonotonicInstant(nanoseconds: now),
            isRunning: { !ended.contains($0.pid) })
    }

    private func launch(_ nonce: String, _ program: String = "kitty", rule: WindowRule? = nil) -> PendingLaunch {
        PendingLaunch(nonce: nonce, app: "example.a", scene: "main", session: nonce, program: program, rule: rule)
    }

    private func candidate(
        _ handle: String, _ evidence: WindowEvidence, other: String? = nil, isShared: Bool = false,
        isDescribed: Bool = true
    ) -> WindowCandidate {
        var window = WindowList.Window(handle: handle, title: handle, group: "", server: "s")
        window.windowClass = "K"
        window.sharesStartupID = isShared
        return WindowCandidate(
            window, evidence, isDescribed: isDescribed, isOfLaunchedProcess: evidence == .process,
            carriesNonce: evidence == .nonce, otherLaunch: other)
    }

    /// `!x` is x for sure, `?x` perhaps, `-x` another session's; nothing: not now.
    private func ask(
        _ nonce: String, _ candidates: WindowCandidate..., held: [String] = [], acting: [String] = [],
        isLast: Bool = false
    ) -> String? {
        let facts = WindowClaims.Facts(
            held: Set(held.map { WindowClaims.Window(candidate($0, .looks).window) }), acting: Set(acting))
        let grant = claims.claim(
            candidates, for: nonce, facts: facts, isLast: isLast, at: MonotonicInstant(nanoseconds: 0),
            isRunning: { !ended.contains($0.pid) })
        return switch grant {
        case .identified(let candidate): "!" + candidate.window.handle
        case .likely(let candidate): "?" + candidate.window.handle
        case .held(let candidate): "-" + candidate.window.handle
        case nil: nil
        }
    }

    @Test("a launch that is alone is sure of its window, whatever the evidence", arguments: WindowEvidence.allCases)
    func alone(evidence: WindowEvidence) {
        #expect(enter(launch("a"), at: 0))
        #expect(ask("a", candidate("1", evidence)) == "!1")
        #expect(ask("a", candidate("2", evidence)) == nil, "once")
        #expect(ask("b", candidate("2", evidence)) == nil, "unknown")
    }

    @Test("of several windows that only look right, none is taken")
    func manyAlike() {
        _ = enter(launch("a"), at: 0)
        #expect(ask("a", candidate("1", .looks), candidate("2", .looks), isLast: true) == nil)
        #expect(ask("a", candidate("1", .looks), candidate("2", .looks), candidate("3", .cameForward)) == "!3")
    }

    @Test("a window that is not described is only taken when nothing else comes")
    func splash() {
        _ = enter(launch("a"), at: 0)
        #expect(ask("a", candidate("1", .process, isDescribed: false)) == nil)
        #expect(ask("a", candidate("1", .process, isDescribed: false), isLast: true) == "!1")
    }

    @Test("two launches at once are distinguished by startup ids and by processes")
    func toldApart() {
        _ = enter(launch("a"), at: 0)
        _ = enter(launch("b"), at: 0)
        #expect(ask("b", candidate("2", .startupID), candidate("1", .looks)) == "!2")
        #expect(ask("a", candidate("1", .process)) == "!1")
    }

    @Test("by looks alone the oldest launch goes first, no window goes twice, and none is sure")
    func looksAlone() {
        for nonce in ["a", "b", "c"] { _ = enter(launch(nonce), at: 0) }
        #expect(ask("b", candidate("1", .looks)) == nil)
        #expect(ask("a", candidate("1", .looks), candidate("2", .looks)) == "?1")
        #expect(ask("b", candidate("1", .looks)) == nil)
        #expect(ask("b", candidate("1", .looks), candidate("2", .looks)) == "?2")
        #expect(leave("a", hasFailed: false).isEmpty)
        claims.release("a")
        #expect(ask("c", candidate("1", .looks)) == nil, "what was given stays given")
        #expect(ask("c", candidate("1", .looks), candidate("3", .looks)) == "?3")
    }

    @Test("a launch that surely has its window is no rival any more, one that failed neither")
    func identifiedBefore() {
        for nonce in ["a", "b", "c"] { _ = enter(launch(nonce), at: 0) }
        #expect(ask("a", candidate("1", .startupID)) == "!1")
        _ = leave("b", hasFailed: true, at: 0)
        #expect(ask("c", candidate("3", .looks)) == "!3")
    }

    @Test("another program's launch is a rival where its `focus` means the window")
    func rivalsByLooks() throws {
        var rule = WindowRule(location: SourceLocation(path: "a.toml", line: 1, column: 1))
        rule.windowClass = try .init("K")
        _ = enter(launch("a", "one", rule: rule), at: 0)
        _ = enter(launch("b", "two"), at: 0)
        _ = enter(launch("c", "three"), at: 0)
        #expect(ask("b", candidate("1", .looks)) == nil)
        #expect(ask("a", candidate("1", .looks)) == "!1", "nothing is known of the looks of b")
    }

    @Test("the launched process is no proof where another launch of the program has handed over")
    func firstTwoOfASingleInstance() {
        _ = enter(launch("a"), at: 0)
        _ = enter(launch("b"), at: 0)
        claims.noteHandOver(of: "b")
        // The program that a has started shows the windows of both.
        #expect(ask("b", candidate("1", .looks, other: "a")) == nil, "a may wait for it")
        #expect(ask("a", candidate("1", .process)) == "?1")
        #expect(ask("b", candidate("1", .looks, other: "a")) == nil)
        #expect(ask("b", candidate("2", .looks, other: "a")) == "?2")
    }

    @Test("a startup id that all windows share is no proof beside a rival, and none where it names another launch")
    func sharedStartupID() {
        _ = enter(launch("a"), at: 0)
        _ = enter(launch("b"), at: 0)
        #expect(ask("b", candidate("1", .startupID, isShared: true)) == nil)
        #expect(ask("a", candidate("1", .process, other: "b", isShared: true)) == "?1")
        #expect(ask("b", candidate("2", .startupID, isShared: true)) == "?2")
    }

    @Test("a window of an open session is never granted; where it came forward, that is said")
    func held() {
        for evidence in WindowEvidence.allCases {
            let claims = WindowClaimsTests()
            _ = claims.enter(launch("a"), at: 0)
            let answer = claims.ask("a", candidate("1", evidence), held: ["1"], isLast: true)
            #expect(answer == (evidence == .cameForward ? "-1" : nil), "\(evidence)")
        }
        _ = enter(launch("a"), at: 0)
        #expect(ask("a", candidate("1", .cameForward), candidate("2", .looks), held: ["1"]) == "!2")
    }

    @Test(
        "beside a launch of the same scene that is acting and not registered, a window waits for what becomes of that")
    func unregistered() {
        _ = enter(launch("a"), at: 0)
        #expect(ask("a", candidate("1", .looks, other: "z"), acting: ["z"]) == nil)
        #expect(ask("a", candidate("2", .looks), acting: ["z", "a"]) == nil)
        let later = WindowClaimsTests()
        _ = later.enter(launch("a"), at: 0)
        #expect(later.ask("a", candidate("2", .looks), acting: ["z"]) == nil)
        #expect(later.ask("a", candidate("2", .looks), acting: []) == "!2", "it was released meanwhile")
        #expect(ask("a", candidate("2", .looks), acting: ["z", "a"], isLast: true) == "?2")
        let claims = WindowClaimsTests()
        _ = claims.enter(launch("a"), at: 0)
        #expect(claims.ask("a", candidate("1", .process), acting: ["z"]) == "!1")
    }

    @Test("launches of a program that hands over are let in one after the other, and are sure")
    func lane() {
        _ = enter(launch("a"), at: 0)
        #expect(ask("a", candidate("1", .looks)) == "!1")
        _ = leave("a", hasFailed: false)
        #expect(enter(launch("b"), at: 0))
        #expect(!enter(launch("c"), at: 0))
        #expect(!enter(launch("d"), at: 0))
        #expect(enter(launch("x", "xterm"), at: 0), "others do not wait")
        #expect(ask("b", candidate("2", .looks)) == "!2")
        #expect(leave("b", hasFailed: false) == ["c"])
        #expect(ask("c", candidate("2", .looks)) == nil, "not written to its session yet")
        #expect(leave("d", hasFailed: true, at: 0).isEmpty, "one that no longer waits is passed over")
        #expect(ask("c", candidate("3", .looks)) == "!3")
        #expect(leave("c", hasFailed: false).isEmpty)
    }

    @Test("a program whose windows are its own processes' is not held back")
    func noLane() {
        for evidence in [WindowEvidence.process, .nonce] {
            _ = enter(launch("a"), at: 0)
            #expect(ask("a", candidate("\(evidence)", evidence)) == "!\(evidence)")
            _ = leave("a", hasFailed: false)
        }
        #expect(enter(launch("b"), at: 0))
        #expect(enter(launch("c"), at: 0))
    }

    @Test("a window that comes too late for its launch makes the next ones unsure for a while")
    func late() {
        _ = enter(launch("a"), at: 0)
        _ = leave("a", hasFailed: false, at: 100)
        _ = enter(launch("b"), at: 100 + WindowClaims.lateness.nanoseconds - 1)
        #expect(ask("b", candidate("1", .looks)) == "?1")
        _ = leave("b", hasFailed: false, at: 200)
        _ = enter(launch("c"), at: 100 + WindowClaims.lateness.nanoseconds)
        #expect(ask("c", candidate("2", .looks)) == "!2")
    }

    @Test("a grant lasts until it is released")
    func released() {
        _ = enter(launch("a"), at: 0)
        #expect(ask("a", candidate("1", .process)) == "!1")
        _ = leave("a", hasFailed: true, at: 0)
        _ = enter(launch("b"), at: 0)
        #expect(ask("b", candidate("1", .cameForward)) == nil)
        claims.release("a")
        #expect(ask("b", candidate("1", .cameForward)) == "!1")
    }

    private func start(_ nonce: String, as pid: Int32) {
        claims.noteStart(of: nonce, process: Store.SessionProcess(pid: pid, startTime: 1, bootID: "b"))
    }

    @Test("a launch whose window never came takes nothing from the next ones that have windows of their own processes")
    func neverCame() {
        for nonce in ["a", "b"] { _ = enter(launch(nonce), at: 0) }
        start("a", as: 1)
        // Its time is over.
        _ = leave("a", at: 0)
        _ = enter(launch("c"), at: 1)
        #expect(ask("b", candidate("2", .process)) == "!2")
        #expect(ask("c", candidate("3", .process)) == "!3")
        // What belongs to no process may be a's.
        _ = enter(launch("d"), at: 1)
        #expect(ask("d", candidate("4", .looks)) == "?4")
    }

    @Test(
        "a launch that ended without its window, and whose process has ended, may have handed over to those that began before",
        arguments: ["ended", "handed over", "never started", "likely"])
    func mayHaveHandedOver(_ kind: String) {
        for nonce in ["a", "b"] { _ = enter(launch(nonce), at: 0) }
        if kind != "never started" { start("a", as: 1) }
        if kind == "handed over" { claims.noteHandOver(of: "a") }
        if kind == "likely" { #expect(ask("a", candidate("1", .looks)) == "?1") }
        _ = leave("a", at: 0)
        if kind == "ended" { ended = [1] }
        #expect(ask("b", candidate("2", .process)) == "?2")
        // What begins now has a process that was not there yet.
        _ = leave("b")
        _ = enter(launch("c"), at: 0)
        #expect(ask("c", candidate("3", .process)) == "!3")
        #expect(ask("c", candidate("4", .looks)) == nil)
    }

    private func owner(_ handle: String, carrying nonce: String? = nil, at now: Int64 = 0) -> String {
        let owner = claims.owner(
            of: candidate(handle, .looks).window, carrying: nonce, at: MonotonicInstant(nanoseconds: now))
        return switch owner {
        case .noLaunch: "-"
        case .pending: "pending"
        case .contested: "contested"
        case .late(let session): session
        }
    }

    @Test("whose a window is that comes after its launch has ended")
    func owners() throws {
        var rule = WindowRule(location: SourceLocation(path: "a.toml", line: 1, column: 1))
        rule.windowClass = try .init("K")
        let end = WindowClaims.lateness.nanoseconds
        #expect(owner("1") == "-")
        _ = enter(launch("a", rule: rule), at: 0)
        #expect(owner("1") == "pending", "it looks like that of a launch that waits")
        _ = leave("a", hasFailed: true)
        #expect(owner("1") == "-", "one that failed opens none")

        _ = enter(launch("b", rule: rule), at: 0)
        start("b", as: 2)
        _ = leave("b")
        #expect(owner("1") == "b" && owner("1", carrying: "b") == "b")
        #expect(owner("1", carrying: "other") == "-", "another launch has started its program")
        #expect(owner("1", at: end) == "-")

        _ = enter(launch("c", rule: rule), at: 0)
        start("c", as: 3)
        #expect(owner("1") == "pending" && owner("1", carrying: "b") == "pending")
        _ = leave("c")
        #expect(owner("1") == "contested" && owner("1", carrying: "b") == "b" && owner("1", carrying: "c") == "c")

        _ = enter(launch("d", rule: rule), at: 0)
        start("d", as: 4)
        claims.noteHandOver(of: "d")
        _ = leave("d")
        #expect(owner("1", carrying: "b") == "contested", "the program of b may show the window of d")
        _ = enter(launch("e", rule: rule), at: 0)
        start("e", as: 5)
        _ = leave("e")
        #expect(owner("1", carrying: "e") == "e", "that of e began later")
    }

    @Test("a window that was granted without proof is nobody's for a while")
    func contested() throws {
        _ = enter(launch("a"), at: 0)
        _ = enter(launch("b"), at: 0)
        #expect(ask("a", candidate("1", .looks)) == "?1")
        #expect(owner("1") == "pending", "not written to its session yet")
        _ = leave("a")
        claims.release("a")
        #expect(owner("1") == "contested")
        #expect(owner("1", at: WindowClaims.lateness.nanoseconds) == "-")
    }
}
