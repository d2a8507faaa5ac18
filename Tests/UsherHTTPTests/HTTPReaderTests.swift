import TestSupport
import Testing

@testable import UsherHTTP

/// The readers of heads and bodies without a connection, cut at every place.
@Suite("HTTP readers")
struct HTTPReaderTests {
    /// What is read of a text that arrives in two pieces, or why it is refused.
    private func head(_ text: String, cut: Int, limits: HTTPServer.Limits = .init()) -> String {
        head(Array(text.utf8), cut: cut, limits: limits)
    }

    private func head(_ bytes: [UInt8], cut: Int, limits: HTTPServer.Limits = .init()) -> String {
        var scanner = HeadScanner()
        do throws(HTTPProblem) {
            var end: Int?
            for count in [cut, bytes.count] where end == nil {
                end = try scanner.end(in: bytes.span.extracting(first: count), limit: limits.head)
            }
            guard let end else { return "incomplete" }
            let head = try RequestHead(bytes.span, in: scanner.leading..<end, limits: limits)
            let length = head.isChunked ? "chunked" : head.contentLength.map(String.init) ?? "-"
            return "\(String(decoding: bytes[head.method], as: UTF8.self)) "
                + "\(String(decoding: bytes[head.target], as: UTF8.self)) \(head.lines.count) fields, \(length), "
                + "\(head.keepsAlive ? "keeps" : "closes"), \(bytes.count - end) left"
        } catch {
            return "\(error.status) \(error.message)"
        }
    }

    @Test("a mutated head is read, refused or not whole, and the same wherever it is cut", arguments: 0..<2)
    func mutations(_ seed: Int) {
        let heads = [
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://a:80/b?c HTTP/1.0\r\nConnection: keep-alive, x\r\n\r\n",
            "POST /x HTTP/1.1\r\nhost:[::1]:8484\r\nContent-Length: 12\r\nExpect: 100-continue\r\n\r\n{}",
            "PUT /%41 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nX-Empty:\r\n\r\n0\r\n\r\n",
        ]
        let mutator = SampleMutator(
            heads.map { Array($0.utf8) },
            fragments: [
                "\r", "\r\n", "\r\n ", "\r\n\r\n", ":", " ", "\t", ",", ";", "Host: b\r\n", "Content-Length: 1\r\n",
                "+1", "gzip, ",
                "Transfer-Encoding: identity\r\n", "%00", "HTTP/1.1", "*", "CONNECT ", "99999999999999999999",
            ])
        var generator = SeededGenerator(seed: UInt64(seed))
        var found: [String: Int] = [:]
        for round in 0..<2000 {
            let bytes = mutator.mutation(&generator)
            let whole = head(bytes, cut: bytes.count)
            let cut = Int.random(in: 0...bytes.count, using: &generator)
            #expect(head(bytes, cut: cut) == whole, "seed \(seed), round \(round), cut at \(cut)")
            let first = String(whole.prefix { $0 != " " })
            #expect(Int(first).map { (400...505).contains($0) } ?? true, "seed \(seed), round \(round): \(whole)")
            found[Int(first) == nil ? first : "refused", default: 0] += 1
        }
        #expect(["GET", "POST", "PUT", "incomplete", "refused"].allSatisfy { found[$0, default: 0] > 20 }, "\(found)")
    }

