import Testing
import UsherConfiguration
import UsherEngine
import UsherHook
import UsherIngress
import UsherJSON

/// The libraries of PyPI and this program agree on every signature.
@Suite struct SenderLibraryTests {
    /// Signs as a sender with the reference library of Standard Webhooks does.
    static let standard = """
        import datetime, json, sys
        from standardwebhooks.webhooks import Webhook
        request = json.load(sys.stdin)
        time = datetime.datetime.fromtimestamp(request["time"], tz=datetime.timezone.utc)
        print(json.dumps([
            Webhook(secret).sign(msg_id=request["id"], timestamp=time, data=request["body"])
            for secret in request["secrets"]]))
        """

    static let body = "{\"type\":\"order.shipped\",\"data\":{\"name\":\"Crusty 🤡 \\u00e9\"}}"

    @Test func standardWebhooks() throws {
        let now = WebhookFixture.now
        let other = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        let input: JSONValue = [
            "time": .number(String(now)), "id": "msg_7", "body": .string(Self.body),
            "secrets": [.string(SignatureTests.secret), .string(other)],
        ]
        let signatures = try #require(try PythonLibrary.run(Self.standard, input).elements).compactMap(\.string)
        #expect(signatures.count == 2)
        let fixture = try SignatureTests.fixture()

        func summary(_ signature: String, id: String = "msg_7", body: String = Self.body, at time: Int64 = now)
            -> String
        {
            let fields = [
                ("webhook-id", id), ("webhook-timestamp", String(now)), ("webhook-signature", signature),
            ]
            let request = WebhookFixture.request("/hooks/standard", body, fields)
            return fixture.send(request, RecordingIntake(.accept), fixture.access(now: time)).summary
        }
        #expect(summary(signatures[0]) == "202 ")
        #expect(summary(signatures[1]) == "403 signature.mismatch", "signed with another secret")
        #expect(summary(signatures.joined(separator: " ")) == "202 ", "during a change of secrets")
        #expect(summary(signatures[0], id: "msg_8") == "403 signature.mismatch")
        #expect(summary(signatures[0], body: Self.body + "\n") == "403 signature.mismatch")
        #expect(summary(signatures[0], at: now + 301) == "403 signature.stale")
        #expect(summary(signatures[0], at: now - 301) == "403 signature.stale")
    }

    /// What gidgethub, which receives GitHub's webhooks, says of signatures.
    static let github = """
        import json, sys
        from gidgethub import ValidationFailure, sansio
        verdicts = []
        for case in json.load(sys.stdin):
            headers = {"content-type": "application/json", "x-github-event": "push", "x-github-delivery": "1"}
            if case["signature"] is not None:
                headers["x-hub-signature-256"] = case["signature"]
            try:
                sansio.Event.from_http(headers, case["body"].encode(), secret=case["secret"])
                verdicts.append(True)
            except ValidationFailure:
                verdicts.append(False)
        print(json.dumps(verdicts))
        """

    @Test func gitHub() throws {
        let good = SignatureTests.github(Self.body)[0].1
        let cases: [(signature: String?, body: String)] = [
            (good, Self.body), (good, Self.body + " "), (nil, Self.body),
            ("sha256=" + String(repeating: "0", count: 64), Self.body),
            (SignatureTests.github(Self.body, key: Array("x".utf8))[0].1, Self.body),
            (String(good.dropFirst(7)), Self.body),
        ]
        let input = JSONValue.array(
            cases.map { one in
                [
                    "signature": one.signature.map { .string($0) } ?? .null, "body": .string(one.body),
                    "secret": "It's a Secret to Everybody",
                ]
            })
        let verdicts = try #require(try PythonLibrary.run(Self.github, input).elements).map(\.boolean)
        let fixture = try SignatureTests.fixture()
        let ours = cases.map { one in
            let fields = one.signature.map { [("X-Hub-Signature-256", $0)] } ?? []
            return fixture.send(
                WebhookFixture.request("/hooks/github", one.body, fields), RecordingIntake(.accept)
            ).status == 202
        }
        #expect(ours == verdicts)
        #expect(ours == [true, false, false, false, false, false])
    }

