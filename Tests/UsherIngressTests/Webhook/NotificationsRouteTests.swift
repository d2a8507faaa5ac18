import Foundation
import TestSupport
import Testing
import UsherConfiguration
import UsherEngine
import UsherHTTP
import UsherIngress
import UsherJSON
import UsherLog
import UsherPayload
import UsherScene

@Suite struct NotificationsRouteTests {
    static let payload = #"{"aps":{"alert":"Hi","target-content-id":"https://a.example/1"}}"#
    static let path = "/v1/notifications"

    @Test func accepted() throws {
        let fixture = try WebhookFixture("")
        let intake = RecordingIntake(.accept)
        let answer = fixture.send(WebhookFixture.request(Self.path, Self.payload), intake)
        #expect(answer.status == 202)
        #expect(answer.text == "{\"id\":\"id-1\",\"status\":\"accepted\"}\n")
        #expect(answer.response?.fields["Content-Type"] == "application/json")
        #expect(answer.response?.fields["Location"] == "/v1/deliveries/id-1")
        let arrival = try #require(intake.arrivals.first)
        #expect(arrival.source == "webhook")
        #expect(arrival.input == Array(Self.payload.utf8))
        #expect(arrival.senderID == nil)
        #expect(try arrival.reading.get().targetContentIdentifier == "https://a.example/1")
        #expect(arrival.events.finished == nil)
    }

    /// No waiting would help it.
    @Test func aQueryThatIsNoText() throws {
        let fixture = try WebhookFixture("")
        let intake = RecordingIntake(.accept)
        let answer = fixture.send(WebhookFixture.request(Self.path + "?app=%ff", Self.payload), intake)
        #expect(answer.summary == "400 webhook.query")
        #expect(intake.arrivals.isEmpty)
    }

    @Test func windowsOfUnknownSendersAreLimited() throws {
        let fixture = try WebhookFixture("[server.rate]\nnew-windows = 7\n")
        for (peer, limit) in [(WebhookFixture.tcp, 7), (WebhookFixture.unix, nil)] {
            let intake = RecordingIntake(.accept)
            _ = fixture.send(WebhookFixture.request(Self.path, Self.payload, peer: peer), intake)
            #expect(intake.arrivals.map(\.newWindowLimit) == [limit])
        }
    }

    @Test func moreLinesThanTheQueueIsLong() throws {
        let fixture = try WebhookFixture("")
        func answer(_ lines: Int) -> Answer {
            fixture.send(
                WebhookFixture.request(
                    Self.path, String(repeating: "{\"aps\":{\"badge\":1}}\n", count: lines),
                    type: "application/x-ndjson"),
                RecordingIntake(.accept, capacity: 100))
        }
        #expect(answer(100).status == 202)
        #expect(answer(101).summary == "413 webhook.batch-size")
        #expect(answer(101).error["message"]?.string == "there are more than 100 lines")
    }

    /// Nothing is acknowledged before it is on disk.
    @Test func notBeforeItIsAccepted() throws {
        let fixture = try WebhookFixture("")
        let intake = RecordingIntake(.hold)
        let answer = fixture.send(WebhookFixture.request(Self.path, Self.payload), intake)
        #expect(answer.status == nil)
        intake.arrivals[0].events.accepted?("x")
        #expect(answer.status == 202)
        intake.arrivals[0].events.accepted?("y")
        #expect(answer.responder.responses.count == 1)
    }

    @Test func waitAnswersWithTheRecord() throws {
        let fixture = try WebhookFixture("")
        let intake = RecordingIntake(.hold)
        let answer = fixture.send(WebhookFixture.request(Self.path + "?wait=1", Self.payload), intake)
        intake.arrivals[0].events.accepted?("x")
        #expect(answer.status == nil)
        intake.arrivals[0].events.finished?(RecordingIntake.record("x", intake.arrivals[0]))
        #expect(answer.status == 200)
        #expect(answer.json["id"]?.string == "x")
        #expect(answer.json["v"]?.int64 == 1)
        #expect(answer.json["target"]?.string == "https://a.example/1")
    }