    @Test(
        "a head is the same wherever it is cut",
        arguments: [
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / 1 fields, -, keeps, 0 left"),
            ("\r\n\r\nGET /a?b HTTP/1.0\r\n\r\nGET", "GET /a?b 0 fields, -, closes, 3 left"),
            (
                "POST /x HTTP/1.1\r\nhost:a\r\nContent-Length: 12\r\nConnection: close\r\n\r\n{}",
                "POST /x 3 fields, 12, closes, 2 left"
            ),
            (
                "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST /x 2 fields, chunked, keeps, 5 left"
            ),
            ("GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n", "GET / 2 fields, -, keeps, 0 left"),
            ("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n", "GET / 2 fields, -, closes, 0 left"),
            ("GET http://a/b HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://a/b 1 fields, -, keeps, 0 left"),
            ("GET / HTTP/1.1\r\nHost: a\r\n", "incomplete"),
            ("GET / HTTP/1.1\nHost: a\n\n", "400 a line of the head ends without a carriage return"),
            ("\u{16}\u{3}\u{1}", "400 this looks like TLS, and the port speaks plain HTTP"),
        ])
    func heads(text: String, expected: String) {
        for cut in 0...text.utf8.count { #expect(head(text, cut: cut) == expected, "cut at \(cut)") }
    }

    @Test(
        "a head that two readers could understand differently is refused, wherever it is cut",
        arguments: [
            "Host: a\r\nHost: b", "Host: a\r\nContent-Length: 1\r\nContent-Length: 2", "Host: a\r\nContent-Length: +1",
            "Host: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked", "Host: a\r\n b: c", "Host : a",
            "Host: a\r\nX: \u{1}", "Host: a\r\nTransfer-Encoding: chunked, chunked", "",
            "Host: a\r\nContent-Length: 1, 1", "Host: a\r\nContent-Length: -1", "Host: a\r\nContent-Length: 0x0f",
            "Host: a\r\nContent-Length: 18446744073709551631", "Host: a\r\nContent-Length: 1 5",
            "Host: a\r\nContent-Length: ", "Host: a\r\nContent-Length: 1e1", "Host: a\r\nTransfer-Encoding: xchunked",
            "Host: a\r\nTransfer-Encoding: chunked, identity", "Host: a\r\nTransfer-Encoding: gzip, chunked",
            "Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked", " X: b\r\nHost: a",
            "Host: a\r\nX: \u{7F}",
            "Host: a\r\n: b", "Host: a\r\nnonsense", "Host: a/b", "Host: a b",
        ])
    func ambiguous(fields: String) {
        let text = "POST / HTTP/1.1\r\n" + (fields.isEmpty ? "" : fields + "\r\n") + "\r\n"
        let whole = head(text, cut: 0)
        #expect(whole.hasPrefix("400 ") || whole.hasPrefix("501 "), "\(whole)")
        for cut in 0...text.utf8.count { #expect(head(text, cut: cut) == whole, "cut at \(cut)") }
    }

    @Test(
        "a first line that is none is refused, wherever it is cut",
        arguments: [
            ("POST / ICY/1.1", 400), ("PO ST / HTTP/1.1", 400), ("GET  / HTTP/1.1", 400),
            ("GET /a\u{1}b HTTP/1.1", 400),
            ("GET /ä HTTP/1.1", 400),
            ("POST / HTTP/3.7", 505), ("\u{1}\u{2} garbage \u{0}", 400),
            (String(repeating: "\r\n", count: 40) + "GET / HTTP/1.1", 400),
        ])
    func lines(line: String, status: Int) {
        let text = line + "\r\nHost: a\r\n\r\n"
        for cut in 0...text.utf8.count { #expect(head(text, cut: cut).hasPrefix("\(status) "), "cut at \(cut)") }
    }

    @Test("a head above the limit is refused at the byte that is too many")
    func limit() {
        var limits = HTTPServer.Limits()
        let text = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        limits.head = text.utf8.count
        #expect(head(text, cut: 0, limits: limits).hasPrefix("GET / 1 fields"))
        limits.head -= 1
        #expect(head(text, cut: 0, limits: limits).hasPrefix("431 "))
        #expect(head("GET /" + text, cut: 5, limits: limits).hasPrefix("431 "))
        #expect(head("GET /" + String(repeating: "a", count: limits.head), cut: 5, limits: limits).hasPrefix("414 "))
    }

    /// The body that is read of chunks that arrive in two pieces, or why they are refused.
    private func body(_ text: String, cut: Int) -> String {
        let bytes = Array(text.utf8)
        var chunks = ChunkedBody()
        var body: [UInt8] = []
        do throws(HTTPProblem) {
            for piece in [bytes[..<cut], bytes[cut...]].map(Array.init) {
                var place = 0
                reading: while true {
                    switch try chunks.next(piece.span, &place) {
                    case .more: break reading
                    case .data(let range): body += piece[range]
                    case .end: return String(decoding: body, as: UTF8.self)
                    }
                }
            }
            return "incomplete"
        } catch {
            return "\(error.status) \(error.message)"
        }
    }

    @Test(
        "a chunked body is the same wherever it is cut",
        arguments: [
            ("0\r\n\r\n", ""), ("3\r\nabc\r\n0\r\n\r\n", "abc"), ("1;a=b\r\nx\r\n01\r\ny\r\n0\r\nT: v\r\n\r\n", "xy"),
            ("a \t;q=\"1\"\r\n0123456789\r\n00\r\n\r\nGET", "0123456789"), ("3\r\nab", "incomplete"),
            ("3\r\nabcd\r\n", "400 the end of a chunk of the chunked body is malformed"),
            ("g\r\n", "400 a chunk size of the chunked body is malformed"),
            ("\r\n", "400 a chunk size of the chunked body is malformed"),
            ("1 \r\nx", "400 a chunk size of the chunked body is malformed"),
            ("0\r\n: v\r\n\r\n", "400 a trailer of the chunked body is malformed"),
            ("0\r\n\rX", "400 the end of the body of the chunked body is malformed"),
            ("1000000000000000\r\n", "400 a chunk is too large"),
            ("11111111111111111\r\n", "400 a chunk is too large"),
            ("-1\r\n", "400 a chunk size of the chunked body is malformed"),
            ("0x5\r\nhello\r\n", "400 a chunk size of the chunked body is malformed"),
            ("5\nhello\n0\n\n", "400 a chunk size of the chunked body is malformed"),
            ("5\r\nhello0\r\n", "400 the end of a chunk of the chunked body is malformed"),
            ("5;a\nb\r\nhello\r\n", "400 a chunk extension of the chunked body is malformed"),
            ("0\r\nno trailer\r\n\r\n", "400 a trailer of the chunked body is malformed"),
        ])
    func bodies(text: String, expected: String) {
        for cut in 0...text.utf8.count { #expect(body(text, cut: cut) == expected, "cut at \(cut)") }
    }
}
