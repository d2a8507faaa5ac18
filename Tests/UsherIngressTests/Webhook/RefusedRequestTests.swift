import Testing
import UsherConfiguration
import UsherEngine
import UsherHTTP
import UsherHook
import UsherIngress
import UsherJSON
import UsherLog
import UsherPayload
import UsherScene

/// What an authenticated sender posts and what cannot be read or mapped is journalled, and the answer names the delivery.
@Suite("Refused requests of known senders")
struct RefusedRequestTests {
    private static let path = "/v1/notifications"
    private static let hook = """
        [hooks.deploys]
        signature = { scheme = "bearer", secret-file = "secret" }
        values.id = { pointer = "/id" }
        target = "https://a.example/{id}"
        title = "x"
        """

    private func send(
        _ body: String, _ settings: String = "", target: String = path, fields: [(String, String)] = [],
        peer: HTTPPeer = WebhookFixture.tcp, type: String? = "application/json",
        intake: RecordingIntake = RecordingIntake(.accept)
    ) throws -> (answer: Answer, arrivals: [Arrival], log: [JSONValue]) {
        let fixture = try WebhookFixture(settings, files: ["secret": "s3cret\n", "token": "t0ken-of-sender\n"])
        let answer = fixture.send(
            WebhookFixture.request(target, body, fields, peer: peer, type: type), intake)
        let log = try fixture.log.lines.map { try JSONValue(parsing: Array($0.utf8)) }
        return (answer, intake.arrivals, log)
    }

    @Test(
        "an invalid payload: the Unix socket and a token",
        arguments: [
            ("", [], true),
            ("[server]\ntoken-file = \"token\"\n", [("Authorization", "Bearer t0ken-of-sender")], false),
        ]
            as [(String, [(String, String)], Bool)])
    func notification(_ settings: String, _ fields: [(String, String)], _ isLocal: Bool) throws {
        for (body, summary) in [("{\"aps\":", "400 json.syntax"), ("[1]", "400 json.top-level-not-object")] {
            let (answer, arrivals, _) = try send(
                body, settings, target: Self.path + "?app=example.app", fields: fields + [("webhook-id", "w-1")],
                peer: isLocal ? WebhookFixture.unix : WebhookFixture.tcp)
            #expect(answer.summary == summary)
            #expect(answer.json["id"]?.string == "id-1")
            let arrival = try #require(arrivals.first)
            #expect(arrivals.count == 1)
            #expect(throws: PayloadError.self) { try arrival.reading.get() }
            #expect(arrival.input == Array(body.utf8))
            #expect(arrival.source == "webhook")
            #expect(arrival.senderID == "w-1")
            #expect(arrival.app == "example.app")
        }
    }

    @Test func ofAnUnknownSenderNothingIsKept() throws {
        let (answer, arrivals, _) = try send("[1]")
        #expect(answer.summary == "400 json.top-level-not-object")
        #expect(answer.json["id"] == nil)
        #expect(arrivals.isEmpty)
    }

    /// The answer does not change because the journal is full, or refuses.
    @Test func withoutRoomTheAnswerIsTheSame() throws {
        let refused = RecordingIntake(.refuse(.init(.storeBusy, "the store is busy", at: nil, help: nil)))
        for intake in [RecordingIntake(.full), refused] {
            let (answer, _, _) = try send("[1]", peer: WebhookFixture.unix, intake: intake)
            #expect(answer.summary == "400 json.top-level-not-object")
            #expect(answer.json["id"] == nil)
        }
    }

    private static let signed = [("Authorization", "Bearer s3cret")]

