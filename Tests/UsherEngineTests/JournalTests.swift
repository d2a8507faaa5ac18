import EngineTestSupport
import Foundation
import TestSupport
import Testing
import UsherActivation
import UsherDelivery
import UsherLog
import UsherPayload
import UsherPredicate
import UsherResolution
import UsherScene
import UsherSystem
import UsherText

@testable import UsherEngine
@testable import UsherStore

/// What the journal keeps in memory is what the store has, whatever is committed and whatever fails.
@Suite struct JournalTests {
    typealias Fixture = DispatchFixture

    private static func text(_ session: SceneSession) -> String {
        let conditions = session.conditions
        return [
            session.id, session.app, session.scene, session.state.rawValue, "\(session.used ?? -1)",
            "\(session.created)", "\(session.generation)", session.handle ?? "-", session.handleServer ?? "-",
            session.title ?? "-", session.target?.text ?? "-", conditions.canActivate.predicate.canonicalText,
            conditions.prefersToActivate.predicate.canonicalText,
        ].joined(separator: "|")
    }

    private static func request(_ line: String, number: Int) throws -> Request {
        let arrival = Daemon.arrival(line)
        let id = UUIDv7.next()
        let payload = try arrival.reading.get()
        let delivery = Store.NewDelivery(
            id: id, source: "test", format: payload.format.rawValue, accepted: Instant.now.microseconds,
            input: arrival.input, target: payload.targetContentIdentifier)
        return Request(
            reading: arrival.reading, delivery: delivery, app: nil,
            record: DecisionRecord(
                id: id, sequence: number, time: Instant.now, source: "test", configuration: ""), isNew: true,
            started: MonotonicClock.now)
    }