    @Test("with wait=action it is answered when the notification is", arguments: ["", "&timeout=90s"])
    func waitsForTheAnswer(_ timeout: String) throws {
        let fixture = try WebhookFixture("")
        let intake = RecordingIntake(.hold, senders: 1)
        let answer = fixture.send(
            WebhookFixture.request(Self.path + "?wait=action" + timeout, Self.payload), intake)
        #expect(intake.waitTimes == [timeout.isEmpty ? .seconds(600) : .seconds(90)])
        let arrival = try #require(intake.arrivals.first)
        arrival.events.accepted?("x")
        #expect(arrival.wait != nil && answer.status == nil && intake.endedWaits == 0)
        let record = RecordingIntake.record("x", arrival).answered(.given("yes", "because"))
        arrival.events.finished?(record)
        #expect(answer.status == 200 && intake.endedWaits == 1)
        #expect(answer.json["answer"]?["action"]?.string == "yes")
        #expect(answer.json["answer"]?["message"]?.string == "because")
    }

    @Test func aSenderThatIsGoneWaitsNoLonger() throws {
        let fixture = try WebhookFixture("")
        let intake = RecordingIntake(.hold, senders: 1)
        let answer = fixture.send(WebhookFixture.request(Self.path + "?wait=action", Self.payload), intake)
        intake.arrivals[0].events.accepted?("x")
        answer.responder.leave()
        #expect(intake.endedWaits == 1)
        intake.arrivals[0].events.finished?(RecordingIntake.record("x", intake.arrivals[0]))
        #expect(answer.status == nil && intake.endedWaits == 1)
    }

    @Test func tooManySendersWait() throws {
        let fixture = try WebhookFixture("")
        let intake = RecordingIntake(.hold, senders: 1)
        func answer() -> Answer {
            fixture.send(WebhookFixture.request(Self.path + "?wait=action", Self.payload), intake)
        }
        #expect(answer().status == nil)
        let refused = answer()
        #expect(refused.summary == "429 answer.too-many" && refused.response?.fields["Retry-After"] == "1")
        // Nothing is shown for it.
        #expect(intake.arrivals.count == 1)
        let full = RecordingIntake(.full, senders: 1)
        #expect(fixture.send(WebhookFixture.request(Self.path + "?wait=action", Self.payload), full).status == 429)
        #expect(full.endedWaits == 1)
    }

    @Test func eachNotificationOfABatchIsWaitedFor() throws {
        let fixture = try WebhookFixture("")
        let intake = RecordingIntake(.hold, senders: 4)
        func send(_ lines: Int) -> Answer {
            fixture.send(
                WebhookFixture.request(
                    Self.path + "?wait=action", String(repeating: Self.payload + "\n", count: lines),
                    type: "application/x-ndjson"), intake)
        }
        let answer = send(3)
        #expect(send(2).summary == "429 answer.too-many")
        // Nothing of it is sent, and those that it would have taken are free.
        #expect(intake.arrivals.count == 3 && send(1).status == nil)
        let arrivals = intake.arrivals
        #expect(Set(arrivals.compactMap { $0.wait.map(ObjectIdentifier.init) }).count == 4)
        for (number, arrival) in arrivals.prefix(3).enumerated() {
            #expect(answer.status == nil && intake.endedWaits == number)
            arrival.events.accepted?("\(number)")
            arrival.events.finished?(RecordingIntake.record("\(number)", arrival).answered(.given("yes", nil)))
        }
        #expect(answer.status == 200 && intake.endedWaits == 3)
    }

    @Test("what waits needs its body no longer once all is on disk", arguments: ["?wait=action", "?wait=1", ""])
    func bodies(_ query: String) throws {
        let fixture = try WebhookFixture("")
        let intake = RecordingIntake(.hold, senders: 2)
        let lines = Self.payload + "\n" + Self.payload + "\n"
        let answer = fixture.send(
            WebhookFixture.request(Self.path + query, lines, type: "application/x-ndjson"), intake)
        intake.arrivals[0].events.accepted?("1")
        #expect(answer.responder.releases == 0)
        intake.arrivals[1].events.accepted?("2")
        // One that does not wait has its answer.
        #expect(answer.responder.releases == (query.isEmpty ? 0 : 1) && (answer.status == nil) != query.isEmpty)
    }