    @Test func aHookThatCannotMap() throws {
        let (answer, arrivals, log) = try send(
            #"{"x":1}"#, Self.hook, target: "/hooks/deploys", fields: Self.signed + [("Idempotency-Key", "\"k-1\"")])
        #expect(answer.summary == "422 hook.value-missing")
        #expect(answer.json["id"]?.string == "id-1")
        #expect(arrivals.map(\.source) == ["hook:deploys"])
        #expect(arrivals.map(\.senderID) == ["k-1"])
        #expect(arrivals.map(\.input) == [Array(#"{"x":1}"#.utf8)])
        let line = try #require(log.first { $0["event"]?.string == "hook-refused" })
        #expect(line["deliveries"]?.text() == #"["id-1"]"#)
    }

    @Test func whatWasAcceptedIsNamedInTheLog() throws {
        let (answer, _, log) = try send(
            #"{"id":"7"}"#, Self.hook, target: "/hooks/deploys", fields: Self.signed)
        #expect(answer.status == 202)
        let line = try #require(log.first { $0["event"]?.string == "hook-accepted" })
        #expect(line["deliveries"]?.text() == #"["id-1"]"#)
    }

    @Test(
        "a bad signature and an event that no hook wants make no delivery",
        arguments: [
            ([("Authorization", "Bearer wrong")], "{}", "403 signature.mismatch"),
            (signed, #"{"id":"7","kind":"other"}"#, "422 hook.no-match"),
        ])
    func noDelivery(_ fields: [(String, String)], _ body: String, _ summary: String) throws {
        let hook = Self.hook + "\nwhen = [{ pointer = \"/kind\", exists = false }]\nunmatched = \"error\"\n"
        let (answer, arrivals, _) = try send(body, hook, target: "/hooks/deploys", fields: fields)
        #expect(answer.summary == summary)
        #expect(arrivals.isEmpty)
    }

    /// Each element is a delivery with the sender's id of it, whatever becomes of the others.
    @Test(arguments: [true, false]) func elements(isOneAccepted: Bool) throws {
        let hook = Self.hook + "\neach = \"/list\"\n"
        let (answer, arrivals, log) = try send(
            #"{"list":[{"no":1},\#(isOneAccepted ? #"{"id":"7"},"# : ""){"no":2}]}"#, hook, target: "/hooks/deploys",
            fields: Self.signed + [("webhook-id", "w")])
        #expect(answer.summary == (isOneAccepted ? "202 " : "422 hook.value-missing"))
        if !isOneAccepted { #expect(answer.json["id"]?.string == "id-1") }
        #expect(arrivals.map(\.senderID) == (0..<(isOneAccepted ? 3 : 2)).map { "w/\($0)" })
        let line = log.first { $0["event"]?.string == (isOneAccepted ? "hook-accepted" : "hook-refused") }
        let ids = isOneAccepted ? #"["id-1","id-2","id-3"]"# : #"["id-1","id-2"]"#
        #expect(line?["deliveries"]?.text() == ids)
    }

    @Test func aChallengeMakesNoDelivery() throws {
        let hook =
            Self.hook + """

                [[hooks.deploys.answers]]
                when = [{ pointer = "/type", equals = "test" }]
                values = { word = "/word" }
                text = "{word}"
                """
        let (answer, arrivals, _) = try send(
            #"{"type":"test"}"#, hook, target: "/hooks/deploys", fields: Self.signed)
        #expect(answer.summary == "422 hook.value-missing")
        #expect(arrivals.isEmpty)
    }

    // MARK: Forms

    private static let form = "application/x-www-form-urlencoded"
    private static let payload = #"{"aps":{"alert":"Hi"}}"#
    private static let token = (
        settings: "[server]\ntoken-file = \"token\"\n", fields: [("Authorization", "Bearer t0ken-of-sender")]
    )

    @Test func curlWithoutAContentType() throws {
        let (answer, arrivals, _) = try send(
            Self.payload, Self.token.settings, fields: Self.token.fields, type: Self.form)
        #expect(answer.status == 202)
        #expect(try arrivals.first?.reading.get().title == nil)
    }

    @Test(
        "else a form is refused, and the help names the header",
        arguments: [(payload, "", []), ("title=x", token.settings, token.fields)]
            as [(String, String, [(String, String)])])
    func otherForms(_ body: String, _ settings: String, _ fields: [(String, String)]) throws {
        let (answer, arrivals, _) = try send(body, settings, fields: fields, type: Self.form)
        #expect(answer.summary == "415 webhook.media-type")
        #expect(answer.error["help"]?.string?.contains("-H 'Content-Type: application/json'") == true)
        #expect(arrivals.isEmpty)
    }

    @Test func aFormOverTheUnixSocket() throws {
        let (answer, arrivals, _) = try send("a=b", peer: WebhookFixture.unix, type: Self.form)
        #expect(answer.summary == "415 webhook.media-type")
        #expect(arrivals.isEmpty)
        #expect(try send(Self.payload, peer: WebhookFixture.unix, type: Self.form).answer.status == 202)
    }

    @Test func aHookReadsItToo() throws {
        let (answer, arrivals, _) = try send(
            #"{"id":"7"}"#, Self.hook, target: "/hooks/deploys", fields: Self.signed, type: Self.form)
        #expect(answer.status == 202)
        #expect(try arrivals.first?.reading.get().targetContentIdentifier == "https://a.example/7")
        let (refused, none, _) = try send(
            "id=7", Self.hook, target: "/hooks/deploys", fields: Self.signed, type: Self.form)
        #expect(refused.summary == "415 webhook.media-type")
        #expect(refused.error["help"]?.string?.contains("-H 'Content-Type: application/json'") == true)
        #expect(none.isEmpty)
    }

    // MARK: Ids

    @Test(
        "a sender's own id of an event, by its scheme",
        arguments: [
            ("github", [("X-GitHub-Delivery", "d-1"), ("webhook-id", "w")], "{}", "d-1"),
            ("gitea", [("X-Gitea-Delivery", "d-1")], "{}", "d-1"),
            ("sentry", [("Request-ID", "d-1")], "{}", "d-1"),
            ("gitlab", [("X-Gitlab-Event-UUID", "d-1"), ("Idempotency-Key", "i-1")], "{}", "i-1"),
            ("gitlab", [("X-Gitlab-Event-UUID", "d-1")], "{}", "d-1"),
            ("gitlab", [("Idempotency-Key", ""), ("X-Gitlab-Event-UUID", "d-1")], "{}", "d-1"),
            ("shopify", [("X-Shopify-Webhook-Id", "d-1")], "{}", "d-1"),
            ("linear", [("Linear-Delivery", "d-1")], "{}", "d-1"),
            ("stripe", [("webhook-id", "w")], #"{"id":"evt_1"}"#, "evt_1"),
            ("slack", [], #"{"event_id":"Ev1"}"#, "Ev1"),
            ("pagerduty", [], #"{"event":{"id":"P1"}}"#, "P1"),
            ("pagerduty", [("webhook-id", "w")], #"{"event":{"id":{}}}"#, "w"),
            ("github", [("webhook-id", "w")], "{}", "w"),
        ] as [(String, [(String, String)], String, String)])
    func senderIDs(_ scheme: String, _ fields: [(String, String)], _ body: String, _ id: String) throws {
        let fixture = try WebhookFixture(
            "[hooks.h]\nsignature = { scheme = \"\(scheme)\", secret-file = \"secret\" }\ntitle = \"x\"\n",
            files: ["secret": "s3cret\n"])
        var request = HookRequest(path: "/hooks/h", body: Array(body.utf8))
        request.headers = [.init("Content-Type", "application/json")] + fields.map { .init($0.0, $0.1) }
        let evaluation = HookEvaluation(fixture.settings.hooks, request, now: WebhookFixture.now)
        guard case .accepted(let elements, _) = try evaluation.outcome(), case .notification(let made)? = elements.first
        else {
            Issue.record("it is not accepted")
            return
        }
        #expect(made.senderID == id)
    }
}
