import Glibc
import Synchronization
import TestSupport
import Testing
import UsherJSON

@testable import UsherHTTP

/// What is understood, what is refused, and how that is said.
@Suite(.timeLimit(.minutes(20)))
struct HTTPMessageTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        var name: String
        var text: String
        var status: Int
        var code: String
        var testDescription: String { name }

        init(_ name: String, _ text: String, _ status: Int, _ code: String) {
            self.name = name
            self.text = text.replacing("\n", with: "\r\n").replacing("␊", with: "\n").replacing("␍", with: "\r")
            self.status = status
            self.code = code
        }
    }

    static let host = "Host: localhost\n"
    static let refusals = [
        Refusal("bare line feed", "GET / HTTP/1.1␊Host: a␊␊", 400, "U6101 http.malformed"),
        Refusal("bare line feed, at once", "GET / HTTP/1.1␊", 400, "U6101 http.malformed"),
        Refusal("bare carriage return", "GET / HTTP/1.1\nHost: a\nX: a␍b\n\n", 400, "U6101 http.malformed"),
        Refusal("folded field", "GET / HTTP/1.1\n\(host)X: a\n b\n\n", 400, "U6101 http.malformed"),
        Refusal("blank before the colon", "GET / HTTP/1.1\n\(host)X : a\n\n", 400, "U6101 http.malformed"),
        Refusal("zero byte", "GET / HTTP/1.1\n\(host)X: \u{0}\n\n", 400, "U6101 http.malformed"),
        Refusal("no method", "?? / HTTP/1.1\n\(host)\n", 400, "U6101 http.malformed"),
        Refusal("no version", "GET /\n\n", 400, "U6101 http.malformed"),
        Refusal("half a version", "GET / HTTP/1\n\n\n", 400, "U6101 http.malformed"),
        Refusal("fragment", "GET /#a HTTP/1.1\n\(host)\n", 400, "U6101 http.malformed"),
        Refusal("asterisk with GET", "GET * HTTP/1.1\n\(host)\n", 400, "U6101 http.malformed"),
        Refusal("target without a slash", "GET nonsense HTTP/1.1\n\(host)\n", 400, "U6101 http.malformed"),
        Refusal("target of another scheme", "GET ftp://a/ HTTP/1.1\n\(host)\n", 400, "U6101 http.malformed"),
        Refusal("user in the target's authority", "GET http://a@b/ HTTP/1.1\n\(host)\n", 400, "U6101 http.malformed"),
        Refusal("TLS", "\u{16}\u{3}\u{1}", 400, "U6101 http.malformed"),
        Refusal(
            "length and coding", "POST / HTTP/1.1\n\(host)Content-Length: 1\nTransfer-Encoding: chunked\n\n", 400,
            "U6102 http.framing"),
        Refusal(
            "two equal lengths", "POST / HTTP/1.1\n\(host)Content-Length: 1\nContent-Length: 1\n\na", 400,
            "U6102 http.framing"),
        Refusal("length with a sign", "POST / HTTP/1.1\n\(host)Content-Length: +1\n\na", 400, "U6102 http.framing"),
        Refusal(
            "length of 19 digits", "POST / HTTP/1.1\n\(host)Content-Length: 1000000000000000000\n\na", 400,
            "U6102 http.framing"),
        Refusal(
            "coding in HTTP/1.0", "POST / HTTP/1.0\n\(host)Transfer-Encoding: chunked\n\n", 400, "U6102 http.framing"),
        Refusal(
            "chunk of no size", "POST / HTTP/1.1\n\(host)Transfer-Encoding: chunked\n\nx\n", 400, "U6102 http.framing"),
        Refusal(
            "chunk too long", "POST / HTTP/1.1\n\(host)Transfer-Encoding: chunked\n\n1\nab", 400, "U6102 http.framing"),
        Refusal("no host", "GET / HTTP/1.1\n\n", 400, "U6103 http.host"),
        Refusal("two hosts", "GET / HTTP/1.1\n\(host)\(host)\n", 400, "U6103 http.host"),
        Refusal(
            "long head", "GET / HTTP/1.1\nX: " + String(repeating: "a", count: 20_000), 431, "U6104 http.head-too-large"
        ),
        Refusal(
            "101 fields", "GET / HTTP/1.1\n\(host)" + String(repeating: "X: a\n", count: 100) + "\n", 431,
            "U6104 http.head-too-large"),
        Refusal("long target", "GET /" + String(repeating: "a", count: 20_000), 414, "U6105 http.target-too-long"),
        Refusal(
            "long target of a whole head", "GET /" + String(repeating: "a", count: 17_000) + " HTTP/1.1\n\(host)\n",
            414,
            "U6105 http.target-too-long"),
        Refusal("long body", "POST / HTTP/1.1\n\(host)Content-Length: 65537\n\n", 413, "U6106 http.body-too-large"),
        Refusal(
            "long chunks",
            "POST / HTTP/1.1\n\(host)Transfer-Encoding: chunked\n\n10001\n" + String(repeating: "a", count: 65_537),
            413, "U6106 http.body-too-large"),
        Refusal("HTTP/2.0", "GET / HTTP/2.0\n\(host)\n", 505, "U6108 http.version"),
        Refusal(
            "other coding", "POST / HTTP/1.1\n\(host)Transfer-Encoding: gzip\n\n", 501, "U6109 http.not-implemented"),
        Refusal("CONNECT", "CONNECT a:1 HTTP/1.1\n\(host)\n", 501, "U6109 http.not-implemented"),
        Refusal("expectation", "POST / HTTP/1.1\n\(host)Expect: x\n\n", 417, "U6110 http.expectation"),
    ]

    @Test(arguments: refusals) func refuses(_ refusal: Refusal) throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(refusal.text)
        let answer = try #require(try client.answer())
        #expect(answer.status == refusal.status)
        #expect(answer.field("Content-Type") == "application/problem+json")
        #expect(answer.field("Connection") == "close")
        let problem = try JSONValue(parsing: Array(answer.body.utf8))
        let error = try #require(problem["error"])
        #expect("\(error["code"]?.string ?? "") \(error["name"]?.string ?? "")" == refusal.code)
        #expect(problem["type"]?.string == "about:blank")
        #expect(problem["detail"] == error["message"])
        #expect(error["message"]?.string?.isEmpty == false)
        #expect(try client.isAtEnd())
        #expect(server.handler.handled.load(ordering: .relaxed) == 0)
    }

    struct Exchange: Sendable, CustomTestStringConvertible {
        var name: String
        var text: String
        var body: String
        var testDescription: String { name }

        init(_ name: String, _ text: String, _ body: String) {
            self.name = name
            self.text = text.replacing("\n", with: "\r\n")
            self.body = body
        }
    }

    static let exchanges = [
        Exchange("length", "POST /echo HTTP/1.1\n\(host)Content-Length: 3\n\nabc", "abc"),
        Exchange("no body", "POST /count HTTP/1.1\n\(host)\n", "0"),
        Exchange(
            "chunks",
            "POST /echo HTTP/1.1\n\(host)Transfer-Encoding: Chunked\n\n3;x=\"y\"\nabc\n00A \t;z\n0123456789\n0\nT: u\n\n",
            "abc0123456789"),
        Exchange("no chunk", "POST /count HTTP/1.1\n\(host)Transfer-Encoding: chunked\n\n0\n\n", "0"),
        Exchange(
            "fields", "GET /fields?a=b HTTP/1.1\nhost:\tlocalhost \nX-Empty:\nX-A:  b c\t\n\n",
            "/fields?a=b host=localhost|X-Empty=|X-A=b c"),
        Exchange("absolute target", "GET http://other:8/fields HTTP/1.1\n\(host)X: a\n\n", "/fields Host=other:8|X=a"),
        Exchange("absolute target without a path", "GET HTTP://other?a HTTP/1.1\n\(host)\n", #"{"status":"accepted"}"#),
        Exchange("every byte of a token", "!#$%&'*+-.^_`|~0aZ /count HTTP/1.1\n\(host)!#$%&'*+-.^_`|~0aZ: a\n\n", "0"),
        Exchange("HTTP/1.9", "GET /count HTTP/1.9\n\(host)\n", "0"),
        Exchange("obsolete bytes", "GET /fields HTTP/1.1\n\(host)X: ä\n\n", "/fields Host=localhost|X=ä"),
        Exchange("OPTIONS *", "OPTIONS * HTTP/1.1\n\(host)\n", #"{"status":"accepted"}"#),
        Exchange(
            "exactly 100 fields", "GET /count HTTP/1.1\n\(host)" + String(repeating: "X: a\n", count: 99) + "\n", "0"),
        Exchange(
            "body at the limit",
            "POST /count HTTP/1.1\n\(host)Content-Length: 65536\n\n" + String(repeating: "a", count: 65_536), "65536"),
    ]

    @Test(arguments: exchanges) func understands(_ exchange: Exchange) throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(exchange.text + exchange.text)
        #expect(try client.answer()?.body == exchange.body)
        #expect(try client.answer()?.body == exchange.body)
    }

    /// Whatever the network does to a stream of bytes, the same requests come out of it.
    @Test(arguments: 0..<8) func understandsInAnyPieces(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let server = try TestServer()
        let client = try server.connect()
        let all = Self.exchanges.filter { $0.text.utf8.count < 2_000 }
        var bytes = all.flatMap { Array($0.text.utf8) }[...]
        while !bytes.isEmpty {
            let count = min(bytes.count, Int.random(in: 1...60, using: &random))
            client.send(Array(bytes.prefix(count)))
            bytes = bytes.dropFirst(count)
            // Else the kernel would put many pieces together.
            if count % 7 == 0 { usleep(500) }
        }
        for exchange in all { #expect(try client.answer()?.body == exchange.body) }
    }

    @Test func answersHEADWithoutABody() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("HEAD /bulk HTTP/1.1\r\nHost: a\r\n\r\nGET /count HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer(toHead: true)?.field("Content-Length") == "1048576")
        #expect(try client.answer()?.body == "0")
    }

    @Test func sendsNoBodyWithout() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("GET /empty HTTP/1.1\r\nHost: a\r\n\r\nGET /count HTTP/1.1\r\nHost: a\r\n\r\n")
        let answer = try #require(try client.answer())
        #expect(answer.status == 204)
        #expect(answer.field("Content-Length") == nil)
        #expect(try client.answer()?.body == "0")
    }

    @Test func cannotBeMadeToSplitAnswers() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("GET /split HTTP/1.1\r\nHost: a\r\n\r\n")
        let answer = try #require(try client.answer())
        #expect(answer.field("X-Value") == "a  X-Evil: b")
        #expect(answer.field("X-Evil") == nil)
        #expect(answer.field("Bad Name") == nil)
        #expect(answer.field("Content-Length") == "0")
    }

    /// A refusal before the body: short ones are read, so that the connection lives on.
    @Test func refusesEarly() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(
            "POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET /count HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.answer()?.status == 401)
        #expect(try client.answer()?.body == "0")
        client.send("POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.answer()?.status == 401)
        #expect(try client.isAtEnd())
        let other = try server.connect()
        other.send("POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n")
        other.send(String(repeating: "a", count: 3_000_000))
        #expect(try other.answer()?.status == 401)
        #expect(server.handler.handled.load(ordering: .relaxed) == 1)
    }

    @Test func tellsProblems() throws {
        var problem = HTTPProblem(
            status: 422, code: .init("U6299", "webhook.test"), message: "a \"quote\"\n", help: "none", at: "/a/b",
            offset: 7,
            retryAfter: 3)
        problem.fields = [.init("WWW-Authenticate", "Bearer")]
        let response = problem.response
        #expect(response.fields["retry-after"] == "3")
        #expect(response.fields["www-authenticate"] == "Bearer")
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == #"{"type":"about:blank","title":"Unprocessable Content","status":422,"detail":"a \"quote\"\n","help":"none","error":{"code":"U6299","name":"webhook.test","#
                + #""message":"a \"quote\"\n","at":"/a/b","offset":7,"line":null,"column":null,"help":"none"}}"#)
    }
}