    @Test(arguments: ["wait=action&timeout=601s", "wait=action&timeout=soon", "timeout=90s", "wait=1&timeout=90s"])
    func refusedWaits(_ query: String) throws {
        let fixture = try WebhookFixture("")
        let intake = RecordingIntake(.accept, senders: 1)
        let answer = fixture.send(WebhookFixture.request(Self.path + "?" + query, Self.payload), intake)
        #expect(answer.summary == "400 webhook.query" && intake.arrivals.isEmpty && intake.waitTimes.isEmpty)
    }

    @Test func waitEnds() throws {
        let fixture = try WebhookFixture("")
        let intake = RecordingIntake(.accept)
        let access = fixture.access(waitLimit: 20)
        let answer = fixture.send(WebhookFixture.request(Self.path + "?wait=1", Self.payload), intake, access)
        #expect(eventually { answer.status == 202 })
        #expect(answer.json["status"]?.string == "accepted")
        intake.arrivals[0].events.finished?(RecordingIntake.record("x", intake.arrivals[0]))
        #expect(answer.responder.responses.count == 1)
    }

    @Test func everyWaitEnds() throws {
        let fixture = try WebhookFixture("")
        let intake = RecordingIntake(.accept)
        let access = fixture.access(waitLimit: 50)
        // The second round is after all timers of the first.
        for round in 0..<2 {
            let request = WebhookFixture.request(Self.path + "?wait=1", Self.payload)
            let answers = (0..<3).map { _ in fixture.send(request, intake, access) }
            let first = intake.arrivals[round * 3]
            first.events.finished?(RecordingIntake.record("x", first))
            #expect(answers.map(\.status) == [200, nil, nil])
            #expect(eventually { answers.map(\.status) == [200, 202, 202] })
        }
    }

    static let batch = """
        {"aps":{"alert":"1"}}

        {"aps":
        {"aps":{"alert":"3"}}\r
        [1]
        """

