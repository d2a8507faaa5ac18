import Synchronization
import Testing
import UsherActivation
import UsherJSON
import UsherLog
import UsherPayload
import UsherResolution
import UsherScene
import UsherStore

@testable import UsherDispatch

/// An explanation that is told again is the one that would be made anew.
@Suite struct KeptExplanationTests {
    static let badge = #"{"aps":{"badge":1},"app":"x"}"#

    private func report(_ payload: String, at now: Int64, in resolver: Resolver) throws -> (
        Decision, ExplanationReport
    ) {
        var reader = PayloadReader()
        let inquiry = Inquiry(try reader.read(Array(payload.utf8)), in: resolver.snapshot.configuration)
        let decision = Decision(inquiry, following: .none, in: resolver)
        let report = ExplanationReport(
            explanation: resolver.account(for: decision.resolution, of: inquiry.request, following: .none, limit: 12),
            freshness: resolver.snapshot.freshness, age: 0, configurationDigest: "abc", now: now, plan: [],
            action: decision.action, policy: decision.policy, locate: { condition, _ in condition })
        return (decision, report)
    }

    @Test(arguments: [badge, DispatchFixture.push(DispatchFixture.crusty), DispatchFixture.push("\u{1F921} \\\"q\\\"")])
    func itIsTheSameText(_ payload: String) throws {
        let fixture = try DispatchFixture()
        let resolver = Resolver(
            Snapshot(configuration: Configuration(apps: [fixture.app]), sessions: SessionTable([])))
        let (decision, first) = try report(payload, at: 1_795_000_000_000_000, in: resolver)
        let kept = KeptExplanation(first)
        #expect(kept.explains(decision))
        for now in [0, 1_795_000_000_000_001, 1_795_086_400_999_999] as [Int64] {
            let (_, again) = try report(payload, at: now, in: resolver)
            #expect(kept.json(at: now) == again.json)
        }
    }

    @Test(
        "another request is not explained by it",
        arguments: [
            DispatchFixture.push(DispatchFixture.crusty), #"{"aps":{"alert":"hi"}}"#,
            #"{"payload":{"aps":{"badge":1}},"app":"caf\u00e9"}"#,
        ])
    func itIsOnlyForItsOwnKind(_ payload: String) throws {
        let fixture = try DispatchFixture()
        let resolver = Resolver(
            Snapshot(configuration: Configuration(apps: [fixture.app]), sessions: SessionTable([])))
        // The same letters in another spelling: equal strings to Swift, another app.
        let (_, first) = try report(#"{"payload":{"aps":{"badge":1}},"app":"cafe\u0301"}"#, at: 0, in: resolver)
        #expect(!KeptExplanation(first).explains(try report(payload, at: 0, in: resolver).0))
    }
}
