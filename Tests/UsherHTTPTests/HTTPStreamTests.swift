import Foundation
import Synchronization
import TestSupport
import Testing
import UsherHTTP

/// Answers without an end.
@Suite(.timeLimit(.minutes(20)))
struct HTTPStreamTests {
    private func open(_ server: TestServer, _ client: Client, version: String = "1.1") throws -> any HTTPStream {
        client.send("GET /stream HTTP/\(version)\r\nHost: a\r\n\r\n")
        #expect(eventually { server.handler.streams.withLock { !$0.isEmpty } })
        return try #require(server.handler.streams.withLock { $0.popLast() })
    }

    @Test func sendsPieces() throws {
        let server = try TestServer()
        let client = try server.connect()
        let stream = try open(server, client)
        let answer = try #require(try client.answer(toHead: true))
        #expect(answer.field("Transfer-Encoding") == "chunked")
        #expect(answer.field("Content-Length") == nil)
        #expect(stream.send(Array("data: 1\n\n".utf8)))
        #expect(try client.read(until: "9\r\ndata: 1\n\n\r\n"))
        #expect(stream.send(Array("data: 2\n\n".utf8)))
        stream.close()
        #expect(try client.read(until: "9\r\ndata: 2\n\n\r\n0\r\n\r\n"))
        // The connection lives on.
        client.send("GET /count HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.read(until: "HTTP/1.1 200 OK"))
        #expect(!stream.send(Array("late".utf8)))
    }

    @Test func endsWithTheConnectionInOldVersions() throws {
        let server = try TestServer()
        let client = try server.connect()
        let stream = try open(server, client, version: "1.0")
        stream.send(Array("data: 1\n\n".utf8))
        stream.close()
        let text = try client.rest()
        #expect(text.hasSuffix("\r\n\r\ndata: 1\n\n"))
        #expect(!text.contains("chunked"))
    }

    @Test func learnsThatTheReaderHasGone() throws {
        let server = try TestServer()
        var client: Client? = try server.connect()
        let stream = try open(server, try #require(client))
        client = nil
        #expect(eventually { !stream.send([0x0A]) })
    }

    @Test func learnsThatTheReaderHasGoneBeforeItBegan() throws {
        let server = try TestServer()
        var client: Client? = try server.connect()
        client?.send("GET /stream-late HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(eventually { server.handler.handled.load(ordering: .relaxed) == 1 })
        client?.reset()
        client = nil
        server.handler.late.signal()
        #expect(eventually { server.handler.streams.withLock { !$0.isEmpty } })
        let stream = try #require(server.handler.streams.withLock { $0.first })
        #expect(eventually { !stream.send([]) })
    }

    @Test func dropsASlowReader() throws {
        let server = try TestServer()
        let client = try server.connectLocally()
        let stream = try open(server, client)
        let piece = [UInt8](repeating: 0x61, count: 16 * 1024)
        var count = 0
        // As fast as a fast source: what the kernel takes and what the limit allows, and no more.
        #expect(
            eventually {
                count += 1
                return !stream.send(piece)
            })
        #expect(count < 100)
        #expect(try client.rest().utf8.count < 100 * piece.count)
    }

    @Test func counts() throws {
        let server = try TestServer()
        let client = try server.connectLocally()
        let stream = try open(server, client)
        let piece = [UInt8](repeating: 0x61, count: 1 << 20)
        stream.send(piece)
        #expect(stream.unsentBytes > 0)
        #expect(try client.take(piece.count) >= piece.count)
        #expect(eventually { stream.unsentBytes == 0 })
        // No bytes are kept for a client that is gone.
        stream.send(piece)
        client.reset()
        server.stop(deadlineSeconds: 0)
        #expect(stream.unsentBytes == 0)
        #expect(!stream.send([0x0A]))
    }

    /// A client is not dropped while the handler waits for room before it sends.
    @Test func keepsAClientWhoseHandlerWaitsForRoom() throws {
        let server = try TestServer()
        let client = try server.connectLocally()
        let stream = try open(server, client)
        let piece = [UInt8](repeating: 0x61, count: 700)
        Thread.detachNewThread {
            for _ in 0..<20_000 {
                guard eventually({ stream.unsentBytes <= 32 * 1024 }), stream.send(piece) else { break }
            }
        }
        // With what chunks have around them, and the head.
        #expect(try client.take(20_000 * 700) >= 20_000 * 700)
    }

    @Test func endsStreamsWhenItStops() throws {
        let server = try TestServer()
        let client = try server.connect()
        let stream = try open(server, client)
        _ = try client.answer(toHead: true)
        #expect(server.stop())
        #expect(try client.rest() == "0\r\n\r\n")
        #expect(!stream.send([0x0A]))
    }
}