    @Test func batchInOrder() throws {
        let fixture = try WebhookFixture("")
        let intake = RecordingIntake(.hold)
        let request = WebhookFixture.request(
            Self.path, Self.batch, [("webhook-id", "w")], type: "application/x-ndjson; charset=utf-8")
        let answer = fixture.send(request, intake)
        #expect(intake.arrivals.map(\.senderID) == ["w/0", "w/1", "w/2", "w/3"])
        #expect(intake.arrivals.map(\.sequence) == [1, 2, 3, 4])
        #expect(intake.arrivals.map { (try? $0.reading.get()) != nil } == [true, false, true, false])
        for index in [3, 1, 0] { intake.arrivals[index].events.accepted?("id-\(index)") }
        #expect(answer.status == nil)
        intake.arrivals[2].events.accepted?("id-2")
        #expect(answer.status == 202)
        let elements = answer.json.elements ?? []
        #expect(elements.map { $0["id"]?.string } == ["id-0", "id-1", "id-2", "id-3"])
        #expect(elements.map { $0["status"]?.string } == ["accepted", "invalid", "accepted", "invalid"])
        #expect(
            elements.map { $0["error"]?["name"]?.string } == [nil, "json.syntax", nil, "json.top-level-not-object"])
    }

    /// A batch is a stream: on several lines, one after another, with RS before each (RFC 7464).
    @Test(
        arguments: [
            ("application/json-seq", "\u{1E}{\"aps\":{\"badge\":1}}\n\u{1E}{\"aps\":{\"badge\":2}}\n"),
            ("application/x-ndjson", "{\n  \"aps\": {\"badge\": 1}\n}\n{\"aps\":{\"badge\":2}}"),
            ("application/jsonl", "{\"aps\":{\"badge\":1}}{\"aps\":{\"badge\":2}}"),
        ])
    func batchInAnyForm(_ type: String, _ body: String) throws {
        let intake = RecordingIntake()
        let answer = try WebhookFixture("").send(WebhookFixture.request(Self.path, body, type: type), intake)
        #expect(answer.status == 202, "\(answer.text)")
        #expect(intake.arrivals.count == 2 && intake.arrivals.allSatisfy { (try? $0.reading.get()) != nil })
    }

    @Test func aWrongPayloadHasItsLine() throws {
        let request = WebhookFixture.request(Self.path, "{\n  \"aps\": {\"badge\": \"x\"}\n}")
        let error = try WebhookFixture("").send(request, RecordingIntake()).error
        #expect(error["line"]?.int64 == 2 && error["column"]?.int64 == 20, "\(error)")
        #expect(error["excerpt"]?.elements?.first?.string == "2 |   \"aps\": {\"badge\": \"x\"}", "\(error)")
    }

    @Test func batchThatWaits() throws {
        let fixture = try WebhookFixture("")
        let request = WebhookFixture.request(Self.path + "?wait=1", Self.batch, type: "application/jsonl")
        let answer = fixture.send(request, RecordingIntake())
        #expect(answer.status == 200)
        #expect(answer.json.elements?.map { $0["id"]?.string } == ["id-1", "id-2", "id-3", "id-4"])
        #expect(answer.json.elements?.allSatisfy { $0["v"] != nil } == true)
    }

    @Test func journalRefuses() throws {
        let fixture = try WebhookFixture("")
        let problem = Diagnostic(.storeFull, "the disk is full")
        for (type, body) in [("application/json", Self.payload), ("application/jsonl", Self.payload + "\n{}")] {
            let answer = fixture.send(
                WebhookFixture.request(Self.path, body, type: type), RecordingIntake(.refuse(problem)))
            #expect(answer.summary == "503 store.disk-full")
            #expect(answer.response?.fields["Content-Type"] == "application/problem+json")
        }
    }

    @Test func partOfABatchIsRefused() throws {
        let fixture = try WebhookFixture("")
        let intake = RecordingIntake(.hold)
        let answer = fixture.send(WebhookFixture.request(Self.path, "{}\n{}", type: "application/jsonl"), intake)
        intake.arrivals[0].events.refused?(Diagnostic(.storeFull, "the disk is full"))
        intake.arrivals[1].events.accepted?("b")
        #expect(answer.status == 202)
        #expect(answer.json.elements?.map { $0["status"]?.string } == ["refused", "accepted"])
        #expect(answer.json.elements?[0]["error"]?["name"]?.string == "store.disk-full")
    }

    @Test func queueIsFull() throws {
        let fixture = try WebhookFixture("")
        let answer = fixture.send(WebhookFixture.request(Self.path, Self.payload), RecordingIntake(.full))
        #expect(answer.summary == "429 rate.queue-full")
        #expect(answer.response?.fields["Retry-After"] == "1")
    }

    @Test func tooFast() throws {
        let fixture = try WebhookFixture("[server.rate]\nper-second = 0.1\nburst = 2\n")
        let access = fixture.access()
        let intake = RecordingIntake()
        func send(_ peer: HTTPPeer) -> Answer {
            fixture.send(WebhookFixture.request(Self.path, Self.payload, peer: peer), intake, access)
        }
        #expect((0..<2).map { _ in send(WebhookFixture.tcp).status } == [202, 202])
        let answer = send(WebhookFixture.tcp)
        #expect(answer.summary == "429 rate.limited")
        #expect((1...10).contains(answer.response.flatMap { $0.fields["Retry-After"] }.flatMap { Int($0) } ?? 0))
        #expect(send(WebhookFixture.unix).status == 202)
        #expect(intake.arrivals.count == 3)
    }

    // MARK: What is refused

    struct Case: Sendable, CustomTestStringConvertible {
        var id: String
        var target = path
        var body = payload
        var fields: [(String, String)] = []
        var method = "POST"
        var type: String? = "application/json"
        var expected: String
        var testDescription: String { id }
    }

    static let refusals = [
        Case(id: "not JSON", body: #"{"aps":}"#, expected: "400 json.syntax"),
        Case(id: "no payload", body: "", expected: "400 json.empty"),
        Case(id: "wrong type", body: #"{"aps":{"target-content-id":7}}"#, expected: "400 target.type"),
        Case(id: "array", body: "[]", expected: "400 json.top-level-not-object"),
        Case(id: "two texts", body: "{}\n{}", expected: "400 json.trailing-data"),
        Case(id: "empty batch", body: "\n\n", type: "application/jsonl", expected: "400 json.empty"),
        Case(
            id: "long batch", body: String(repeating: "{}\n", count: 10_001), type: "application/jsonl",
            expected: "413 webhook.batch-size"),
        Case(
            id: "long payload", body: "{\"a\":\"" + String(repeating: "a", count: 1 << 20) + "\"}",
            expected: "413 size.line-too-long"),
        Case(id: "text", type: "text/plain", expected: "415 webhook.media-type"),
        Case(id: "form", type: "application/x-www-form-urlencoded", expected: "415 webhook.media-type"),
        Case(id: "no type", type: nil, expected: "415 webhook.media-type"),
        Case(id: "a type that begins alike", type: "application/jsonx", expected: "415 webhook.media-type"),
        Case(id: "GET", method: "GET", expected: "405 webhook.method"),
        Case(id: "rebound", fields: [("Host", "attacker.example")], expected: "421 webhook.host"),
        Case(id: "page", fields: [("Origin", "https://attacker.example")], expected: "403 webhook.origin"),
        Case(id: "unknown parameter", target: path + "?wiat=1", expected: "400 webhook.query"),
        Case(id: "parameter twice", target: path + "?wait=1&wait=0", expected: "400 webhook.query"),
        Case(id: "strange wait", target: path + "?wait=2", expected: "400 webhook.query"),
        Case(id: "no app", target: path + "?app=", expected: "400 webhook.query"),
        Case(id: "unknown format", target: path + "?format=apn", expected: "400 webhook.query"),
        Case(id: "unreadable format", target: path + "?format=ntfy", expected: "400 format.unsupported"),
        Case(id: "forced format", target: path + "?format=simctl", body: "{}", expected: "400 aps.missing"),
        Case(id: "empty id", fields: [("webhook-id", "")], expected: "400 webhook.header"),
        Case(id: "two ids", fields: [("webhook-id", "a"), ("Webhook-Id", "b")], expected: "400 webhook.header"),
        Case(
            id: "long id", fields: [("Idempotency-Key", String(repeating: "k", count: 300))],
            expected: "400 webhook.header"),
        Case(id: "empty topic", fields: [("apns-topic", "")], expected: "400 webhook.header"),
        Case(
            id: "one id for a batch", fields: [("apns-id", "a")], type: "application/jsonl",
            expected: "400 webhook.header"),
    ]

    @Test(arguments: refusals) func refused(_ one: Case) throws {
        let fixture = try WebhookFixture("")
        let intake = RecordingIntake()
        let request = WebhookFixture.request(one.target, one.body, one.fields, method: one.method, type: one.type)
        let answer = fixture.send(request, intake)
        #expect(answer.summary == one.expected, "\(answer.text)")
        #expect(intake.arrivals.count == 0)
        #expect(answer.response?.fields["Content-Type"] == "application/problem+json")
        #expect(answer.json["status"]?.int64 == answer.status.map(Int64.init))
        #expect(answer.json["type"]?.string == "about:blank")
        #expect(answer.json["title"]?.string == answer.status.map { HTTPResponse.phrase($0) })
        #expect(answer.json["detail"] == answer.json["error"]?["message"])
    }

    @Test func problemSaysWhere() throws {
        let fixture = try WebhookFixture("")
        let answer = fixture.send(
            WebhookFixture.request(Self.path, #"{"aps": {"target-content-id": 7}}"#), RecordingIntake())
        #expect(answer.error["at"]?.string == "/aps/target-content-id")
        #expect(answer.error["offset"]?.int64 == 30)
        #expect(answer.error["code"]?.string == "U1203")
    }

    /// The Unix socket takes every body for JSON, as `curl -d` sends it.
    @Test(arguments: [nil, "application/x-www-form-urlencoded", "text/plain"])
    func unixSocketTakesAnyType(_ type: String?) throws {
        let fixture = try WebhookFixture("")
        let request = WebhookFixture.request(Self.path, Self.payload, peer: WebhookFixture.unix, type: type)
        #expect(fixture.send(request, RecordingIntake()).status == 202)
    }

    // MARK: What the head says

    static let headers = [
        ("apns-topic", "example.app"), ("apns-id", "11111111-2222-3333-4444-555555555555"), ("apns-push-type", "alert"),
        ("apns-collapse-id", "c"), ("apns-expiration", "0"), ("apns-priority", "5"),
    ]

    @Test func headersBecomeAnEnvelope() throws {
        let fixture = try WebhookFixture("")
        let intake = RecordingIntake()
        let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        let request = WebhookFixture.request(
            Self.path + "?app=example%2Eapp", Self.payload, Self.headers + [("traceparent", trace)])
        #expect(fixture.send(request, intake).status == 202)
        let arrival = try #require(intake.arrivals.first)
        #expect(arrival.app == "example.app")
        let payload = try arrival.reading.get()
        #expect(payload.headers.apnsTopic == "example.app")
        #expect(payload.senderID == "11111111-2222-3333-4444-555555555555")
        #expect(payload.headers.apnsPushType == "alert")
        #expect(payload.headers.apnsCollapseID == "c")
        #expect(payload.headers.apnsExpiration == "0")
        #expect(payload.traceparent == trace)
        #expect(payload.targetContentIdentifier == "https://a.example/1")
        #expect(payload.warnings == [])
        // What the journal keeps reads as the same payload.
        var reader = PayloadReader()
        let again = try reader.read(arrival.input)
        #expect(again.headers == payload.headers)
        #expect(again.app == "example.app")
        #expect(Array(again.raw) == Array(Self.payload.utf8))
    }

    @Test(arguments: [
        (#"{"shortcutItem":{"type":"a"},"headers":{"APNs-Topic":"own"},"app":"own"}"#, "own", "example.app"),
        (#"{"payload":{"aps":{}}}"#, "example.app", "example.app"),
        (#"{"url":"https://a.example/","headers":null,"app":null}"#, "example.app", "example.app"),
        (#"{"type":"order"}"#, "example.app", "example.app"),
        (#"{"activityType":"a","persistentIdentifier":"p"}"#, "example.app", "example.app"),
    ])
    func envelopesKeepWhatTheySay(_ body: String, _ topic: String, _ app: String) throws {
        let fixture = try WebhookFixture("")
        let intake = RecordingIntake()
        let request = WebhookFixture.request(
            Self.path + "?app=example.app", body, [("apns-topic", "example.app")])
        let answer = fixture.send(request, intake)
        #expect(answer.status == 202, "\(answer.text)")
        let payload = try #require(try intake.arrivals.first?.reading.get())
        #expect(payload.headers.apnsTopic == topic)
        #expect(payload.app == app)
    }

    @Test(arguments: [
        ("webhook-id", "msg_1", "msg_1"), ("Idempotency-Key", "\"k\"", "k"), ("idempotency-key", "k", "k"),
        ("svix-id", "s", "s"),
    ])
    func explicitIdentities(_ name: String, _ value: String, _ expected: String) throws {
        let fixture = try WebhookFixture("")
        let intake = RecordingIntake()
        _ = fixture.send(WebhookFixture.request(Self.path, Self.payload, [(name, value)]), intake)
        #expect(intake.arrivals.map(\.senderID) == [expected])
    }

    // MARK: Tokens

    @Test(
        arguments: [
            (nil, "401 webhook.token-missing"), ("Bearer wrong", "401 webhook.token-mismatch"),
            ("Bearer one", "202 "), ("bearer  two", "202 "), ("Basic b25l", "401 signature.missing"),
            ("Bearer ", "401 signature.missing"), ("Bearer one two", "401 webhook.token-mismatch"),
            ("Bearer ONE", "401 webhook.token-mismatch"), ("Bearer on", "401 webhook.token-mismatch"),
        ] as [(String?, String)])
    func tokens(_ authorization: String?, _ expected: String) throws {
        let fixture = try WebhookFixture("[server]\ntoken-file = \"token\"\n", files: ["token": "one\ntwo\n"])
        let fields = authorization.map { [("Authorization", $0)] } ?? []
        let answer = fixture.send(WebhookFixture.request(Self.path, Self.payload, fields), RecordingIntake())
        #expect(answer.summary == expected)
        if answer.status == 401 {
            #expect(answer.response?.fields["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
        }
        // The Unix socket's own permissions are enough.
        let local = WebhookFixture.request(Self.path, Self.payload, fields, peer: WebhookFixture.unix)
        #expect(fixture.send(local, RecordingIntake()).status == 202)
    }

    @Test func tokensThatCannotBeRead() throws {
        let fixture = try WebhookFixture("[server]\ntoken-file = \"token\"\n")
        let request = WebhookFixture.request(Self.path, Self.payload, [("Authorization", "Bearer x")])
        #expect(fixture.send(request, RecordingIntake()).summary == "503 signature.secret")
        #expect(fixture.log.lines.contains { $0.contains(fixture.folder + "/token") })
    }

    /// Wrong tokens are slowed down, and a right one of the same address is taken meanwhile.
    @Test func guessing() throws {
        let fixture = try WebhookFixture("[server]\ntoken-file = \"token\"\n", files: ["token": "right\n"])
        let access = fixture.access(failures: (perSecond: 0.001, burst: 2))
        func answer(_ token: String, from host: String = "127.0.0.1") -> Answer {
            let peer = HTTPPeer(address: .internet(host: host, port: 50_000), listener: "webhook")
            let request = WebhookFixture.request(
                Self.path, Self.payload, [("Authorization", "Bearer " + token)], peer: peer)
            return fixture.send(request, RecordingIntake(.accept), access)
        }
        #expect(answer("right").status == 202)
        #expect((0..<3).map { _ in answer("wrong").status } == [401, 401, 429])
        #expect(answer("wrong").summary == "429 rate.limited")
        #expect(answer("wrong").response?.fields["Retry-After"] != nil)
        #expect((0..<3).map { _ in answer("right").status } == [202, 202, 202])
        #expect(answer("wrong").status == 429)
        #expect(answer("wrong", from: "127.0.0.2").status == 401)
        // All addresses of one IPv6 network are one client.
        #expect((1...3).map { answer("wrong", from: "2001:db8::\($0)").status } == [401, 401, 429])
        #expect(answer("wrong", from: "2001:db8:0:1::1").status == 401)
    }

    // MARK: Scopes

    @Test(
        arguments: [
            ("sender", .send, "202 "), ("reader", .send, "403 webhook.token-scope"), ("reader", .read, "202 "),
            ("all", .control, "202 "), ("both", .metrics, "202 "), ("both", .read, "202 "),
            ("both", .control, "403 webhook.token-scope"), ("twice", .send, "202 "), ("twice", .read, "202 "),
            ("twice", .metrics, "403 webhook.token-scope"), ("send", .send, "401 webhook.token-mismatch"),
        ] as [(String, TokenScope, String)])
    func scopes(_ token: String, _ scope: TokenScope, _ expected: String) throws {
        let fixture = try WebhookFixture(
            "[server]\ntoken-file = \"token\"\n",
            files: [
                "token": "sender send\n\n# a comment\nreader  read\nall\nboth\tmetrics read\ntwice send\ntwice read\n"
            ])
        let request = WebhookFixture.request(Self.path, "", [("Authorization", "Bearer " + token)])
        do throws(Refusal) {
            _ = try fixture.access().sender(of: request, scope: scope)
            #expect(expected == "202 ")
        } catch {
            #expect("\(error.status) \(error.problem.code.name)" == expected)
            guard error.status == 403 else { return }
            #expect(error.problem.message.contains("`\(scope.rawValue)`"))
            #expect(
                error.fields["WWW-Authenticate"] == "Bearer error=\"insufficient_scope\", scope=\"\(scope.rawValue)\"")
        }
    }

    /// An unknown scope closes the file for all tokens; the log has its line, and no token.
    @Test func unknownScope() throws {
        let fixture = try WebhookFixture(
            "[server]\ntoken-file = \"token\"\n", files: ["token": "good\n\nsesame sent\n"])
        let request = WebhookFixture.request(Self.path, Self.payload, [("Authorization", "Bearer good")])
        #expect(fixture.send(request, RecordingIntake()).summary == "503 signature.secret")
        let log = fixture.log.lines.joined()
        #expect(log.contains("line 3 has an unknown scope"))
        #expect(!log.contains("sesame") && !log.contains("sent\""))
    }

    // MARK: What is said and logged

    /// The rate is that of the head: nothing more is read of a sender that is too fast.
    @Test func rateIsJudgedByTheHead() throws {
        let fixture = try WebhookFixture("[server.rate]\nper-second = 0.001\nburst = 1\n")
        let route = NotificationsRoute(fixture.access())
        let statuses = (0..<2).map { _ in
            if case .refuse(let response) = route.admit(WebhookFixture.request(Self.path, "")) {
                response.status
            } else {
                0
            }
        }
        #expect(statuses == [0, 429])
    }

    @Test(arguments: [("Bearer right", true), ("Bearer wrong", false), (nil, false)] as [(String?, Bool)])
    func bodiesOfKnownSenders(_ authorization: String?, _ isProven: Bool) throws {
        let fixture = try WebhookFixture("[server]\ntoken-file = \"token\"\n", files: ["token": "right\n"])
        let fields = authorization.map { [("Authorization", $0)] } ?? []
        let route = NotificationsRoute(fixture.access())
        switch route.admit(WebhookFixture.request(Self.path, "", fields)) {
        case .accept(_, let account): #expect(isProven && account == .proven)
        case .refuse(let response): #expect(!isProven && response.status == 401)
        }
        guard case .accept(_, .local) = route.admit(WebhookFixture.request(Self.path, "", peer: WebhookFixture.unix))
        else {
            Issue.record("the Unix socket has no account of its own")
            return
        }
    }

    @Test func everyProblemSaysWhatToDo() throws {
        let fixture = try WebhookFixture("[server]\ntoken-file = \"token\"\n", files: ["token": "right\n"])
        let requests = [
            WebhookFixture.request(Self.path, Self.payload),
            WebhookFixture.request(Self.path, Self.payload, method: "PUT"),
            WebhookFixture.request(Self.path, "{", [("Authorization", "Bearer right")]),
            WebhookFixture.request(Self.path, "", [("Host", "attacker.example")]),
            WebhookFixture.request("/hooks/x", ""),
        ]
        for request in requests {
            let answer = fixture.send(request, RecordingIntake())
            for name in ["type", "title", "detail", "help"] {
                #expect(answer.json[name]?.string?.isEmpty == false, "\(name): \(answer.text)")
            }
            #expect(answer.json["status"]?.int64 == answer.status.map(Int64.init))
            if answer.status == 405 { #expect(answer.response?.fields["Allow"] == "POST") }
        }
        let events = fixture.log.lines.compactMap { try? JSONValue(parsing: Array($0.utf8)) }
        #expect(events.count == requests.count)
        #expect(events.allSatisfy { $0["level"]?.string == "notice" && $0["client"]?.string == "127.0.0.1" })
    }

    @Test func unknownPath() throws {
        let fixture = try WebhookFixture("[server]\ntoken-file = \"token\"\n", files: ["token": "right send\n"])
        let access = fixture.access(failures: (perSecond: 0.001, burst: 2))
        func help(_ authorization: String?, _ peer: HTTPPeer = WebhookFixture.tcp) -> String? {
            let fields = authorization.map { [("Authorization", $0)] } ?? []
            let request = WebhookFixture.request("/v1/notification", "", fields, peer: peer)
            let refusal = access.unknown(request, among: [Self.path])
            #expect(refusal.status == 404 && refusal.problem.code.name == "webhook.unknown")
            return refusal.problem.help
        }
        let near = "did you mean /v1/notifications?"
        #expect(help(nil) != near)
        #expect(help(nil, WebhookFixture.unix) == near)
        #expect(help("Bearer right") == near)
        #expect((0..<2).map { _ in help("Bearer wrong") == near } == [false, false])
        // Once the guesses are used up, a right one is answered like a wrong one.
        #expect(help("Bearer right") != near)
    }

    // MARK: Pages that may send

    @Test func allowedPage() throws {
        let fixture = try WebhookFixture("[server]\nallowed-origins = [\"https://status.example\"]\n")
        let origin = ("Origin", "https://status.example")
        let answer = fixture.send(WebhookFixture.request(Self.path, Self.payload, [origin]), RecordingIntake())
        #expect(answer.status == 202)
        #expect(answer.response?.fields["Access-Control-Allow-Origin"] == "https://status.example")
        let question = WebhookFixture.request(
            Self.path, "", [origin, ("Access-Control-Request-Method", "POST")], method: "OPTIONS", type: nil)
        #expect(fixture.send(question, RecordingIntake()).status == 204)
    }

    @Test func admission() throws {
        let fixture = try WebhookFixture("[server]\nbody-limit = 2048\n")
        let route = NotificationsRoute(fixture.access())
        guard
            case .accept(bodyLimit: 2048, account: .unproven(client: "address:127.0.0.1")) = route.admit(
                WebhookFixture.request(Self.path, ""))
        else {
            Issue.record("a good head is not admitted")
            return
        }
        guard case .refuse(let response) = route.admit(WebhookFixture.request(Self.path, "", type: "text/plain")) else {
            Issue.record("a body of text is read")
            return
        }
        #expect(response.status == 415)
    }
}