    @Test(
        "sessions in memory are those of the store after any commits, failed ones too",
        arguments: 1...12 as ClosedRange<UInt64>)
    func worldFollowsStore(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let fixture = try Fixture()
        let store = try fixture.openStore()
        defer { store.close() }
        let configuration = Configuration(apps: [fixture.app])
        let app = fixture.app.id
        var journal = Journal(
            store, DecisionState(configuration, try store.sessions(), missingPrograms: []),
            Planner(duplicateWindow: .zero, programs: ProgramLocator(path: "/usr/bin:/bin")))
        var tickets: [Ticket] = []
        var number = 0
        for round in 0..<60 {
            var steps: [Journal.Step] = []
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let known = journal.decisionState.resolver.snapshot.sessions.all
                let id = known.randomElement(using: &random)?.id ?? "none"
                switch Int.random(in: 0..<8, using: &random) {
                case 0, 1, 2:
                    number += 1
                    let target = "https://clowntown.example/clowns/\(Int.random(in: 0..<6, using: &random))"
                    steps.append(.arrive(number, try Self.request(Fixture.push(target), number: number)))
                case 3 where !tickets.isEmpty:
                    let ticket = tickets.remove(at: Int.random(in: 0..<tickets.count, using: &random))
                    var effect = Effect(record: ticket.plan.record)
                    if let session = ticket.plan.decision.session?.id {
                        switch Int.random(in: 0..<4, using: &random) {
                        case 0: effect.end = .windowGone(serverIsGone: Bool.random(using: &random))
                        case 1: effect.end = .retry(after: .milliseconds(1))
                        default: break
                        }
                        effect.session = (session, .init(state: .connected, used: true, title: .some("t\(round)")))
                    }
                    if ticket.hasBegun { steps.append(.finish(ticket, effect)) } else { steps.append(.begin(ticket)) }
                case 4:
                    steps.append(
                        .edit(
                            .init(
                                body: { (state, changes) throws(StoreError) in
                                    changes.changed = try state.connect([
                                        .init(app: app, scene: "main", title: "made in \(round)")
                                    ])
                                }, reply: { _ in })))
                case 5:
                    steps.append(
                        .edit(
                            .init(
                                body: { (state, changes) throws(StoreError) in
                                    if let session = try state.change(session: id, .init(state: .disconnected)) {
                                        changes.changed = [session]
                                    }
                                }, reply: { _ in })))
                case 6:
                    steps.append(
                        .edit(
                            .init(
                                body: { (state, changes) throws(StoreError) in
                                    guard let session = try state.session(id: id) else { return }
                                    changes.ended = [(id, session.app)]
                                    _ = try state.end(session: id)
                                }, reply: { _ in })))
                default:
                    // Fails after it has changed something: the whole transaction is taken back, and the others are done alone.
                    steps.append(
                        .edit(
                            .init(
                                body: { (state, _) throws(StoreError) in
                                    _ = try state.connect([.init(app: app, scene: "main")])
                                    _ = try state.run("INSERT INTO no_such_table VALUES (1)")
                                }, reply: { _ in })))
                }
            }
            let places = Journal.Capacity(Scheduler(capacity: 100))
            let (results, _) = journal.commit(steps, places, now: Instant.now, clock: MonotonicClock.now)
            #expect(results.count == steps.count)
            for result in results {
                guard case .success(let committed) = result else { continue }
                switch committed.outcome {
                case .claimed(let ticket), .began(let ticket): tickets.append(ticket)
                case .ended, .known, .queued, .retryScheduled, .unstarted, .endedElsewhere, .edited: break
                }
            }
            let stored = try store.sessions()
            #expect(
                journal.decisionState.resolver.snapshot.sessions.all.map(Self.text).sorted()
                    == stored.sessions.map(Self.text).sorted(), "seed \(seed), round \(round)")
            #expect(journal.decisionState.generation == stored.generation, "seed \(seed), round \(round)")
        }
    }

    @Test("a transaction that cannot begin takes back nothing of the one before it")
    func unbegun() throws {
        let fixture = try Fixture()
        let store = try fixture.openStore()
        defer { store.close() }
        let session = try #require(try store.connect([.init(app: fixture.app.id, scene: "main")]).first)
        var journal = Journal(
            store, DecisionState(Configuration(apps: [fixture.app]), try store.sessions(), missingPrograms: []),
            Planner(duplicateWindow: .zero, programs: ProgramLocator(path: "/usr/bin:/bin")))
        func rename(to title: String) -> Result<Journal.Committed, StoreError>? {
            let edit = Journal.Edit(
                body: { (state, changes) throws(StoreError) in
                    let change = Store.SessionChange(title: .some(title))
                    if let changed = try state.change(session: session.id, change) { changes.changed = [changed] }
                }, reply: { _ in })
            let places = Journal.Capacity(Scheduler(capacity: 100))
            return journal.commit([.edit(edit)], places, now: Instant.now, clock: MonotonicClock.now).0.first
        }
        _ = try #require(rename(to: "first")).get()
        let path = fixture.folder + "/usher.db"
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        guard case .failure(let error) = try #require(rename(to: "second")) else {
            Issue.record("a store that is gone has taken a change")
            return
        }
        #expect(error.code == .storeGone)
        #expect(journal.decisionState.session(session.id, app: session.app)?.title == "first")
        #expect(journal.decisionState.generation == (try store.sessions().generation))
    }

    @Test("a window that is gone takes no session along that has another one by now", arguments: [true, false])
    func anotherWindowByNow(serverIsGone: Bool) throws {
        let fixture = try Fixture()
        let store = try fixture.openStore()
        defer { store.close() }
        var new = Store.NewSession(app: fixture.app.id, scene: "main")
        (new.handle, new.handleServer) = ("@1", "s")
        let session = try #require(try store.connect([new]).first)
        var journal = Journal(
            store, DecisionState(Configuration(apps: [fixture.app]), try store.sessions(), missingPrograms: []),
            Planner(duplicateWindow: .zero, programs: ProgramLocator(path: "/usr/bin:/bin")))
        func commit(_ step: Journal.Step) throws -> Journal.Outcome {
            let places = Journal.Capacity(Scheduler(capacity: 100))
            let (results, _) = journal.commit([step], places, now: Instant.now, clock: MonotonicClock.now)
            return try #require(results.first).get().outcome
        }
        let arrived = try commit(
            .arrive(1, try Self.request(Fixture.push("https://clowntown.example/page"), number: 1)))
        guard case .claimed(let ticket) = arrived, ticket.hasBegun, ticket.plan.decision.session?.id == session.id
        else {
            Issue.record("\(arrived)")
            return
        }
        // While the effect is under way, the app says that it has another window.
        let edit = Journal.Edit(
            body: { (state, changes) throws(StoreError) in
                let change = Store.SessionChange(handle: .some("@2"))
                if let changed = try state.change(session: session.id, change) { changes.changed = [changed] }
            }, reply: { _ in })
        _ = try commit(.edit(edit))
        var effect = Effect(end: .windowGone(serverIsGone: serverIsGone), record: ticket.plan.record)
        let lost = Store.SessionChange(
            state: .disconnected, handle: .some(nil), handleServer: .some(nil), ifStill: session)
        effect.session = (session.id, lost)
        let again = try commit(.finish(ticket, effect))
        let kept = try #require(try store.session(id: session.id))
        #expect(kept.handle == "@2" && kept.state == .connected)
        #expect(journal.decisionState.session(session.id, app: session.app)?.handle == "@2")
        switch again {
        case .began(let ticket), .claimed(let ticket):
            #expect(ticket.plan.decision.session?.handle == "@2", "it is decided again")
        default: Issue.record("\(again)")
        }
    }
}
