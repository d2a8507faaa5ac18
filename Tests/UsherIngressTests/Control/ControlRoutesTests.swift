import Foundation
import Synchronization
import TestSupport
import Testing
import UsherEngine
import UsherHTTP
import UsherJSON
import UsherLog
import UsherOperation
import UsherScene
import UsherStore
import UsherSystem
import UsherText

@testable import UsherIngress

/// The control access over HTTP: statuses, fields and bodies.
struct ControlRoutesTests {
    private static let json = "application/json"

    struct Case: CustomTestStringConvertible {
        var request: String
        var type: String?
        var body = ""
        var status: Int
        var holds: [String] = []
        var fields: [String: String] = [:]
        var testDescription: String { "\(request) \(body.prefix(60))" }
    }

    /// In a store with `main-1` and the delivery `D`, which is done.
    static let cases = [
        Case(request: "GET /v1/scenes", status: 200, holds: [#""session":"main-1""#]),
        Case(request: "GET /v1/scenes?app=example.other", status: 200, holds: ["[]"]),
        Case(
            request: "GET /v1/scenes?ap=x", status: 400, holds: [#"there is no parameter \"ap\""#, "did you mean app?"]),
        Case(request: "HEAD /v1/scenes/main-1", status: 200, holds: [#""state":"connected""#]),
        Case(request: "HEAD /v1/scenes/main-1/activate", status: 405, fields: ["Allow": "POST"]),
        Case(request: "GET /v1/scenes/main-1", status: 200, holds: [#""state":"connected""#]),
        Case(
            request: "GET /v1/scenes/main-2", status: 404,
            holds: [#""name":"resolution.no-such-session""#, "did you mean main-1?", #""title":"Not Found""#]),
        Case(request: "GET /v1/scenes/a%2", status: 400, holds: ["two hexadecimal digits"]),
        Case(request: "GET /v1/scenes/%FF", status: 400, holds: ["not UTF-8"]),
        Case(request: "PUT /v1/scenes/main-1", status: 405, fields: ["Allow": "GET, PATCH, DELETE"]),
        Case(request: "GET /v1/scenes/main-1/activate", status: 405, fields: ["Allow": "POST"]),
        Case(request: "POST /v1/scenes/main-1/hide", status: 404),
        Case(request: "GET /v1/scenes/", status: 404),
        Case(
            request: "POST /v1/scenes", type: json, body: #"{"app":"example.clowntown","scene":"main"}"#, status: 201,
            holds: [#""session":"main-2""#], fields: ["Location": "/v1/scenes/main-2"]),
        Case(
            request: "POST /v1/scenes", type: json,
            body: #"{"app":"example.clowntown","scene":"main","session":"a b/c"}"#, status: 201,
            fields: ["Location": "/v1/scenes/a%20b%2Fc"]),
        Case(
            request: "POST /v1/scenes", type: json, body: #"{"app":"example.clowntown","scene":"clown"}"#, status: 201,
            holds: [#""warnings":["can of scene clown uses the target"#]),
        Case(
            request: "POST /v1/scenes", type: json, body: #"[{"app":"example.clowntown","scene":"main"}]"#,
            status: 201, holds: [#"{"sessions":[{"#]),
        Case(
            request: "POST /v1/scenes", type: "application/x-ndjson",
            body:
                "{\"app\":\"example.clowntown\",\"scene\":\"main\"}\n\n{\"app\":\"example.clowntown\",\"scene\":\"main\"}\n",
            status: 201, holds: [#""session":"main-3""#]),
        Case(
            request: "POST /v1/scenes", type: json, body: #"{"app":"example.clowntown","scene":"mian"}"#, status: 400,
            holds: [#""name":"control.session""#, "did you mean main?"]),
        Case(
            request: "POST /v1/scenes", type: json, body: #"{"app":"example.clowntown","scen":"main"}"#, status: 400,
            holds: ["did you mean scene?"]),
        Case(
            request: "POST /v1/scenes", type: json,
            body: #"{"app":"example.clowntown","scene":"clown","session":"main-1"}"#, status: 409,
            holds: ["store.session-taken"]),
        Case(request: "POST /v1/scenes", type: json, body: "{", status: 400, holds: ["the body is not JSON"]),
        Case(
            request: "POST /v1/scenes", type: "text/plain", body: "{}", status: 415,
            fields: ["Accept": "application/json, application/x-ndjson, application/jsonl"]),
        Case(request: "POST /v1/scenes", type: nil, body: "{}", status: 415),
        Case(
            request: "PATCH /v1/scenes/main-1", type: "application/json; charset=utf-8",
            body: #"{"prefers":"SELF ENDSWITH 'x'"}"#, status: 200, holds: [#""prefers":"SELF ENDSWITH \"x\"""#]),
        Case(
            request: "PATCH /v1/scenes/main-1", type: json, body: #"{"prefers":"SELF =="}"#, status: 400,
            holds: [#""name":"control.condition""#, #""at":"/prefers""#]),
        Case(request: "POST /v1/scenes/main-1/activate", status: 200, holds: [#""used":"20"#]),
        Case(request: "POST /v1/scenes/main-1/disconnect", status: 200, holds: [#""state":"disconnected""#]),
        Case(request: "POST /v1/scenes/main-1/close", status: 200, holds: [#""state":"closed""#]),
        Case(request: "DELETE /v1/scenes/main-1", status: 200, holds: [#""state":"closed""#]),
        Case(request: "DELETE /v1/scenes/main-7", status: 404),
        Case(request: "GET /v1/deliveries", status: 200, holds: [#""state":"done""#]),
        Case(request: "GET /v1/deliveries?state=failed,done&limit=1", status: 200, holds: [#""state":"done""#]),
        Case(request: "GET /v1/deliveries?state=dnoe", status: 400, holds: ["did you mean done?"]),
        Case(request: "GET /v1/deliveries?limit=0", status: 400),
        Case(request: "GET /v1/deliveries?limit=1&limit=2", status: 400, holds: ["given twice"]),
        Case(request: "GET /v1/deliveries/D", status: 200, holds: [#""record":{"v":1"#]),
        Case(request: "GET /v1/deliveries/E", status: 404, holds: ["control.no-such-delivery"]),
        Case(request: "POST /v1/deliveries/D/retry", status: 409, holds: ["it cannot be retried"]),
        Case(
            request: "POST /v1/deliveries/D/answer", type: json, body: #"{"action":"yes","message":"why"}"#,
            status: 409, holds: ["answer.not-waiting"]),
        Case(request: "POST /v1/deliveries/D/answer", type: json, body: "{}", status: 400, holds: ["action"]),
        Case(request: "GET /v1/deliveries/D/answer", status: 405, fields: ["Allow": "POST"]),
        Case(
            request: "POST /v1/deliveries/E/answer", type: json, body: #"{"action":"yes"}"#, status: 404,
            holds: ["control.no-such-delivery"]),
        Case(
            request: "POST /v1/explain?target=https://clowntown.example/clowns/crusty", status: 200,
            holds: [#""decision""#]),
        Case(
            request: "POST /v1/explain?target=https://clowntown.example/clowns/crusty", type: json, body: "{}",
            status: 200, holds: [#""decision""#]),
        Case(
            request: "POST /v1/explain", type: json,
            body: #"{"aps":{"target-content-id":"https://clowntown.example/clowns/crusty"}}"#, status: 200,
            holds: [#""decision""#]),
        Case(request: "POST /v1/explain", status: 400, holds: ["what is to be explained?"]),
        Case(request: "POST /v1/explain", type: json, body: #"{"aps":7}"#, status: 400),
        Case(request: "POST /v1/targets/lint", status: 200, holds: ["lint"]),
        Case(request: "POST /v1/targets/sing", status: 404),
        Case(request: "POST /v1/reload", status: 422, holds: ["daemon.reload"]),
        Case(request: "GET /v1/status", status: 200, holds: [#""stopping":false"#]),
    ]

    @Test(arguments: cases)
    func answers(_ one: Case) throws {
        let fixture = try ControlFixture()
        try fixture.connect(SessionRequest(app: "example.clowntown", scene: "main"))
        let delivery = try fixture.finish().id
        let parts = one.request.split(separator: " ", maxSplits: 1).map(String.init)
        var fields = HTTPFields()
        if let type = one.type { fields.append("Content-Type", type) }
        let request = HTTPRequest(
            method: parts[0],
            target: parts[1].replacingOccurrences(of: "deliveries/D", with: "deliveries/\(delivery)"), fields: fields,
            body: Array(one.body.utf8), peer: HTTPPeer(address: .local(user: 0, group: 0, process: 1), listener: "t"))
        // A path that cannot be decoded, or is none of an operation's, is unknown to the daemon.
        let isServed = one.status != 404 && !request.path.contains("%2") && !request.path.contains("%FF")
        if isServed { #expect(ControlRoutes.owns(request.path)) }
        let routes = ControlRoutes(fixture.service) { verb, _, responder in
            responder.respond(HTTPResponse(200, type: Self.json, body: Array("\"\(verb)\"".utf8)))
        }
        let responder = CapturedAnswer()
        routes.handle(request, responder)
        let response = try #require(responder.wait())
        let body = String(decoding: response.body, as: UTF8.self)
        #expect(response.status == one.status, "\(body)")
        for text in one.holds { #expect(body.contains(text), "\(body)") }
        for (name, value) in one.fields { #expect(response.fields[name] == value) }
        let type = one.status < 400 ? Self.json : "application/problem+json"
        #expect(response.fields["Content-Type"] == type)
        let value = try JSONValue(parsing: response.body)
        if one.status >= 400 { #expect(value["status"]?.int64 == Int64(one.status)) }
    }

    @Test("the document has every route, with the methods that it takes")
    func documentAndRoutesAgree() throws {
        let fixture = try ControlFixture()
        let paths = Dictionary(grouping: OpenAPIDocument.paths, by: \.path).filter { ControlRoutes.owns($0.key) }
        #expect(paths.count > 25)
        for (path, operations) in paths {
            let request = HTTPRequest(
                method: "TRACE", target: path.replacingOccurrences(of: "{id}", with: "x"), fields: HTTPFields(),
                peer: HTTPPeer(address: .local(user: 0, group: 0, process: 1), listener: "t"))
            let responder = CapturedAnswer()
            ControlRoutes(fixture.service).handle(request, responder)
            let response = try #require(responder.wait())
            #expect(response.status == 405, "\(path)")
            let allowed = response.fields["Allow"]?.split(separator: ",").map { $0.filter { $0 != " " } } ?? []
            #expect(Set(allowed) == Set(operations.map(\.method)), "\(path)")
        }
    }

    @Test(arguments: ["/v1/notifications", "/v2/scenes", "/v1", "/", "/v1/scenesx", "v1/scenes"])
    func otherPathsAreNotOurs(_ path: String) { #expect(!ControlRoutes.owns(path)) }

    @Test func anAnswerThatWasGiven() throws {
        let fixture = try ControlFixture()
        let id = try fixture.finish().id
        try fixture.backend.store.write { (state) throws(StoreError) in
            try state.insert(
                Store.StoredNotification(
                    delivery: id, app: "example.clowntown", collapse: nil, server: "one", number: 1, shown: 1))
            _ = try state.answer("yes", to: id)
        }
        let request = HTTPRequest(
            method: "POST", target: "/v1/deliveries/\(id)/answer",
            fields: HTTPFields([.init("Content-Type", Self.json)]), body: Array(#"{"action":"no"}"#.utf8),
            peer: HTTPPeer(address: .local(user: 0, group: 0, process: 1), listener: "t"))
        let responder = CapturedAnswer()
        ControlRoutes(fixture.service).handle(request, responder)
        let response = try #require(responder.wait())
        #expect(response.status == 409)
        #expect(String(decoding: response.body, as: UTF8.self).contains("answer.given"))
    }

    @Test(
        "errors of answers have their statuses",
        arguments: [
            (DiagnosticCode.answerNotWaiting, 409), (.answerGiven, 409), (.answerAction, 400), (.answerTooMany, 429),
        ])
    func answerStatuses(_ code: DiagnosticCode, _ status: Int) { #expect(ControlError(code, "x").httpStatus == status) }

    /// A sender's id can be guessed: a client without a token finds deliveries by Usher's own ids alone.
    @Test func senderIDsNeedAToken() throws {
        let fixture = try ControlFixture()
        let id = UUIDv7.next()
        let delivery = Store.NewDelivery(id: id, senderID: "1", source: "t", accepted: 1, input: Array("{}".utf8))
        let decision = Store.DecisionText(action: .focus, reason: .can)
        try fixture.backend.store.record([Store.Finished(delivery, state: .done, record: "{}", decision: decision)])
        func status(_ id: String, knowsSenderIDs: Bool) -> Int? {
            let request = HTTPRequest(
                method: "GET", target: "/v1/deliveries/\(id)", fields: HTTPFields(),
                peer: HTTPPeer(address: .internet(host: "127.0.0.1", port: 1), listener: "t"))
            let responder = CapturedAnswer()
            ControlRoutes(fixture.service).handle(request, responder, knowsSenderIDs: knowsSenderIDs)
            return responder.wait()?.status
        }
        #expect(status("1", knowsSenderIDs: true) == 200)
        #expect(status("1", knowsSenderIDs: false) == 404)
        #expect(status("%31", knowsSenderIDs: false) == 404)
        #expect(status(id, knowsSenderIDs: true) == 200)
        #expect(status(id, knowsSenderIDs: false) == 200)
    }

    @Test func recordsAreServerSentEvents() throws {
        let fixture = try ControlFixture(interval: 1)
        let first = try fixture.finish().id
        let second = try fixture.finish()
        let request = HTTPRequest(
            method: "GET", target: "/v1/records", fields: HTTPFields([.init("Last-Event-ID", first)]),
            peer: HTTPPeer(address: .local(user: 0, group: 0, process: 1), listener: "t"))
        let responder = CapturedAnswer()
        ControlRoutes(fixture.service).handle(request, responder)
        let event = "event: record\nid: \(second.id)\ndata: \(second.json)\n\n"
        #expect(responder.waitForStream { $0.contains(event) })
        let third = try fixture.finish()
        #expect(responder.waitForStream { $0.hasSuffix("id: \(third.id)\ndata: \(third.json)\n\n") })
        #expect(responder.waitForStream { $0.hasSuffix("\n\n:\n\n") }, "a heartbeat")
        #expect(responder.wait()?.fields["Content-Type"] == "text/event-stream")
        #expect(!responder.streamed.contains("id: \(first)\n"))
        responder.leave()
        #expect(eventually { fixture.service.records.subscriberCount == 0 }, "a disconnected subscriber is removed")
    }
}

/// What a request was answered.
final class CapturedAnswer: HTTPResponder, HTTPStream {
    private let response = Mutex<HTTPResponse?>(nil)
    private let pieces = Mutex<[UInt8]>([])
    private let isGone = Mutex(false)

    func respond(_ response: HTTPResponse) { self.response.withLock { $0 = response } }

    func stream(_ response: HTTPResponse) -> any HTTPStream {
        respond(response)
        return self
    }

    func send(_ bytes: [UInt8]) -> Bool {
        if isGone.withLock({ $0 }) { return false }
        pieces.withLock { $0 += bytes }
        return true
    }

    func close() {}

    func leave() { isGone.withLock { $0 = true } }

    var streamed: String { String(decoding: pieces.withLock { $0 }, as: UTF8.self) }

    func wait() -> HTTPResponse? {
        _ = eventually { response.withLock { $0 != nil } }
        return response.withLock { $0 }
    }

    func waitForStream(_ condition: (String) -> Bool) -> Bool { eventually { condition(streamed) } }
}
