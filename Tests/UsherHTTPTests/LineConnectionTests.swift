import Foundation
import Synchronization
import TestSupport
import Testing
import UsherHTTP

/// JSON Lines on the Unix socket, beside HTTP.
@Suite(.timeLimit(.minutes(20)))
struct LineConnectionTests {
    @Test func echoesLines() throws {
        let server = try TestServer()
        let client = try server.connectLocally()
        client.send("{\"a\":1}\r\n\n{\"b\"")
        #expect(try client.line() == "{\"a\":1}")
        client.send(":2}\n")
        #expect(try client.line() == "{\"b\":2}")
        client.endSending()
        #expect(try client.isAtEnd())
        #expect(server.handler.lineEnds.load(ordering: .relaxed) == 1)
    }

    @Test func isForListenersThatTakeThem() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("{\"a\":1}\n")
        #expect(try client.answer()?.status == 400)
        #expect(server.handler.lines.withLock { $0 } == [])
    }

    @Test func takesLongLinesUpToTheLimit() throws {
        let server = try TestServer { $0.line = 100_000 }
        let client = try server.connectLocally()
        let line = "{" + String(repeating: "a", count: 99_999)
        client.send(line + "\n")
        #expect(try client.line() == line)
        client.send(line + "aa")
        #expect(try client.line()?.contains("U6113") == true)
        #expect(try client.isAtEnd())
        #expect(server.handler.lineEnds.load(ordering: .relaxed) == 1)
    }

    /// Nothing is lost when reading stops and goes on, even when the sender has gone meanwhile.
    @Test func stopsAndGoesOnReading() throws {
        let server = try TestServer()
        var client: Client? = try server.connectLocally()
        client?.send("{\"first\":1}\n")
        #expect(try client?.line() == "{\"first\":1}")
        let connection = try #require(server.handler.lineConnections.withLock { $0.first })
        connection.setReading(false)
        client?.send((0..<2000).map { "{\"n\":\($0)}\n" }.joined())
        try server.settle()
        #expect(server.handler.lines.withLock { $0.count } == 1)
        client = nil
        try server.settle()
        #expect(server.handler.lines.withLock { $0.count } == 1)
        connection.setReading(true)
        #expect(eventually { server.handler.lineEnds.load(ordering: .relaxed) == 1 })
        #expect(server.handler.lines.withLock { $0 } == ["{\"first\":1}"] + (0..<2000).map { "{\"n\":\($0)}" })
        #expect(server.stop())
    }

    /// Bytes that were sent before the connection was closed are read.
    @Test func readsWhatWasLeftBehind() throws {
        let server = try TestServer()
        for _ in 0..<20 {
            let client = try server.connectLocally()
            client.send((0..<500).map { "{\"n\":\($0)}\n" }.joined())
        }
        #expect(eventually { server.handler.lines.withLock { $0.count } == 20 * 500 })
        #expect(eventually { server.handler.lineEnds.load(ordering: .relaxed) == 20 })
    }

    @Test func dropsOneThatNeverReads() throws {
        let server = try TestServer {
            $0.lineBuffer = 100_000
            $0.highWater = 50_000
        }
        let client = try server.connectLocally()
        client.send("{}\n")
        #expect(eventually { server.handler.lineConnections.withLock { !$0.isEmpty } })
        let connection = try #require(server.handler.lineConnections.withLock { $0.first })
        let line = [UInt8](repeating: 0x61, count: 9_999) + [0x0A]
        var count = 0
        #expect(
            eventually {
                count += 1
                return !connection.send(line)
            })
        #expect(count < 1000)
        #expect(eventually { server.handler.lineEnds.load(ordering: .relaxed) == 1 })
    }

    /// A message posted when a deadline passes does not signal the loop, nor do messages posted after it.
    @Test func sleepsNotWhenAConnectionWasClosedLate() throws {
        let server = try TestServer { $0.writeSeconds = 0.3 }
        let reader = try server.connect()
        reader.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try reader.answer(toHead: true)?.status == 200)
        let stream = try #require(server.handler.streams.withLock { $0.first })
        let client = try server.connectLocally()
        client.send("{}\n")
        #expect(try client.line() == "{}")
        let connection = try #require(server.handler.lineConnections.withLock { $0.first })
        // It never reads, and its time is up while nothing else happens.
        connection.send([UInt8](repeating: 0x61, count: 4 << 20))
        #expect(eventually { server.handler.lineEnds.load(ordering: .relaxed) == 1 })
        #expect(eventually { server.isAsleep })
        stream.send(Array("data: 1\n\n".utf8))
        #expect(try reader.read(until: "data: 1"))
    }

    @Test func endsWithTheServer() throws {
        let server = try TestServer()
        let client = try server.connectLocally()
        client.send("{}\n")
        #expect(try client.line() == "{}")
        #expect(server.stop())
        #expect(try client.isAtEnd())
        #expect(server.handler.lineEnds.load(ordering: .relaxed) == 1)
    }
}
