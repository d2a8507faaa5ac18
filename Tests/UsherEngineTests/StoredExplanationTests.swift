import EngineTestSupport
import Foundation
import Synchronization
import TestSupport
import Testing
import UsherActivation
import UsherFeatures
import UsherJSON
import UsherLog
import UsherNotes
import UsherPayload
import UsherPredicate
import UsherScene
import UsherSystem
import UsherText

@testable import UsherConfiguration
@testable import UsherEngine
@testable import UsherResolution
@testable import UsherStore

/// What is made of evidence later is what the decision was explained by.
@Suite struct StoredExplanationTests {
    /// An app whose limit of windows counts more of them than evidence names.
    static let many = """
        id = "example.many"
        scenes-limit = 15
        [[scenes]]
        name = "all"
        opens = 'SELF BEGINSWITH "many:"'
        can = 'SELF == $TARGET'
        prefers = 'SELF == $TARGET'
        launch = { exec = ["true"] }
        """

    /// Two apps with the same claim: the one that was used last wins.
    static let twins = ["one", "other"].map { name in
        """
        id = "example.twin-\(name)"
        schemes = ["twin"]
        [[scenes]]
        name = "all"
        launch = { exec = ["true"] }
        """
    }

    /// Every payload of the samples that can be read, one by one.
    static let payloads: [[UInt8]] = {
        var found: [[UInt8]] = []
        let folder = Repository.path + "/Payloads"
        for name in (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []).sorted() {
            guard let data = FileManager.default.contents(atPath: folder + "/" + name) else { continue }
            if name.hasSuffix(".json") { found.append(Array(data)) }
            if name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl") {
                found += data.split(separator: UInt8(ascii: "\n")).map { Array($0) }
            }
        }
        return found
            + (0..<3).map {
                Array(#"{"aps":{"alert":"x"},"app":"example.many","target-content-id":"many:\#($0)"}"#.utf8)
            }
    }()

    private let folder = NSTemporaryDirectory() + "/usher-evidence-\(UUID().uuidString)"

