import Glibc
import Testing
import UsherHTTP

/// Requests and answers over real sockets.
@Suite(.timeLimit(.minutes(20)))
struct HTTPServerTests {
    static let post = "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello"

    @Test func answersOnAPort() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(Self.post)
        let answer = try #require(try client.answer())
        #expect(answer.status == 200)
        #expect(answer.body == "hello")
        #expect(answer.field("Content-Type") == "text/plain")
        #expect(answer.field("Date")?.hasSuffix(" GMT") == true)
        #expect(answer.field("Connection") == nil)
        // And again, on the same connection.
        client.send(Self.post)
        #expect(try client.answer()?.body == "hello")
    }

    @Test func answersOnAUnixSocket() throws {
        let server = try TestServer()
        let client = try server.connectLocally()
        client.send(Self.post)
        #expect(try client.answer()?.body == "hello")
        client.send("GET /peer HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try client.answer()?.body.contains("local(user: \(geteuid()), ") == true)
    }

    @Test func answersPipelinedRequestsInOrder() throws {
        let server = try TestServer()
        let client = try server.connect()
        let requests = (0..<20).map { "GET /\($0 % 3 == 0 ? "fields" : "later")?\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }
        client.send(requests.joined())
        for i in 0..<20 {
            #expect(try client.answer()?.body.contains("\(i % 3 == 0 ? "?" : " ")\(i)") == true)
        }
    }

    @Test func answersOnce() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("GET /twice HTTP/1.1\r\nHost: h\r\n\r\nGET /count HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try client.answer()?.body == "once")
        #expect(try client.answer()?.body == "0")
    }

    @Test func stopsWhenAsked() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(Self.post)
        #expect(try client.answer()?.status == 200)
        #expect(server.stop())
        #expect(try client.isAtEnd())
        #expect(throws: Client.Failure.self) { try server.connect() }
        #expect(throws: Client.Failure.self) { try server.connectLocally() }
    }
}
