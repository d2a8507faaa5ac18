import Testing
import UsherConfiguration
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
            return fixture.send(request, RecordingIntake(.accept), fixture.door(now: time)).summary
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
}
