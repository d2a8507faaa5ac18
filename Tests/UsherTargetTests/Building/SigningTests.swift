import Foundation
import Testing
import UsherTarget

/// Signatures against published examples: RFC 4231, the Standard Webhooks and GitHub documentation.
@Suite struct SigningTests {
    @Test func standardWebhooks() throws {
        let request = try SignedWebhookRequest.standard(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, path: "/hooks/x",
            body: Array(#"{"test": 2432232314}"#.utf8),
            secrets: [WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")])
        #expect(request["Webhook-Signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        #expect(request["webhook-id"] == "msg_p5jXN8AQM9LWM0D4loKWxJek")
        #expect(request["webhook-timestamp"] == "1614265330")
        #expect(request.method == "POST" && request.path == "/hooks/x" && request.bodyText == #"{"test": 2432232314}"#)
    }

    @Test func rotationGivesASignatureForEachSecret() throws {
        let secrets = try [WebhookSecret(key: Array(0..<24)), WebhookSecret(key: Array(0..<64))]
        func signature(_ secrets: [WebhookSecret]) throws -> String? {
            try SignedWebhookRequest.standard(id: "a", timestamp: 0, path: "/", body: [], secrets: secrets)[
                "webhook-signature"]
        }
        let both = try signature(secrets)
        #expect(
            try both == [signature([secrets[0]]), signature([secrets[1]])].compactMap(\.self).joined(separator: " "))
    }

    /// GitHub: Validating webhook deliveries.
    @Test func gitHub() throws {
        let request = try SignedWebhookRequest.gitHub(
            event: "ping", delivery: "d-1", path: "/", body: Array("Hello, World!".utf8),
            secret: Array("It's a Secret to Everybody".utf8))
        #expect(
            request["x-hub-signature-256"]
                == "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17")
        #expect(request["x-github-event"] == "ping")
    }

    struct Code: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let key: [UInt8]
        let data: [UInt8]
        let code: String
    }

    /// RFC 4231, section 4.
    @Test(arguments: [
        Code(
            testDescription: "short key", key: Array(repeating: 0x0B, count: 20), data: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Code(
            testDescription: "key of letters", key: Array("Jefe".utf8),
            data: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        Code(
            testDescription: "long data", key: Array(repeating: 0xAA, count: 20),
            data: Array(repeating: 0xDD, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        Code(
            testDescription: "key longer than a block", key: Array(repeating: 0xAA, count: 131),
            data: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    ])
    func hmac(_ entry: Code) throws {
        let request = try SignedWebhookRequest.gitHub(
            event: "e", delivery: "d", path: "/", body: entry.data, secret: entry.key)
        #expect(request["x-hub-signature-256"] == "sha256=" + entry.code)
    }

    /// Lengths around the edges of blocks, judged by python3.
    @Test func digestsOfManyLengths() throws {
        let lengths = Array(0...130) + [1000, 4096, 65_537]
        let script = """
            import hmac, hashlib
            for n in \(lengths): print(hmac.new(b'key', bytes(i % 251 for i in range(n)), hashlib.sha256).hexdigest())
            """
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let expected = String(decoding: data, as: UTF8.self).split(separator: "\n").map { "sha256=" + $0 }
        #expect(expected.count == lengths.count)
        for (length, signature) in zip(lengths, expected) {
            let request = try SignedWebhookRequest.gitHub(
                event: "e", delivery: "d", path: "/", body: (0..<length).map { UInt8($0 % 251) },
                secret: Array("key".utf8))
            #expect(request["x-hub-signature-256"] == signature, "\(length)")
        }
    }

    @Test(arguments: ["", "whsec_", "whsec_AAAA", "no base64 !", "whsec_" + String(repeating: "A", count: 88)])
    func secretsThatAreNone(_ text: String) {
        let error = #expect(throws: BuildingError.self) { try WebhookSecret(text) }
        #expect(error?.code == .secret)
    }

    @Test(arguments: [
        ("", 0, "/"), ("a.b", 0, "/"), ("a\r\nx: y", 0, "/"), ("a", -1, "/"), ("a", 0, "hooks"), ("a", 0, "/a b"),
        ("a", 0, "/a\n"),
    ])
    func requestsThatCannotBeSent(_ id: String, _ timestamp: Int64, _ path: String) {
        let error = #expect(throws: BuildingError.self) {
            try SignedWebhookRequest.standard(
                id: id, timestamp: timestamp, path: path, body: [], secrets: [WebhookSecret(key: Array(0..<32))])
        }
        #expect(error?.code == .header || error?.code == .value)
    }

    @Test func withoutSecrets() {
        #expect(throws: BuildingError.self) {
            try SignedWebhookRequest.standard(id: "a", timestamp: 0, path: "/", body: [], secrets: [])
        }
    }

    @Test func curlConfiguration() {
        let request = PreparedRequest(path: "/a", fields: [.init("x", "1")], body: Array("{\"a\\n\": \"\n\"}".utf8))
        #expect(
            request.curlConfiguration(server: "http://127.0.0.1:8484")
                == #"""
                request = "POST"
                url = "http://127.0.0.1:8484/a"
                header = "x: 1"
                data-raw = "{\"a\\n\": \"\n\"}"
                """#)
    }
}