    /// Signs as the senders' own libraries do.
    private static let vendors = """
        import datetime, json, sys
        from slack_sdk.signature import SignatureVerifier
        from stripe import WebhookSignature
        from svix.webhooks import Webhook
        from twilio.request_validator import RequestValidator
        request = json.load(sys.stdin)
        time, secret, body = str(request["time"]), request["secret"], request["body"]

        class Form(dict):
            def getall(self, name):
                return self[name]
        twilio = RequestValidator(secret)
        json_url = request["url"] + "&bodySHA256=" + twilio.compute_hash(body)
        print(json.dumps({
            "stripe": WebhookSignature._compute_signature(time + "." + body, secret),
            "slack": SignatureVerifier(secret).generate_signature(timestamp=time, body=body),
            "svix": Webhook(request["svix"]).sign(
                "msg_7", datetime.datetime.fromtimestamp(request["time"], tz=datetime.timezone.utc), body),
            "form": twilio.compute_signature(request["url"], Form(request["form"])),
            "json": twilio.compute_signature(json_url, {}), "json-url": json_url,
        }))
        """

    @Test func vendors() throws {
        let (now, url) = (WebhookFixture.now, "https://hooks.example/hooks/twilio?a=1%20")
        let answer = try PythonLibrary.run(
            Self.vendors,
            [
                "time": .number(String(now)), "secret": "a secret", "body": .string(Self.body), "url": .string(url),
                "svix": .string(SignatureTests.secret),
                "form": ["Body": ["Crusty 🤡 é"], "To": ["2", "1", "2"], "From": [""], "A+B&c": ["x=y"]],
            ])
        func made(_ name: String) throws -> String { try #require(answer[name]?.string) }
        let judge = try SignatureJudge(
            [
                "stripe": #"scheme = "stripe" | secret-file = "s""#, "slack": #"scheme = "slack" | secret-file = "s""#,
                "svix": #"scheme = "standard" | secret-file = "svix""#,
                "twilio": #"scheme = "twilio" | secret-file = "s""#,
            ], ["s": "a secret\n", "svix": SignatureTests.secret + "\n"])

        func verdict(
            _ hook: String, _ headers: [String: String], body: String = Self.body, query: String? = nil,
            at time: Int64 = now
        ) -> String {
            let request = HookRequest(
                path: "/hooks/" + hook, query: query, headers: headers.map { .init($0.key, $0.value) },
                body: Array(body.utf8), origin: "https://hooks.example")
            return judge.verdict(hook, request, at: time)
        }
        let stripe = ["Stripe-Signature": "t=\(now),v1=\(try made("stripe")),v0=00"]
        let slack = ["X-Slack-Signature": try made("slack"), "X-Slack-Request-Timestamp": String(now)]
        let svix = ["svix-id": "msg_7", "svix-timestamp": String(now), "svix-signature": try made("svix")]
        for (hook, headers) in [("stripe", stripe), ("slack", slack), ("svix", svix)] {
            #expect(verdict(hook, headers) == "valid")
            #expect(verdict(hook, headers, body: Self.body + " ") == "403 signature.mismatch")
            #expect(verdict(hook, headers, at: now + 301) == "403 signature.stale")
        }
        let form = ["X-Twilio-Signature": try made("form"), "Content-Type": "application/x-www-form-urlencoded"]
        let fields = "To=1&Body=Crusty+%F0%9F%A4%A1%20%C3%A9&From=&A%2BB%26c=x%3Dy&To=2"
        #expect(verdict("twilio", form, body: fields, query: "a=1%20") == "valid")
        #expect(verdict("twilio", form, body: fields + "&To=3", query: "a=1%20") == "403 signature.mismatch")
        #expect(verdict("twilio", form, body: fields, query: "a=1+") == "403 signature.mismatch")
        let json = ["X-Twilio-Signature": try made("json"), "Content-Type": "application/json"]
        let query = String(try made("json-url").split(separator: "?")[1])
        #expect(verdict("twilio", json, query: query) == "valid")
        #expect(verdict("twilio", json, body: Self.body + " ", query: query) == "403 signature.mismatch")
    }
}
