import Testing
import UsherHook
import UsherJSON

/// Captured requests: as text and back, and what is masked in them.
@Suite struct HookCaptureTests {
    private static func text(_ capture: HookCapture) -> [UInt8] {
        var json = JSONWriter(escaping: .minimal)
        capture.write(to: &json)
        return json.bytes
    }

    @Test(
        "what is written is read again",
        arguments: [
            HookRequest(path: "/hooks/a", body: Array(#"{"a":"ä"}"#.utf8)),
            HookRequest(
                method: "GET", path: "/hooks/a", query: "a=1&a=%20", headers: [.init("X-A", "1"), .init("x-a", "2")]),
            HookRequest(path: "/hooks/a", body: [0xFF, 0x00, 0xFE]),
        ])
    func roundTrip(request: HookRequest) throws {
        var wanted = request
        wanted.origin = HookRequest(path: "").origin
        let capture = HookCapture(time: "2026-11-25T09:00:00.000001Z", wanted)
        #expect(try HookCapture.read(Self.text(capture)) == capture)
        #expect(capture.seconds == 1_795_597_200)
    }

    @Test(arguments: ["", "[]", #"{"v":1}"#, #"{"action":"opened","headers":{}}"#, #"{"v":2,"headers":[]}"#, "a=b"])
    func bodiesAreNoCaptures(text: String) throws { #expect(try HookCapture.read(Array(text.utf8)) == nil) }

    @Test(
        arguments: [
            (#"{"v":1,"headers":["a"]}"#, "`headers` of a captured request is a list of"),
            (#"{"v":1,"headers":[],"header":[]}"#, "has no member \"header\""),
            (#"{"v":1,"headers":[],"method":5}"#, "`method` of a captured request is a number, not a string"),
            (#"{"v":1,"headers":[],"body":"","body_base64":""}"#, "not both"),
            (#"{"v":1,"headers":[],"body_base64":"*"}"#, "is not Base64"),
        ])
    func mistakes(text: String, message: String) {
        let error = #expect(throws: HookCapture.Invalid.self) { try HookCapture.read(Array(text.utf8)) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "none")")
    }

    struct Mask: Sendable, CustomTestStringConvertible {
        var scheme: HookSignature.Scheme
        var name: String
        var value: String
        var masked: String
        /// Whether that is the proof of the scheme.
        var isProof: Bool
        var testDescription: String { "\(scheme.name) \(name)" }
    }

    private static let code = HookSignature.Scheme.code(HookCode(header: "X-Signature"))
    private static let headers = [
        Mask(scheme: .basic, name: "authorization", value: "Basic dTpw", masked: "Basic ***", isProof: true),
        Mask(
            scheme: .bearer(.authorization), name: "Authorization", value: "bearer t", masked: "bearer ***",
            isProof: true),
        Mask(
            scheme: .bearer(.header("X-Token", prefix: "v1=")), name: "X-Token", value: "v1=t", masked: "v1=***",
            isProof: true),
        Mask(
            scheme: .bearer(.header("X-Gitlab-Token", prefix: "")), name: "X-Gitlab-Token", value: "t", masked: "***",
            isProof: true),
        Mask(scheme: code, name: "Authorization", value: "t", masked: "***", isProof: false),
        Mask(scheme: code, name: "Cookie", value: "a=b", masked: "***", isProof: false),
        Mask(scheme: code, name: "X-Signature", value: "0a", masked: "0a", isProof: false),
    ]

    @Test(arguments: headers)
    func headersAreMasked(mask: Mask) {
        let signature = HookSignature(mask.scheme)
        let request = HookRequest(path: "/", headers: [.init(mask.name, mask.value), .init("X-B", "b")])
        #expect(!request.hasMaskedProof(of: signature))
        let masked = request.masked(signature)
        #expect(masked.headers == [.init(mask.name, mask.masked), .init("X-B", "b")])
        #expect(masked.hasMaskedProof(of: signature) == mask.isProof)
    }

    @Test func parametersAreMasked() {
        let signature = HookSignature(.bearer(.query("key")))
        let request = HookRequest(path: "/", query: "a=%20&key=s&%74oken=t&key&b=key").masked(signature)
        #expect(request.query == "a=%20&key=***&%74oken=***&key=***&b=key")
        #expect(request.hasMaskedProof(of: signature))
        #expect(HookRequest(path: "/", query: "key=s").masked(HookSignature.none).query == "key=s")
    }
}