    private func configuration() throws -> LoadedConfiguration {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: Repository.path + "/Config", toPath: folder + "/Config")
        try Self.many.write(toFile: folder + "/Config/apps/many.toml", atomically: true, encoding: .utf8)
        for (number, twin) in Self.twins.enumerated() {
            try twin.write(toFile: folder + "/Config/apps/twin\(number).toml", atomically: true, encoding: .utf8)
        }
        return ConfigurationLoader.load(path: folder + "/Config", searchPath: "/usr/bin:/bin")
            .withNotes(program: "usher", search: ProgramSearch(path: "/usr/bin:/bin"))
    }

    private func sessions() -> [Store.NewSession] {
        let documents = ["handbook", "calendar", "news", "essays/laughing"].map { "https://docs.example/" + $0 }
        return documents.map { target in
            Store.NewSession(
                app: "example.tabs", scene: "work", target: TargetContentIdentifier(target),
                conditions: ActivationConditions(
                    canActivate: .init(.always, origin: .default),
                    prefersToActivate: .init(
                        (try? ScenePredicate(parsing: "SELF == \"\(target)\"")) ?? .never, origin: .session)),
                title: "Tab \(target)")
        }
            + (0..<20).map { number in
                Store.NewSession(
                    app: "example.many", scene: "all", target: TargetContentIdentifier("many:x\(number)"),
                    state: number % 5 == 0 ? .disconnected : .connected, title: "Many \(number)")
            }
            + ["one", "other"].map { Store.NewSession(app: "example.twin-\($0)", scene: "all") }
    }

    /// The explanation as it is written at the time of the decision.
    private func live(
        _ payload: Payload, _ loaded: LoadedConfiguration, _ store: Store, at time: Int64
    ) throws -> String {
        var decisionState = DecisionState(
            loaded.configuration, try store.sessions(), missingPrograms: loaded.missingPrograms)
        let planner = Planner(duplicateWindow: .zero, programs: ProgramLocator(path: "/usr/bin:/bin"))
        var facts = StoreFacts(store: store)
        let decision = try planner.decision(
            payload, app: nil, source: "stdin", response: nil, in: &decisionState, &facts)
        var report = ExplanationReport(
            explanation: decisionState.resolver.account(
                for: decision.resolution, of: decision.payloadRequest.request, following: decision.redirection,
                limit: 12),
            freshness: decisionState.resolver.snapshot.freshness, age: 0,
            configurationDigest: decisionState.configuration.digest,
            now: time, plan: [], action: decision.action, policy: decision.policy,
            locate: { condition, _ in condition })
        report.textLimit = 1024
        return report.json
    }

    @Test func everySampleIsExplainedAsItWasDecided() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let loaded = try configuration()
        #expect(!loaded.hasErrors)
        let store = try Store(directory: folder, access: .readWrite, features: .all)
        defer { store.close() }
        let connected = try store.connect(sessions())
        _ = try store.move(
            TargetContentIdentifier("https://docs.example/old"),
            to: TargetContentIdentifier("https://docs.example/news")
        ).get()
        _ = try store.delete(content: TargetContentIdentifier("https://docs.example/gone"), reason: "retired").get()
        var options = Engine.Options()
        options.openings = .all
        options.duplicateWindow = .zero
        options.missingPrograms = loaded.missingPrograms
        let engine = try Engine(
            configuration: loaded.configuration, store: store,
            activator: Activator(
                windowSystem: DryRunWindowSystem(), environment: ["PATH": "/usr/bin:/bin", "HOME": folder],
                stateDirectory: folder),
            logger: Logger(level: .error, sink: MemorySink()), options: options)
        let links = (["old", "gone", "handbook", "nowhere"].map { "https://docs.example/\($0)" } + ["twin:x"]).map {
            Array(#"{"url":"\#($0)"}"#.utf8)
        }
        var told: [(id: String, live: String)] = []
        var largest = 0
        for round in 0..<3 {
            // The first time all of them, later those about the windows that have changed.
            let names = ["docs.example", "example.many", "twin:"].map { Data($0.utf8) }
            for line in Self.payloads + links
            where round == 0 || names.contains(where: { Data(line).range(of: $0) != nil }) {
                var reader = PayloadReader()
                guard let payload = try? reader.read(line) else { continue }
                let before = try live(payload, loaded, store, at: 0)
                let arrival = Arrival(.success(payload), input: line, source: "test", started: MonotonicClock.now)
                #expect(engine.submit([arrival]))
                engine.waitUntilIdle()
                let delivery = try #require(try store.deliveries(limit: 1).first)
                let whole = try #require(try store.delivery(delivery.id))
                guard let bytes = whole.evidence else { continue }
                largest = max(largest, bytes.count)
                let evidence = try #require(DecisionEvidence(bytes, accepted: whole.accepted, app: whole.app))
                #expect(evidence.bytes(accepted: whole.accepted) == bytes)
                told.append((whole.id, before.replacingTime(by: evidence.time)))
            }
            // The decisionState goes on: windows are closed, others get another title.
            if round < 2 {
                let session = connected[round].id
                _ = try store.change(session: session, .init(title: .some("Retitled")))
                _ = try store.change(session: connected[round + 4].id, .init(state: .disconnected))
                let twins = connected.filter { $0.app.hasPrefix("example.twin") }
                _ = try store.change(session: twins[round].id, .init(used: true))
            }
        }
        #expect(told.count > 150, "\(told.count)")
        #expect(largest < 250, "\(largest)")
        // Later, when every window is gone and nothing of the configuration is left but what was kept.
        try engine.replaceConfiguration(Configuration(), missingPrograms: [])
        for session in try store.sessions().sessions { _ = try store.end(session: session.id) }
        _ = try store.prune()
        try FileManager.default.removeItem(atPath: folder + "/Config")
        var differing = 0
        for (id, live) in told {
            let delivery = try #require(try store.delivery(id))
            let stored = try #require(try StoredExplanation(of: delivery, in: store).json)
            // What became of it stands at the end.
            let parts = stored.components(separatedBy: ",\"delivery\":{\"id\"")
            let fate = try JSONValue(parsing: Array(stored.utf8))["delivery"]
            #expect(parts.count == 2 && fate?["id"]?.string == id && fate?["session"]?.string == delivery.session)
            #expect(fate?["outcome"]?.string == delivery.outcome?.rawValue)
            let explanation = parts[0] + "}"
            guard explanation != live else { continue }
            differing += 1
            if differing < 4 { Issue.record("\(explanation)\n\(live)") }
        }
        #expect(differing == 0)
        // Once no delivery is left, nothing is kept for it.
        try store.prune(
            keeping: Store.Retention(sessionsPerApp: 0, sessionDays: 0, deliveries: 0, deliveryDays: 0, megabytes: 0))
        try store.prune(keeping: .default)
        let left = try store.read { (state) throws(StoreError) in
            try state.integer("SELECT (SELECT count(*) FROM session_version) + (SELECT count(*) FROM condition)")
        }
        #expect(left == 0)
    }

    @Test func bytesOfAnythingAreNoEvidenceOrSome() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0..<60, using: &generator)).map { place in
                place == 0 ? UInt8(1) : UInt8.random(in: 0...255, using: &generator)
            }
            _ = DecisionEvidence(bytes, accepted: 5, app: "a")
        }
    }

    @Test func explanationsOfAnOlderVersionAreShown() throws {
        let fixture = try DispatchFixture()
        try fixture.dispatch([DispatchFixture.push(DispatchFixture.crusty)])
        let store = try fixture.openStore()
        defer { store.close() }
        let newest = try #require(try store.deliveries().first)
        var delivery = try #require(try store.delivery(newest.id))
        // No manifests were kept of an app that no file describes.
        guard case .lost = try StoredExplanation(of: delivery, in: store) else { throw CancellationError() }
        delivery.legacyExplanation = #"{"v":1}"#
        #expect(try StoredExplanation(of: delivery, in: store).json == #"{"v":1}"#)
    }
}

extension String {
    /// The explanation with the time at which it was decided.
    fileprivate func replacingTime(by time: Int64) -> String {
        replacingOccurrences(
            of: "\"time\":\"\(Instant(microseconds: 0).text)\",\"time_us\":0",
            with: "\"time\":\"\(Instant(microseconds: time).text)\",\"time_us\":\(time)")
    }
}
