import Dispatch
import Testing
package import UsherActivation
package import UsherEngine
import UsherFeatures
package import UsherLog
import UsherPayload
package import UsherScene
package import UsherStore
import UsherSystem

/// An engine as the daemon has it.
package final class Daemon {
    /// Its folder is there as long as this is.
    package let fixture: DispatchFixture
    package let store: Store
    package let engine: Engine

    package init(
        _ fixture: DispatchFixture, queue: Int = 10_000, queueBytes: Int64 = .max, lanes: Int = 256,
        patience: Duration? = nil,
        presenter: (any NotificationPresenter)? = nil, presence: (any UserPresence)? = nil,
        quiet: QuietRule = QuietRule(),
        windows: (any WindowSystem)? = nil,
        _ configure: (inout StoreOptions) -> Void = { _ in }
    ) throws {
        self.fixture = fixture
        var storeOptions = StoreOptions(.all)
        configure(&storeOptions)
        store = try Store(directory: fixture.folder, access: .readWrite, options: storeOptions)
        var options = Engine.Options()
        options.openings = .all
        options.queue = queue
        options.queueBytes = queueBytes
        options.claimedLimit = lanes
        options.patience = patience
        options.presenter = presenter
        options.presence = presence
        var configuration = Configuration(apps: [fixture.app], digest: "sha256:1")
        configuration.quiet = quiet
        engine = try Engine(
            configuration: configuration, store: store,
            activator: Activator(
                windowSystem: windows ?? fixture.windows,
                environment: ["PATH": "/usr/bin:/bin", "HOME": fixture.folder, "USHER_STATE": fixture.folder],
                stateDirectory: fixture.folder),
            logger: Logger(level: .debug, sink: fixture.log), options: options)
    }

    deinit { store.close() }

    package static func arrival(_ line: String) -> Arrival {
        var reader = PayloadReader()
        let reading: Result<Payload, PayloadError>
        do { reading = .success(try reader.read(Array(line.utf8))) } catch { reading = .failure(error) }
        return Arrival(reading, input: Array(line.utf8), source: "test", started: MonotonicClock.now)
    }

    /// Hands arrivals over together, and returns when each is on disk or was refused.
    package func handle(_ arrivals: [Arrival]) {
        let told = DispatchGroup()
        let waited = arrivals.map { arrival in
            var arrival = arrival
            told.enter()
            arrival.events.accepted = { [accepted = arrival.events.accepted] id in
                accepted?(id)
                told.leave()
            }
            arrival.events.refused = { [refused = arrival.events.refused] problem in
                refused?(problem)
                told.leave()
            }
            return arrival
        }
        #expect(engine.submit(waited))
        told.wait()
    }

    /// Takes arrivals as one batch and waits for their records, which come in order of arrival.
    package func records(of arrivals: [Arrival]) throws -> [DecisionRecord] {
        let records = Locked<[Int: DecisionRecord]>([:])
        handle(
            arrivals.enumerated().map { number, arrival in
                var arrival = arrival
                arrival.events.finished = { record in records.with { $0[number] = record } }
                return arrival
            })
        engine.waitUntilIdle()
        return records.with { records in arrivals.indices.compactMap { records[$0] } }
    }

    package func records(of lines: [String]) throws -> [DecisionRecord] { try records(of: lines.map(Daemon.arrival)) }
}
