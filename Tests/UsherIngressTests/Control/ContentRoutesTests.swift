import Foundation
import Testing
import UsherControl
import UsherEngine
import UsherHTTP
import UsherIngress
import UsherJSON
import UsherNotes
import UsherOperation
import UsherScene

/// Notes, links, redirects and activities through the control access, carried out in a real store.
struct ContentRoutesTests {
    /// One request of a story; `{name}` stands for what an answer before had.
    struct Step {
        var request: String
        var body = ""
        var status: Int
        var holds: [String] = []
        /// What is kept of the answer: a name, and where it is.
        var keeps: (name: String, path: [String])?
    }

    /// What was asked and answered, for the judge.
    struct Exchange {
        var request: HTTPRequest
        var response: HTTPResponse
    }

    static let notes = [
        Step(request: "GET /v1/notes", status: 200, holds: ["[]"]),
        Step(request: "GET /v1/notes/current", status: 404, holds: ["note.none-in-progress"]),
        Step(request: "POST /v1/notes", status: 400, holds: ["text is missing"]),
        Step(
            request: "POST /v1/notes", body: #"{"text":"a","colour":"red"}"#, status: 400,
            holds: [#"there is no member \"colour\""#, #""at":"/colour""#]),
        Step(
            request: "POST /v1/notes", body: #"{"text":"Book Crusty\nfor Saturday"}"#, status: 201,
            holds: [#""state":"current""#], keeps: ("note", ["note", "id"])),
        Step(request: "GET /v1/notes/{note}", status: 200, holds: [#""text":"Book Crusty\nfor Saturday""#]),
        Step(request: "GET /v1/notes/usher-note:{note}", status: 200),
        Step(request: "GET /v1/notes/current", status: 200, holds: ["{note}"]),
        Step(
            request: "PATCH /v1/notes/{note}", body: #"{"text":"Book Bozo","line":1}"#, status: 200,
            holds: [#""text":"Book Bozo""#]),
        Step(
            request: "PATCH /v1/notes/{note}", body: #"{"text":"Book nobody","was":"sha256:0"}"#, status: 409,
            holds: ["note.changed-meanwhile"]),
        Step(request: "GET /v1/notes?q=bozo", status: 200, holds: ["{note}"]),
        Step(request: "GET /v1/notes?q=crusty", status: 200, holds: ["[]"]),
        Step(request: "GET /v1/notes?state=hidden", status: 400, holds: [#""at":"?state""#]),
        Step(request: "GET /v1/notes?limit=0", status: 400, holds: [#""at":"?limit""#]),
        Step(request: "POST /v1/notes/{note}/aside", status: 200, holds: [#""state":"aside""#]),
        Step(request: "POST /v1/notes/current/done", status: 404),
        Step(request: "POST /v1/notes/{note}/resume", status: 200, holds: [#""state":"current""#]),
        Step(
            request: "POST /v1/notes/{note}/attachments", body: #"{"path":"/etc/passwd"}"#, status: 201,
            holds: [#""attachments":[{"#]),
        Step(request: "POST /v1/notes/{note}/attachments", body: "{}", status: 400),
        Step(request: "POST /v1/notes/{note}/done", status: 200, holds: [#""state":"done""#]),
        Step(request: "GET /v1/notes?state=done&limit=5", status: 200, holds: ["{note}"]),
        Step(request: "DELETE /v1/notes/{note}", status: 200, holds: ["{note}"]),
        Step(request: "DELETE /v1/notes/{note}", status: 404, holds: ["note.no-such-note"]),
        Step(request: "GET /v1/notes/nonsense", status: 404),
    ]

    static let redirects = [
        Step(request: "GET /v1/redirects", status: 200, holds: [#""redirects":[]"#]),
        Step(
            request: "POST /v1/redirects", body: #"{"from":"https://a.example/1","to":"https://a.example/2"}"#,
            status: 201, holds: [#""kind":"move""#]),
        Step(
            request: "POST /v1/redirects", body: #"{"from":"https://a.example/1","to":"https://a.example/2"}"#,
            status: 200, holds: [#""is_new":false"#]),
        Step(
            request: "POST /v1/redirects", body: #"{"from":"https://a.example/1","to":"https://a.example/3"}"#,
            status: 409, holds: ["redirect.taken"]),
        Step(
            request: "POST /v1/redirects", body: #"{"from":"https://a.example/2","to":"https://a.example/1"}"#,
            status: 409, holds: ["redirect.loop"]),
        Step(
            request: "POST /v1/redirects", body: #"{"from":"x:","to":"y:","prefix":true,"reason":"new"}"#, status: 201,
            holds: [#""kind":"prefix-move""#]),
        Step(
            request: "POST /v1/redirects", body: #"{"target":"https://a.example/1","deleted":true,"reason":"gone"}"#,
            status: 201, holds: [#""kind":"deleted""#, #""source":"https://a.example/2""#]),
        Step(
            request: "POST /v1/redirects", body: #"{"from":"https://a.example/4","to":"https://a.example/2"}"#,
            status: 410, holds: ["redirect.deleted"]),
        Step(request: "POST /v1/redirects", body: #"{"from":"a"}"#, status: 400, holds: ["to is missing"]),
        Step(request: "POST /v1/redirects", body: #"{"from":"","to":"b"}"#, status: 400),
        Step(request: "GET /v1/redirects?target=https://a.example/1", status: 200, holds: [#""tombstone":{"#]),
        Step(request: "DELETE /v1/redirects?target=https://a.example/2", status: 200, holds: [#""kind":"deleted""#]),
        Step(request: "DELETE /v1/redirects?target=x:&prefix=1", status: 200, holds: [#""kind":"prefix-move""#]),
        Step(request: "DELETE /v1/redirects?target=x:", status: 404, holds: ["redirect.none"]),
        Step(request: "DELETE /v1/redirects", status: 400, holds: ["target is missing"]),
    ]

    /// In a store with the session `main-1`.
    static let activities = [
        Step(request: "GET /v1/activities", status: 200, holds: ["[]"]),
        Step(request: "GET /v1/activities/current", status: 404, holds: ["activity.none"]),
        Step(request: "GET /v1/scenes/main-1/activity", status: 404, holds: ["activity.none"]),
        Step(
            request: "POST /v1/activities",
            body: #"{"session":"main-1","activity":{"activityType":"example.clowntown.view-clown","title":"Crusty","#
                + #""targetContentIdentifier":"https://clowntown.example/clowns/crusty","#
                + #""isEligibleForSearch":true,"userInfo":{"tab":1.50},"x-own":[1e2,"\u00e9"]}}"#,
            status: 201, holds: [#""is_current":true"#, #""tab":1.50"#, #""x-own":[1e2,"#],
            keeps: ("activity", ["activity", "id"])),
        Step(
            request: "POST /v1/activities",
            body: #"{"session":"main-1","activity":{"activityType":"example.clowntown.view-clown","title":"Crusty","#
                + #""targetContentIdentifier":"https://clowntown.example/clowns/crusty","#
                + #""isEligibleForSearch":true,"userInfo":{"tab":1.50},"x-own":[1e2,"\u00e9"]}}"#,
            status: 200, holds: [#""is_new":false"#, "{activity}"]),
        Step(request: "GET /v1/activities/{activity}", status: 200, holds: [#""title":"Crusty""#]),
        Step(request: "GET /v1/activities/current", status: 200, holds: ["{activity}"]),
        Step(request: "GET /v1/scenes/main-1/activity", status: 200, holds: ["{activity}"]),
        Step(request: "GET /v1/activities?session=main-1", status: 200, holds: ["{activity}"]),
        Step(request: "GET /v1/activities?q=crusty", status: 200, holds: ["{activity}"]),
        Step(request: "GET /v1/activities?q=crusty&all=1", status: 400, holds: [#""at":"?all""#]),
        Step(
            request: "PATCH /v1/scenes/main-1/activity", body: #"{"activity":{"title":"Crusty, asleep"}}"#, status: 200,
            holds: [#""title":"Crusty, asleep""#, #""tab":1.50"#]),
        Step(
            request: "PATCH /v1/scenes/main-1/activity", body: #"{"needs_save":true}"#, status: 200,
            holds: [#""needs_save":true"#]),
        Step(request: "PATCH /v1/scenes/main-1/activity", body: "{}", status: 400),
        Step(
            request: "POST /v1/activities", body: #"{"session":"main-1","activity":{"activityType":"other.type"}}"#,
            status: 400, holds: ["activity.undeclared-type"]),
        Step(
            request: "POST /v1/activities",
            body: #"{"session":"main-9","activity":{"activityType":"example.clowntown.view-clown"}}"#,
            status: 404, holds: ["resolution.no-such-session"]),
        Step(request: "POST /v1/activities", body: #"{"session":"main-1","activity":{"title":"x"}}"#, status: 400),
        Step(
            request: "POST /v1/activities",
            body:
                #"{"session":"main-1","activity":{"activityType":"example.clowntown.view-clown","x":"\#(String(repeating: "x", count: 140_000))"}}"#,
            status: 413, holds: ["activity.too-large"]),
        Step(request: "GET /v1/activities/nobody", status: 404, holds: ["activity.no-such-activity"]),
        Step(request: "DELETE /v1/scenes/main-1/activity", status: 200, holds: [#""state":"resigned""#]),
        Step(request: "DELETE /v1/scenes/main-1/activity", status: 404, holds: ["activity.none"]),
        Step(request: "GET /v1/activities?all=1", status: 200, holds: ["{activity}"]),
    ]

    @Test("activities become current, change and resign")
    func activities() throws { try tell(Self.activities) }

    static let links = [
        Step(request: "GET /v1/links", status: 200, holds: ["[]"]),
        Step(
            request: "POST /v1/links", body: #"{"note":"current","target":"https://a.example/1"}"#, status: 404,
            holds: ["note.none-in-progress"]),
        Step(request: "POST /v1/notes", body: #"{"text":"Crusty"}"#, status: 201, keeps: ("note", ["note", "id"])),
        Step(
            request: "POST /v1/links", body: #"{"note":"current","target":"https://a.example/1","title":"One"}"#,
            status: 201, holds: [#""title":"One""#, #""is_new":true"#], keeps: ("link", ["link", "id"])),
        Step(
            request: "POST /v1/links", body: #"{"note":"current","target":"https://a.example/1"}"#, status: 200,
            holds: [#""is_new":false"#, "{link}"]),
        Step(request: "POST /v1/links", body: #"{"note":"current"}"#, status: 400, holds: ["link.source"]),
        Step(
            request: "POST /v1/links", body: #"{"note":"current","activity":"nobody"}"#, status: 404,
            holds: ["activity.no-such-activity"]),
        Step(request: "GET /v1/links/{link}", status: 200, holds: [#""target":"https://a.example/1""#]),
        Step(request: "GET /v1/links?note={note}", status: 200, holds: ["{link}"]),
        Step(request: "GET /v1/links?target=https://a.example/2", status: 200, holds: ["[]"]),
        Step(
            request: "POST /v1/redirects", body: #"{"from":"https://a.example/1","to":"https://a.example/2"}"#,
            status: 201),
        Step(request: "GET /v1/links/{link}", status: 200, holds: [#""resolved":"https://a.example/2""#]),
        Step(
            request: "GET /v1/suggestions?target=tel:1&target=https://a.example/2", status: 200,
            holds: ["{note}", #""matched":"https://a.example/2""#, #""via":[{"#]),
        Step(request: "GET /v1/suggestions", status: 200, holds: [#""suggestions":[]"#]),
        Step(
            request: "POST /v1/redirects", body: #"{"target":"https://a.example/2","deleted":true}"#, status: 201),
        Step(
            request: "POST /v1/links", body: #"{"note":"current","target":"https://a.example/1"}"#, status: 410,
            holds: ["resolution.content-deleted"]),
        Step(request: "DELETE /v1/links/{link}", status: 200, holds: ["{link}"]),
        Step(request: "DELETE /v1/links/{link}", status: 404, holds: ["link.no-such-link"]),
    ]

    @Test("links are added, followed, suggested and removed")
    func links() throws { try tell(Self.links) }

    @Test("notes are made, found, changed and forgotten")
    func notes() throws { try tell(Self.notes) }

    @Test("content is moved, deleted and restored")
    func redirects() throws { try tell(Self.redirects) }

    @Test("the socket answers what HTTP answers")
    func socketAgrees() throws {
        let fixture = try ControlFixture()
        let client = try ControlClient(connectingTo: fixture.socket)
        try client.send(NoteNew(text: "Book Crusty"))
        guard case .result(1, let text) = try client.receive() else {
            Issue.record("no answer")
            return
        }
        let note = try #require(try JSONValue(parsing: text)["note"])
        let id = try #require(note["id"]?.string)
        let response = try ask("GET /v1/notes/\(id)", "", fixture).response
        #expect(try JSONValue(parsing: response.body) == note)
        try client.send(RedirectMove(from: "a", to: "a"))
        guard case .failure(2, let error) = try client.receive() else {
            Issue.record("no error")
            return
        }
        #expect(error.code == .redirectOntoItself)
    }

    // MARK: Telling

    private func tell(_ steps: [Step]) throws {
        let fixture = try ControlFixture()
        try fixture.connect(SessionRequest(app: "example.clowntown", scene: "main"))
        var names: [String: String] = [:]
        func filled(_ text: String) -> String {
            names.reduce(text) { $0.replacingOccurrences(of: "{\($1.key)}", with: $1.value) }
        }
        var exchanges: [Exchange] = []
        for step in steps {
            let exchange = try ask(filled(step.request), filled(step.body), fixture)
            exchanges.append(exchange)
            let body = String(decoding: exchange.response.body, as: UTF8.self)
            #expect(exchange.response.status == step.status, "\(step.request) \(step.body): \(body)")
            for text in step.holds {
                #expect(body.contains(filled(text)), "\(step.request) \(step.body): \(body)")
            }
            #expect(
                exchange.response.fields["Content-Type"]
                    == (step.status < 400 ? "application/json" : "application/problem+json"))
            if step.status == 201 { #expect(exchange.response.fields["Location"] != nil, "\(step.request)") }
            if let keeps = step.keeps {
                let value = keeps.path.reduce(try JSONValue(parsing: exchange.response.body)) { $0[$1] ?? .null }
                let kept: String = try #require(value.string)
                names[keeps.name] = kept
                #expect(exchange.response.fields["Location"]?.hasSuffix(kept) == true)
            }
        }
        try judge(exchanges)
    }

    /// Asks as a program does over the Unix socket.
    private func ask(_ text: String, _ body: String, _ fixture: ControlFixture) throws -> Exchange {
        let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
        let request = HTTPRequest(
            method: parts[0], target: parts[1],
            fields: HTTPFields(body.isEmpty ? [] : [.init("Content-Type", "application/json")]),
            body: Array(body.utf8), peer: HTTPPeer(address: .local(user: 0, group: 0, process: 1), listener: "t"))
        let responder = CapturedAnswer()
        ControlRoutes(fixture.service).handle(request, responder)
        return Exchange(request: request, response: try #require(responder.wait()))
    }

    /// Every answer must be one that the document promises: its status, and a body that fits the schema.
    private func judge(_ exchanges: [Exchange]) throws {
        let code = #"""
            import sys, json, re
            from jsonschema import Draft202012Validator
            given = json.load(sys.stdin)
            document, wrong = given["document"], []
            def resolved(node):
                while "$ref" in node:
                    path = node["$ref"].lstrip("#/").split("/")
                    node = document
                    for name in path: node = node[name]
                return node
            for one in given["exchanges"]:
                segments = one["path"].split("/")
                best = None
                for path in document["paths"]:
                    names = path.split("/")
                    if len(names) == len(segments) and all(n == s or n.startswith("{") for n, s in zip(names, segments)):
                        if best is None or path.count("{") < best.count("{"): best = path
                what = one["method"] + " " + one["path"] + " " + str(one["status"])
                if best is None: wrong.append(what + ": no path"); continue
                operation = document["paths"][best][one["method"].lower()]
                answer = operation["responses"].get(str(one["status"]))
                if answer is None: wrong.append(what + ": not promised"); continue
                kind = "application/json" if one["status"] < 400 else "application/problem+json"
                schema = dict(resolved(answer)["content"][kind]["schema"], components=document["components"])
                for error in Draft202012Validator(schema).iter_errors(one["body"]):
                    wrong.append(what + ": " + error.message[:300] + " at " + error.json_path)
            sys.exit("\n".join(wrong) or 0)
            """#
        var input = JSONWriter()
        input.beginObject()
        input.key("document")
        input.raw(OpenAPIDocument.json)
        input.beginArray("exchanges")
        for exchange in exchanges {
            input.beginObject()
            input.member("method", exchange.request.method)
            input.member("path", String(exchange.request.path))
            input.member("status", exchange.response.status)
            input.key("body")
            input.raw(exchange.response.body)
            input.endObject()
        }
        input.endArray()
        input.endObject()
        let (isGood, output) = try PythonJudge.run(code, input: input.bytes)
        #expect(isGood, "\(output)")
    }
}
