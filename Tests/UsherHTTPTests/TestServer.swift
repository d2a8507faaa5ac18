import Foundation
import Synchronization
import TestSupport
import Testing
import UsherHTTP
import UsherSystem

/// A server on loopback and on a Unix socket, on a thread of its own until it is let go of.
final class TestServer {
    let server: HTTPServer
    let handler: SampleHandler
    private let files = TemporaryFolder()
    let events = Events()
    private let ended = DispatchSemaphore(value: 0)
    private let threadName = "http \(UInt32.random(in: 0 ... .max))"
    private var isStopped = false

    final class Events: Sendable {
        private let list = Mutex<[HTTPServerEvent]>([])
        func append(_ event: HTTPServerEvent) { list.withLock { $0.append(event) } }
        var all: [HTTPServerEvent] { list.withLock { $0 } }
    }

    init(
        _ handler: SampleHandler = SampleHandler(), tls: HTTPServer.TLSFiles? = nil,
        limits change: (inout HTTPServer.Limits) -> Void = { _ in }
    ) throws {
        let folder = files.path
        self.handler = handler
        var limits = HTTPServer.Limits()
        change(&limits)
        var listeners = [
            HTTPServer.Listener(.internet(host: "127.0.0.1", port: 0), label: "tcp"),
            HTTPServer.Listener(.local(path: folder + "/s"), label: "local", takesLines: true),
        ]
        if let tls {
            listeners.append(.init(.internet(host: "127.0.0.1", port: 0), label: "tls", tls: tls))
            listeners.append(.init(.local(path: folder + "/t"), label: "local tls", tls: tls))
        }
        server = try HTTPServer(
            listeners: listeners, limits: limits, handler: handler, events: { [events] in events.append($0) })
        // Foundation sometimes does not name a thread that has just begun: it lacks the handle, which the creating thread stores.
        let thread = SystemThread.start(named: threadName, stackSize: 8 << 20) { [server, ended] in
            do { try server.run() } catch { Issue.record(error) }
            ended.signal()
        }
        if thread == nil { Issue.record("no thread for the server") }
    }

    deinit { stop(deadlineSeconds: 0) }

    var folder: String { files.path }

    /// Stops and waits for the end.
    @discardableResult
    func stop(deadlineSeconds: Double = 30) -> Bool {
        guard !isStopped else { return true }
        server.stop(deadlineSeconds: deadlineSeconds)
        isStopped = waitForEnd()
        return isStopped
    }

    func waitForEnd() -> Bool { ended.wait(timeout: .now() + 60) == .success }

    /// Returns when the server has read what was sent before, on any connection: requests that came later are answered. The
    /// first answer may be of the same round of its loop.
    func settle() throws {
        let client = try connectLocally()
        for _ in 0..<2 {
            client.send("GET /empty HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.answer()?.status == 204)
        }
    }

    /// Whether its loop waits for something to happen.
    var isAsleep: Bool { ThreadWaits.limits(name: threadName).values.contains { $0 > 0 } }

    func port(_ index: Int = 0) -> UInt16 {
        guard case .internet(_, let port) = server.addresses[index] else { return 0 }
        return port
    }

    var tlsPort: UInt16 { port(2) }
    var socketPath: String { folder + "/s" }

    func connect() throws -> Client { try Client(port: port()) }
    func connectLocally() throws -> Client { try Client(path: socketPath) }
}
