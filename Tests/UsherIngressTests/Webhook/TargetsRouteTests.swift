import Foundation
import Synchronization
import TestSupport
import Testing
import UsherConfiguration
import UsherEngine
import UsherHTTP
import UsherIngress
import UsherJSON
import UsherScene

/// `/v1/targets`: what is an answer, and what is a problem.
struct TargetsRouteTests {
    struct Case: CustomTestStringConvertible {
        var verb: String
        var type = "application/json"
        var body: String
        var status: Int
        var holds: String
        var testDescription: String { "\(verb) \(body.prefix(60))" }
    }

    static let cases = [
        Case(verb: "match", body: "{", status: 400, holds: #""name":"json."#),
        Case(verb: "match", body: "{}", status: 400, holds: "the line has no id"),
        Case(verb: "match", body: #"{"id":7}"#, status: 400, holds: "id is a number, not a string"),
        Case(verb: "match", body: "[]", status: 400, holds: "not an object"),
        Case(verb: "match", body: #"{"id":"tel:1"}"#, status: 200, holds: #""name":"match.none""#),
        Case(
            verb: "match", body: #"{"id":"https://clowntown.example/clowns/crusty"}"#, status: 200,
            holds: #""variables":{"clown":"crusty"}"#),
        Case(verb: "lint", body: "nonsense", status: 400, holds: #""name":"json."#),
        Case(verb: "lint", body: "{}", status: 400, holds: "the line has no id"),
        Case(verb: "lint", body: #""a""#, status: 200, holds: #""findings":["#),
        Case(verb: "build", body: "{", status: 400, holds: #""name":"json."#),
        Case(verb: "build", body: "{}", status: 400, holds: "neither a template nor a name"),
        Case(verb: "build", body: #"{"template":"{"}"#, status: 422, holds: #""at":"/template""#),
        Case(verb: "build", body: #"{"name":"nobody"}"#, status: 422, holds: #""title":"#),
        Case(
            verb: "build", body: #"{"template":"a{b}","variables":{"b":1}}"#, status: 200, holds: #""expansion":"a1""#),
        Case(verb: "lint", type: "application/x-ndjson", body: "{\n{}\n", status: 200, holds: "the line has no id"),
        Case(verb: "match", type: "application/jsonl", body: "{\n", status: 200, holds: #""name":"json."#),
        Case(
            verb: "lint", type: "application/jsonl", body: String(repeating: "1\n", count: 1000), status: 200,
            holds: "the line is a number"),
        Case(
            verb: "lint", type: "application/jsonl", body: String(repeating: "1\n", count: 1001), status: 413,
            holds: "more than 1000 lines"),
        // Each line expands to sixteen times its length.
        Case(
            verb: "build", type: "application/jsonl",
            body: String(
                repeating: "{\"template\":\"\(String(repeating: "{a}", count: 16))\",\"variables\":{\"a\":\""
                    + String(repeating: "x", count: 900) + "\"}}\n", count: 1000),
            status: 413, holds: "bytes in the answer"),
    ]

    @Test(arguments: cases)
    func answers(_ one: Case) async throws {
        let configuration = ConfigurationLoader.load(path: Repository.path + "/Config").configuration
        let route = TargetsRoute { TargetRequests(apps: configuration.apps) }
        let request = HTTPRequest(
            method: "POST", target: "/v1/targets/\(one.verb)", fields: HTTPFields([.init("Content-Type", one.type)]),
            body: Array(one.body.utf8), peer: HTTPPeer(address: .internet(host: "127.0.0.1", port: 1), listener: "t"))
        let response = await withCheckedContinuation { continuation in
            route.handle(one.verb, request, Awaited(continuation))
        }
        let body = String(decoding: response.body, as: UTF8.self)
        #expect(response.status == one.status, "\(body)")
        #expect(body.contains(one.holds), "\(body)")
        if one.status >= 400 {
            #expect(response.fields["Content-Type"] == "application/problem+json")
            #expect(try JSONValue(parsing: response.body)["error"]?["code"]?.string?.hasPrefix("U") == true)
        }
    }

    private final class Awaited: HTTPResponder {
        private let continuation: CheckedContinuation<HTTPResponse, Never>

        init(_ continuation: CheckedContinuation<HTTPResponse, Never>) { self.continuation = continuation }

        func respond(_ response: HTTPResponse) { continuation.resume(returning: response) }

        func stream(_ response: HTTPResponse) -> any HTTPStream {
            respond(response)
            return Silent()
        }

        private final class Silent: HTTPStream {
            var unsentBytes: Int { 0 }
            func send(_ bytes: [UInt8]) -> Bool { true }
            func close() {}
        }
    }
}
