import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UsherActivation
import UsherConfiguration
import UsherControl
import UsherEngine
import UsherFeatures
import UsherHTTP
import UsherIngress
import UsherJSON
import UsherLog
import UsherOperation
import UsherPayload
import UsherScene
import UsherStore
import UsherSystem
import UsherText

/// A state folder with a real store and lock, the control service over it, and a socket that speaks lines.
final class ControlFixture: Sendable {
    static let crusty = "https://clowntown.example/clowns/crusty"

    private let files = TemporaryFolder()
    let backend: ControlTestBackend
    let service: ControlService
    private let server: HTTPServer?
    private let lock: Mutex<DaemonLock?>

    var folder: String { files.path }
    var state: String { folder + "/state" }
    var socket: String { folder + "/s" }

    /// - Parameters:
    ///   - isDaemon: holds the lock and listens, as usherd does.
    ///   - manifest: of the only app, instead of the sample configuration; its commands are run.
    ///   - windows: that there are.
    init(
        isDaemon: Bool = true, interval: Int = 15, manifest: String? = nil, windows: [WindowList.Window] = []
    ) throws {
        let folder = files.path
        try FileManager.default.createDirectory(atPath: folder + "/state", withIntermediateDirectories: true)
        if let manifest {
            try FileManager.default.createDirectory(atPath: folder + "/config/apps", withIntermediateDirectories: true)
            try manifest.write(toFile: folder + "/config/apps/own.toml", atomically: true, encoding: .utf8)
        }
        lock = Mutex(
            isDaemon
                ? try DaemonLock.acquire(
                    state: folder + "/state", socket: folder + "/s", version: "0.1.0", started: Instant.now.text)
                : nil)
        backend = try ControlTestBackend(
            state: folder + "/state", configuration: manifest == nil ? Repository.path + "/Config" : folder + "/config",
            runs: manifest != nil, windows: windows)
        service = ControlService(backend, records: RecordBroadcast(heartbeatSeconds: interval))
        server =
            isDaemon
            ? try HTTPServer(
                listeners: [.init(.local(path: folder + "/s"), label: "", takesLines: true)],
                handler: LinesOnly(service: service)) : nil
        if let server { Thread.detachNewThread { #expect(throws: Never.self) { try server.run() } } }
    }

    deinit { server?.stop(deadlineSeconds: 0) }

    private struct LinesOnly: HTTPHandler {
        let service: ControlService

        func admit(_ request: HTTPRequest) -> HTTPAdmission { .accept(bodyLimit: 0, account: .local) }

        func handle(_ request: HTTPRequest, _ responder: any HTTPResponder) {}

        func openLines(_ peer: HTTPPeer, _ connection: any LineConnection) -> any LineReceiver {
            ControlLines(service, connection)
        }
    }

    /// Executes a command and waits for its answer.
    func answer(_ call: any Call) -> Result<JSONValue, ControlError> {
        let done = DispatchSemaphore(value: 0)
        let answer = Mutex<ControlService.Answer?>(nil)
        service.execute(call) { result in
            answer.withLock { $0 = result }
            done.signal()
        }
        guard done.wait(timeout: .now() + 30) == .success, let result = answer.withLock({ $0 }) else {
            return .failure(ControlError(.controlBusy, "no answer in time"))
        }
        return result.map { (try? JSONValue(parsing: $0)) ?? .null }
    }

    /// Registers a window.
    func connect(_ request: SessionRequest) throws {
        _ = try answer(SceneConnect([request])).get()
    }

    /// A finished delivery in the journal, and its record published.
    @discardableResult
    func finish(_ state: DeliveryState = .done, input: String = "{}") throws -> DecisionRecord {
        var record = DecisionRecord(
            id: UUIDv7.next(), sequence: 1, time: .now, source: "test", configuration: "d", action: .focus,
            reason: .can, outcome: .done)
        if state == .failed { record.error = .init(.exitStatus, "it failed") }
        let delivery = Store.NewDelivery(
            id: record.id, source: "test", accepted: record.time.microseconds, input: Array(input.utf8))
        try backend.store.record([
            Store.Finished(
                delivery, state: state, record: record.json,
                decision: Store.DecisionText(action: .focus, reason: .can))
        ])
        service.records.publish(record)
        return record
    }
}

/// The backend of a daemon without a dispatcher: its store is real, and dispatches are answered without an effect.
final class ControlTestBackend: ControlBackend {
    let hello: ControlHello
    let configuration: LoadedConfiguration
    let store: Store
    let echo = EchoIntake()
    let secrets = SecretFiles(credentials: nil, logger: Logger(level: .error))
    let listeners = HookListeners()

    func prepareToAct() {}

    var hasDeliveries: Bool { false }

    func waitForDeliveries() {}

    func yield() throws(ControlError) { throw .protocolViolation("it is resident") }

    func cancel(_ cancellation: Cancellation) { cancellation.request() }

    /// What runs apps' commands.
    let activator: Activator

    init(state: String, configuration path: String, runs: Bool, windows: [WindowList.Window]) throws {
        activator = Activator(
            windowSystem: DryRunWindowSystem(windows: windows), environment: ["PATH": "/usr/bin:/bin", "HOME": state],
            stateDirectory: state, isDryRun: !runs)
        configuration = ConfigurationLoader.load(path: path)
        store = try Store(directory: state, access: .readWrite, features: .all)
        hello = ControlHello(
            version: "0.1.0", pid: getpid(), configuration: path, digest: configuration.configuration.digest,
            state: state)
    }

    var intake: any Intake { echo }
    var context: OperationContext {
        var context = OperationContext(
            store, sessions: store, configuration: configuration.configuration, activator: activator,
            logger: Logger(level: .error), engine: self, openings: .all)
        context.activation = { $0.state.isOpen ? nil : .unattached }
        return context
    }

    var followedSystems: [String] { ["tmux"] }

    func reload() throws(ControlError) -> ReloadAnswer {
        throw ControlError(.daemonReload, "the configuration has 2 errors: the old one stays in use")
    }

    var status: StatusAnswer {
        var status = StatusAnswer()
        status.deliveries.waiting = 1
        return status
    }
}

/// Answers every arrival with a record, on another thread, groups of them in reverse order.
final class EchoIntake: Intake {
    private let held = Mutex<[Arrival]>([])
    private let taken = Mutex(0)
    private let refusals = Mutex(0)
    private let queue = DispatchQueue(label: "echo")

    /// The next submissions are not taken.
    func refuse(_ count: Int) { refusals.withLock { $0 = count } }

    /// The numbers of those that were taken, in order.
    var sequences: [Int] { order.withLock { $0 } }
    private let order = Mutex<[Int]>([])

    /// The activation tokens of those that were taken.
    var tokens: [String?] { given.withLock { $0 } }
    private let given = Mutex<[String?]>([])

    /// The inputs of those that were taken.
    var inputs: [String] { bodies.withLock { $0 } }
    private let bodies = Mutex<[String]>([])

    /// How many were taken.
    var count: Int { taken.withLock { $0 } }

    func submit(_ arrivals: [Arrival]) -> Bool {
        let isRefused = refusals.withLock { count in
            guard count > 0 else { return false }
            count -= 1
            return true
        }
        if isRefused { return false }
        order.withLock { $0 += arrivals.compactMap(\.sequence) }
        given.withLock { $0 += arrivals.map(\.token) }
        bodies.withLock { $0 += arrivals.map { String(decoding: $0.input, as: UTF8.self) } }
        held.withLock { $0 += arrivals }
        taken.withLock { $0 += arrivals.count }
        queue.asyncAfter(deadline: .now() + .milliseconds(5)) { [self] in
            let arrivals = held.withLock { held in
                defer { held = [] }
                return held
            }
            for arrival in arrivals.reversed() { arrival.events.finished?(EchoIntake.record(of: arrival)) }
        }
        return true
    }

    private static func record(of arrival: Arrival) -> DecisionRecord {
        var record = DecisionRecord(
            id: UUIDv7.next(), sequence: arrival.sequence, time: .now, source: arrival.source,
            configuration: "d", action: .focus, reason: .can, outcome: .done)
        record.app = arrival.app
        switch arrival.reading {
        case .success(let payload):
            record.target = payload.targetContentIdentifier
            record.title = payload.title
            record.format = payload.format.rawValue
        case .failure(let error):
            record.action = .none
            record.reason = .invalid
            record.error = .init(
                error.code, error.message, at: error.pointer, offset: error.offset)
        }
        return record
    }
}
