import EngineTestSupport
import Foundation
import TestSupport
import Testing
import UsherActivation
import UsherJSON
import UsherScene
import UsherStore
import UsherSystem
import UsherText

@testable import UsherEngine

/// What a killed run leaves in the journal, and what the next one makes of it.
@Suite("Recovery")
struct RecoveryTests {
    typealias Fixture = DispatchFixture

    /// Journals a launch as a run does that is killed before or after the effect began.
    func interrupt(_ fixture: Fixture, begin: Bool, nonce: String = "nonce-1") throws -> String {
        let store = try fixture.openStore()
        defer { store.close() }
        let delivery = Store.NewDelivery(
            id: UUIDv7.next(), source: "stdin", format: "apns", accepted: 1,
            input: Array(Fixture.push(Fixture.crusty).utf8), app: fixture.app.id, target: Fixture.crusty)
        let new = Store.NewSession(
            app: fixture.app.id, scene: "clown", target: TargetContentIdentifier(Fixture.crusty),
            conditions: fixture.app.scenes[1].conditions(for: TargetContentIdentifier(Fixture.crusty), template: nil)
                .conditions)
        try store.claim(
            delivery, .create(new),
            decision: .init(action: .launch, reason: .opens, app: fixture.app.id, scene: "clown"), begin: begin,
            nonce: nonce)
        return delivery.id
    }

    func stored(_ fixture: Fixture, _ id: String) throws -> (state: DeliveryState, record: JSONValue) {
        let delivery = try #require(try fixture.openStore(.readOnly).delivery(id))
        return (delivery.state, try JSONValue(parsing: Array((delivery.record ?? "null").utf8)))
    }

    @Test("an effect that had not begun is done now, and is no part of this run's output")
    func notBegun() throws {
        let fixture = try Fixture()
        let id = try interrupt(fixture, begin: false)
        #expect(try fixture.dispatch([]).isEmpty)
        let (state, record) = try stored(fixture, id)
        #expect(state == .done)
        #expect(record.summary("action", "session", "reason", "outcome") == "launch clown-1 opens verified")
        #expect(record["recovered"]?.boolean == true)
        #expect(fixture.windows.performed.count == 1)
        // It is finished once and for all.
        try fixture.dispatch([])
        #expect(fixture.windows.performed.count == 1)
    }

    @Test("an effect that had begun and is not found ends unverified: once goes before surely")
    func begunAndLost() throws {
        let fixture = try Fixture()
        let id = try interrupt(fixture, begin: true)
        try fixture.dispatch([])
        let (state, record) = try stored(fixture, id)
        #expect(state == .done)
        #expect(record.summary("action", "outcome") == "launch unverified")
        #expect(fixture.windows.performed.isEmpty)
        #expect(try fixture.openStore(.readOnly).session(id: "clown-1")?.state == .disconnected)
    }

    @Test("an idempotent handler is run again")
    func idempotent() throws {
        let fixture = try Fixture()
        fixture.app.scenes[1].launch?.command.idempotent = true
        let id = try interrupt(fixture, begin: true)
        try fixture.dispatch([])
        #expect(try stored(fixture, id).record.summary("action", "outcome") == "launch verified")
        #expect(fixture.windows.performed.count == 1)
    }

    @Test("a process that the killed run had started is found by its nonce and adopted")
    func adopted() throws {
        let fixture = try Fixture()
        let process = try LaunchedProcess()
        defer { process.end() }
        let id = try interrupt(fixture, begin: true, nonce: process.nonce)
        try fixture.dispatch([])
        #expect(try stored(fixture, id).record.summary("action", "outcome") == "launch done")
        #expect(fixture.windows.performed.isEmpty)
        #expect(try fixture.openStore(.readOnly).session(id: "clown-1")?.state == .connected)
    }

    @Test("a first launch that fails in recovery leaves no session behind")
    func failsInRecovery() throws {
        let fixture = try Fixture()
        fixture.app.scenes[1].launch?.command = Fixture.command("no-such-program", "--", "{target}")
        let id = try interrupt(fixture, begin: false)
        try fixture.dispatch([])
        let (state, record) = try stored(fixture, id)
        #expect(state == .failed)
        #expect(record["error"]?["name"]?.string == "resolution.not-installed")
        #expect(try fixture.openStore(.readOnly).sessions().sessions.isEmpty)
    }

    @Test("a launch whose scene has another name by now fails, and its record has the name that was decided")
    func renamedScene() throws {
        let fixture = try Fixture()
        let id = try interrupt(fixture, begin: false)
        fixture.app.scenes[1].name = "mime"
        try fixture.dispatch([])
        let (state, record) = try stored(fixture, id)
        #expect(state == .failed)
        #expect(record.summary("action", "scene", "outcome") == "launch clown failed")
    }
}
