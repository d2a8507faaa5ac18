import Testing
import UsherScene
import UsherText

@testable import UsherActivation
@testable import UsherEngine

/// Launches that wait for their windows side by side, and the window that each one gets.
@Suite final class WindowClaimsTests {
    private var claims = WindowClaims()

    private func enter(_ launch: PendingLaunch, at now: Int64) -> Bool {
        claims.enter(launch, at: MonotonicInstant(nanoseconds: now))
    }

    private func leave(_ nonce: String, hasFailed: Bool = false, at now: Int64 = 0) -> [String] {
        claims.leave(nonce, hasFailed: hasFailed, at: MonotonicInstant(nanoseconds: now))
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
        return switch claims.claim(candidates, for: nonce, facts: facts, isLast: isLast) {
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
}
