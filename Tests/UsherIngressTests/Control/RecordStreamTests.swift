import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UsherEngine
import UsherHTTP
import UsherIngress
import UsherJSON
import UsherLog
import UsherOperation
import UsherScene
import UsherStore
import UsherSystem
import UsherText

/// Records over real connections, to subscribers that reconnect, read slowly, or do not read at all.
@Suite(.timeLimit(.minutes(20)))
struct RecordStreamTests {
    enum Way: String, CaseIterable, CustomTestStringConvertible {
        case events = "Server-Sent Events"
        case lines = "JSON Lines"
        var testDescription: String { rawValue }
    }

    @Test(
        "a subscriber that reconnects gets each later record once, in order", arguments: Way.allCases)
    func backlogIsPaced(_ way: Way) throws {
        let server = try RecordServer()
        let first = try server.fixture.finish().id
        var expected = try server.finish(3000)
        let reader = try RecordReader(server, way, since: first)
        // More comes while it catches up.
        for _ in 0..<20 { expected += try server.finish(25) }
        #expect(try reader.ids(expected.count) == expected)
        // And it is where the others are.
        expected = try server.finish(3)
        #expect(try reader.ids(3) == expected)
    }

    @Test("a subscriber that does not read delays no other one and loses no record", arguments: Way.allCases)
    func stalledReaderIsAlone(_ way: Way) throws {
        let server = try RecordServer()
        let first = try server.fixture.finish().id
        var expected = try server.finish(3000)
        let stalled = try RecordReader(server, way, since: first)
        let others = try (0..<4).map { _ in try RecordReader(server, way, since: nil) }
        for _ in 0..<10 {
            let new = try server.finish(20)
            for other in others { #expect(try other.ids(20) == new) }
            expected += new
        }
        #expect(try stalled.ids(expected.count) == expected)
    }

    /// More is published at once than a stream may hold, or the broadcast keeps.
    @Test("a subscriber gets every record of a burst", arguments: Way.allCases, [100, 4000])
    func burstIsPaced(_ way: Way, _ length: Int) throws {
        let server = try RecordServer()
        let reader = try RecordReader(server, way, since: nil)
        var expected = try server.finish(1)
        #expect(try reader.ids(1) == expected)
        expected = []
        for _ in 0..<3 { expected += try server.finish(1000, title: String(repeating: "a", count: length)) }
        #expect(try reader.ids(expected.count) == expected)
        #expect(server.fixture.service.records.subscriberCount == 1)
    }

    @Test("a delivery that is asked for again has another record")
    func secondRecordIsSent() throws {
        let server = try RecordServer()
        let first = try server.fixture.finish().id
        let failed = try server.fixture.finish(.failed).id
        let reader = try RecordReader(server, .events, since: first)
        #expect(try reader.ids(1) == [failed])
        var record = DecisionRecord(
            id: failed, sequence: 2, time: .now, source: "test", configuration: "d", action: .focus, reason: .can,
            outcome: .done)
        record.title = "again"
        server.fixture.service.records.publish(record)
        #expect(try reader.ids(1) == [failed])
    }

    @Test("a subscriber that disconnects with unsent records is removed", arguments: Way.allCases)
    func goneReaderIsForgotten(_ way: Way) throws {
        let server = try RecordServer()
        let first = try server.fixture.finish().id
        try server.finish(3000)
        var reader: RecordReader? = try RecordReader(server, way, since: first)
        #expect(try reader?.ids(1).count == 1)
        reader = nil
        #expect(eventually { server.fixture.service.records.subscriberCount == 0 })
    }
}

/// The control access behind the daemon's own server.
private final class RecordServer {
    let fixture: ControlFixture
    private let server = Mutex<HTTPServer?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    init() throws {
        fixture = try ControlFixture(isDaemon: false)
        let server = try HTTPServer(
            listeners: [.init(.local(path: fixture.socket), label: "control", takesLines: true)],
            handler: Endpoint(fixture)
        )
        self.server.withLock { $0 = server }
        Thread.detachNewThread { [ended] in
            try? server.run()
            ended.signal()
        }
    }

    deinit {
        server.withLock { $0?.stop(deadlineSeconds: 0) }
        ended.wait()
    }

    /// Finishes some deliveries at once, as a batch does.
    @discardableResult
    func finish(_ count: Int, title: String? = nil) throws -> [String] {
        let records = (0..<count).map { _ in
            var record = DecisionRecord(
                id: UUIDv7.next(), sequence: 1, time: .now, source: "test", configuration: "d", action: .focus,
                reason: .can, outcome: .done)
            record.title = title
            return record
        }
        try fixture.backend.store.record(
            records.map {
                Store.Finished(
                    Store.NewDelivery(
                        id: $0.id, source: "test", accepted: $0.time.microseconds, input: Array("{}".utf8)),
                    state: .done, record: $0.json, decision: Store.DecisionText(action: .focus, reason: .can))
            })
        for record in records { fixture.service.records.publish(record) }
        return records.map(\.id)
    }
}

private struct Endpoint: HTTPHandler {
    let service: ControlService

    init(_ fixture: ControlFixture) { service = fixture.service }

    func admit(_ request: HTTPRequest) -> HTTPAdmission { .accept(bodyLimit: 0, account: .local) }

    func handle(_ request: HTTPRequest, _ responder: any HTTPResponder) {
        ControlRoutes(service).handle(request, responder)
    }

    func openLines(_ peer: HTTPPeer, _ connection: any LineConnection) -> any LineReceiver {
        ControlLines(service, connection)
    }
}

/// Reads records from a socket, as fast as it can.
private final class RecordReader {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private let mark: [UInt8]

    /// Returns once it is subscribed.
    init(_ server: RecordServer, _ way: RecordStreamTests.Way, since: String?) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        mark = Array((way == .events ? "\nid: " : #""record":{"v":1,"id":""#).utf8)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(server.fixture.socket.utf8)) }
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        var time = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        let request =
            switch way {
            case .events:
                "GET /v1/records HTTP/1.1\r\nHost: a\r\n" + (since.map { "Last-Event-ID: \($0)\r\n" } ?? "") + "\r\n"
            case .lines:
                #"{"id":1,"command":"records","arguments":{\#(since.map { #""since":"\#($0)""# } ?? "")}}"# + "\n"
            }
        let bytes = Array(request.utf8)
        try #require(connected == 0 && send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
        let greeting = way == .events ? ": usherd\n\n" : #"{"streaming":true}"#
        while !String(decoding: buffer, as: UTF8.self).contains(greeting) { try #require(fill()) }
    }

    deinit { close(descriptor) }

    private func fill() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 256 * 1024)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return false }
        buffer += bytes[..<count]
        return true
    }

    /// The ids of so many records, or of those that came before the end.
    func ids(_ count: Int) throws -> [String] {
        var found: [String] = []
        while found.count < count {
            var start = 0
            let last = buffer.count - mark.count - 36
            var index = 0
            while index <= last, found.count < count {
                if buffer[index] == mark[0], buffer[index..<index + mark.count].elementsEqual(mark) {
                    index += mark.count
                    found.append(String(decoding: buffer[index..<index + 36], as: UTF8.self))
                    index += 36
                    start = index
                } else {
                    index += 1
                }
            }
            buffer.removeFirst(max(start, min(index, max(0, last))))
            if found.count < count, !fill() { break }
        }
        return found
    }
}
