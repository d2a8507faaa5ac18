import Foundation
import TestSupport
import Testing
import UsherHTTP

/// Bodies are charged to the account of their sender; clients without a proof share one account.
@Suite struct BodyMemoryTests {
    private static func body(_ count: Int) -> String { String(repeating: "a", count: count) }

    /// Sends all of a body but its last byte.
    private func hold(
        _ server: TestServer, _ count: Int, _ fields: String = "Client: one\r\n", locally: Bool = false
    ) throws -> Client {
        let client = locally ? try server.connectLocally() : try server.connect()
        client.send("POST /large HTTP/1.1\r\nHost: a\r\n\(fields)Content-Length: \(count)\r\n\r\n")
        // In two pieces, so that the first one is held whatever the last one does.
        client.send(Self.body(count / 2))
        try server.settle()
        client.send(Self.body(count - count / 2 - 1))
        return client
    }

    private func answer(_ client: Client) throws -> Int? {
        client.send("a")
        return try client.answer()?.status
    }

    /// A server with room for a megabyte in each account, filled by slow bodies of one client.
    private func full() throws -> (server: TestServer, slow: [Client]) {
        let server = try TestServer {
            ($0.localBodies, $0.provenBodies, $0.unprovenBodies) = (1_000_000, 1_000_000, 1_000_000)
            $0.bodyPatienceSeconds = 1000
        }
        let slow = try (0..<10).map { _ in try hold(server, 99_000) }
        #expect(try eventually { try isFull(server) })
        return (server, slow)
    }

    /// Whether another body of the same client finds no room.
    private func isFull(_ server: TestServer) throws -> Bool {
        let client = try server.connect()
        client.send(
            "POST /large HTTP/1.1\r\nHost: a\r\nClient: one\r\nContent-Length: 50001\r\n\r\n" + Self.body(50_000))
        try server.settle()
        client.send("a")
        guard let answer = try client.answer(), answer.status == 503 else { return false }
        #expect(answer.field("Retry-After") == "1")
        return true
    }

    @Test(arguments: [("Proven: yes\r\n", false), ("", true), ("Client: other\r\n", false)])
    func othersHaveRoom(_ fields: String, _ isLocal: Bool) throws {
        let (server, slow) = try full()
        #expect(try answer(hold(server, 400_000, fields, locally: isLocal)) == 202)
        withExtendedLifetime(slow) {}
    }

    /// What one client holds beyond its share is given to another one, and no more than that.
    @Test func sharesAreEqual() throws {
        let (server, slow) = try full()
        let other = try hold(server, 450_000, "Client: other\r\n")
        #expect(try answer(other) == 202)
        let refused = try slow.count { try answer($0) == 503 }
        #expect((1...5).contains(refused), "\(refused) of 10 gave way")
        // With as much as the others hold, it is refused itself.
        let (crowded, held) = try full()
        let half = try hold(crowded, 480_000, "Client: other\r\n")
        #expect(try answer(try hold(crowded, 480_000, "Client: other\r\n")) == 503)
        #expect(try answer(half) == 202)
        withExtendedLifetime(held) {}
    }

    /// A body that is complete with the first piece is judged at once, and needs no room.
    @Test func completeBodiesNeedNoRoom() throws {
        let (server, slow) = try full()
        for length in [0, 1, 20_000] {
            let client = try server.connect()
            client.send(
                "POST /count HTTP/1.1\r\nHost: a\r\nClient: one\r\nContent-Length: \(length)\r\n\r\n"
                    + Self.body(length))
            #expect(try client.answer()?.body == "\(length)")
        }
        withExtendedLifetime(slow) {}
    }

    /// A body that has taken long gives way to a newer one of the same client.
    @Test func longBodiesGiveWay() throws {
        let server = try TestServer {
            $0.unprovenBodies = 1_000_000
            $0.bodyPatienceSeconds = 0
        }
        let slow = try (0..<10).map { _ in try hold(server, 99_000) }
        #expect(try answer(hold(server, 900_000)) == 202)
        #expect(try slow.count { try answer($0) == 503 } >= 5)
    }

    @Test(arguments: [("Proven: yes\r\n", false), ("", true)])
    func eachAccountHasItsLimit(_ fields: String, _ isLocal: Bool) throws {
        let (server, slow) = try full()
        let first = try hold(server, 900_000, fields, locally: isLocal)
        #expect(try eventually { try answer(hold(server, 300_000, fields, locally: isLocal)) == 503 })
        #expect(try answer(first) == 202)
        #expect(try eventually { try answer(hold(server, 900_000, fields, locally: isLocal)) == 202 })
        withExtendedLifetime(slow) {}
    }

    @Test("a body that is released is not charged until the answer", arguments: [("/released", 202), ("/held", 503)])
    func releasedBodies(_ path: String, _ status: Int) throws {
        let server = try TestServer { ($0.localBodies, $0.provenBodies) = (1_000_000, 1_000_000) }
        for (fields, isLocal) in [("Proven: yes\r\n", false), ("", true)] {
            let waiting = try (0..<4).map { _ in
                let client = isLocal ? try server.connectLocally() : try server.connect()
                client.send("POST \(path) HTTP/1.1\r\nHost: a\r\n\(fields)Content-Length: 200000\r\n\r\n")
                client.send(Self.body(200_000))
                return client
            }
            #expect(try eventually { try answer(hold(server, 300_000, fields, locally: isLocal)) == status })
            withExtendedLifetime(waiting) {}
        }
    }

    /// The limit of an account is one for a body, too.
    @Test func bodyBeyondTheAccount() throws {
        let server = try TestServer { $0.unprovenBodies = 100_000 }
        let client = try server.connect()
        client.send("POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 100001\r\n\r\n")
        let answer = try #require(try client.answer())
        #expect(answer.status == 413)
        #expect(answer.body.contains("100000 bytes"))
    }

    /// Answers that clients do not read are limited together.
    @Test func unreadAnswersAreLimited() throws {
        let server = try TestServer {
            $0.unprovenOutput = 1 << 20
            $0.writeSeconds = 1000
        }
        let request = "GET /bulk HTTP/1.1\r\nHost: a\r\n\r\n"
        let deaf = try (0..<40).map { _ in
            let client = try server.connect()
            client.send(String(repeating: request, count: 20))
            return client
        }
        // Each has an unsent rest of up to 1 MiB, and those with the largest are closed: about nine stay.
        #expect(eventually { server.server.connectionCount < 20 })
        let reader = try server.connect()
        reader.send(request)
        #expect(try reader.answer()?.status == 200)
        withExtendedLifetime(deaf) {}
    }
}
