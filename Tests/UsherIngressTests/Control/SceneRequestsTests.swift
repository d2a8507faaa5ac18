import Foundation
import Synchronization
import Testing
import UsherActivation
import UsherEngine
import UsherHTTP
import UsherIngress
import UsherJSON
import UsherOperation
import UsherScene
import UsherStore

/// `scene.focus`, `scene.new`, and `scene.close` with `window`.
struct SceneRequestsTests {
    private static let manifest = """
        id = "example.own"
        domains = ["own.example"]
        scenes-limit = 2
        [[scenes]]
        name = "main"
        launch = { exec = ["true"] }
        [[scenes]]
        name = "item"
        opens = 'SELF BEGINSWITH "https://own.example/item/"'
        launch = { exec = ["true", "{target}"] }
        """

    // MARK: Closing

    private static func fixture() throws -> ControlFixture {
        let windows = [
            WindowList.Window(handle: "@1", title: "plain", group: "usher", server: "dry-run"),
            WindowList.Window(handle: "@2", title: "asks", group: "usher", server: "dry-run"),
        ]
        let fixture = try ControlFixture(isDaemon: false, manifest: manifest, windows: windows)
        for (session, handle) in [("plain", "@1"), ("asks", "@2"), ("gone", "@7"), ("bare", nil)] {
            try fixture.connect(
                SessionRequest(
                    app: "example.own", scene: "main", session: session, handle: handle,
                    handleServer: handle.map { _ in "dry-run" }))
        }
        return fixture
    }

    private static func handles(_ fixture: ControlFixture) throws -> [String] {
        try fixture.backend.activator.windowSystem.windows().windows.map(\.handle)
    }

    @Test(arguments: [
        ("DELETE /v1/scenes/plain?window=1", "", 200, #""state":"closed""#, #""window":"closed""#, ["@2"], false),
        (
            "POST /v1/scenes/plain/close", #"{"window":true}"#, 200, #""id":"plain""#, #""window":"closed""#, ["@2"],
            false
        ),
        ("DELETE /v1/scenes/gone?window=1", "", 200, #""state":"closed""#, #""window":"closed""#, ["@1", "@2"], false),
        ("DELETE /v1/scenes/asks?window=1", "", 200, #""state":"connected""#, #""window":"open""#, ["@1", "@2"], true),
        ("DELETE /v1/scenes/bare?window=1", "", 409, "U2013", "scene.no-window", ["@1", "@2"], true),
        ("DELETE /v1/scenes/none?window=1", "", 404, "U2004", "resolution.no-such-session", ["@1", "@2"], false),
        ("DELETE /v1/scenes/plain", "", 200, #""id":"plain""#, #""state":"closed""#, ["@1", "@2"], false),
    ])
    func windowIsClosed(
        _ request: String, _ body: String, _ status: Int, _ one: String, _ other: String, _ windows: [String],
        _ stays: Bool
    ) throws {
        let fixture = try Self.fixture()
        let response = try Self.response(fixture, request, body)
        let text = String(decoding: response.body, as: UTF8.self)
        #expect(response.status == status && text.contains(one) && text.contains(other), "\(response.status) \(text)")
        #expect(try Self.handles(fixture) == windows)
        let id = request.split { $0 == "/" || $0 == "?" }[3]
        let left = try fixture.backend.store.session(id: String(id))
        #expect((left != nil) == stays)
    }

    @Test func answerOfTheSocketHasTheWindow() throws {
        let fixture = try Self.fixture()
        let answer = try fixture.answer(SceneClose("plain", closesWindow: true)).get()
        #expect(answer["window"]?.string == "closed")
        #expect(answer["session"]?["id"]?.string == "plain")
        #expect(try fixture.answer(SceneClose("bare")).get()["window"] == nil)
    }

    private static func response(
        _ fixture: ControlFixture, _ request: String, _ body: String
    ) throws -> HTTPResponse {
        let words = request.split(separator: " ").map(String.init)
        var fields = HTTPFields()
        if !body.isEmpty { fields.append("Content-Type", "application/json") }
        let responder = CapturedAnswer()
        ControlRoutes(fixture.service).handle(
            HTTPRequest(
                method: words[0], target: words[1], fields: fields, body: Array(body.utf8),
                peer: HTTPPeer(address: .local(user: 0, group: 0, process: 1), listener: "t")), responder)
        return try #require(responder.wait())
    }

    // MARK: Refusals

    @Test(
        "what cannot be made is refused, and is no delivery",
        arguments: [
            ("POST /v1/scenes/none/focus", "", 404, "U2004 resolution.no-such-session"),
            ("POST /v1/scenes/new", #"{"app":"example.onw"}"#, 404, "U2001 resolution.no-app"),
            ("POST /v1/scenes/new", #"{"app":"example.own","scene":"mian"}"#, 404, "U2010 scene.unknown"),
            ("POST /v1/scenes/new", #"{"app":"example.one"}"#, 409, "U2011 scene.single"),
            ("POST /v1/scenes/new", #"{"app":"example.own"}"#, 409, "U2012 scene.limit"),
            ("POST /v1/scenes/new", #"{"app":"example.own","scene":"item"}"#, 409, "U2012 scene.limit"),
            ("POST /v1/scenes/new", #"{"app":"example.own","target":""}"#, 400, "U6303 control.argument"),
            ("POST /v1/scenes/new", "{}", 400, "U6303 control.argument"),
        ])
    func refusals(_ request: String, _ body: String, _ status: Int, _ code: String) throws {
        let fixture = try ControlFixture(isDaemon: false, manifest: Self.manifest)
        for session in ["main-1", "main-2"] {
            try fixture.connect(SessionRequest(app: "example.own", scene: "main", session: session))
        }
        let isOfOne = code.contains("single")
        let used =
            isOfOne
            ? try ControlFixture(
                isDaemon: false,
                manifest: Self.manifest.replacingOccurrences(of: "example.own", with: "example.one")
                    .replacingOccurrences(of: "scenes-limit = 2", with: "multiple-scenes = false")) : fixture
        let response = try Self.response(used, request, body)
        let error = try JSONValue(parsing: response.body)["error"]
        #expect(response.status == status, "\(String(decoding: response.body, as: UTF8.self))")
        #expect("\(error?["code"]?.string ?? "") \(error?["name"]?.string ?? "")" == code)
        #expect(used.backend.echo.count == 0)
    }

    @Test func requestsAreDispatched() throws {
        let fixture = try ControlFixture(isDaemon: false, manifest: Self.manifest)
        try fixture.connect(SessionRequest(app: "example.own", scene: "main", session: "main-1"))
        for (request, body, input) in [
            ("POST /v1/scenes/main-1/focus", "", #"{"focus":"main-1"}"#),
            (
                "POST /v1/scenes/new", #"{"app":"example.own","scene":"item","target":"t"}"#,
                #"{"new":"example.own","scene":"item","target":"t"}"#
            ),
        ] {
            let response = try Self.response(fixture, request, body)
            #expect(response.status == 200)
            let record = try JSONValue(parsing: response.body)
            #expect(record["source"]?.string == "scene" && record["v"]?.int64 == 1, "\(record)")
            #expect(fixture.backend.echo.inputs.last == input)
        }
        // No sender can ask for it.
        let refused = fixture.answer(DispatchPayload(input: Array(#"{"focus":"main-1"}"#.utf8), format: "scene"))
        #expect(throws: ControlError.self) { try refused.get() }
    }
}
