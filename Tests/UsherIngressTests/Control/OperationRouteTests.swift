import Testing
import UsherDispatch
import UsherHTTP
import UsherJSON
import UsherOperation

@testable import UsherIngress

/// Activities, notes, links and redirects over HTTP: the verbs and arguments that arrive.
struct OperationRouteTests {
    struct Case: CustomTestStringConvertible {
        var request: String
        var body = ""
        var verb: String
        var arguments: String
        var testDescription: String { "\(request) \(body.prefix(60))" }
    }

    static let cases = [
        Case(request: "GET /v1/activities", verb: "activity.list", arguments: "{}"),
        Case(
            request: "GET /v1/activities?app=a.b&session=s&all=1", verb: "activity.list",
            arguments: #"{"app":"a.b","session":"s","all":true}"#),
        Case(request: "GET /v1/activities?all=0", verb: "activity.list", arguments: "{}"),
        Case(
            request: "GET /v1/activities?q=red+nose&limit=5", verb: "activity.search",
            arguments: #"{"query":"red nose","limit":5}"#),
        Case(request: "GET /v1/activities/current", verb: "activity.show", arguments: #"{"activity":"current"}"#),
        Case(request: "GET /v1/activities/A%2FB", verb: "activity.show", arguments: #"{"activity":"A/B"}"#),
        Case(
            request: "POST /v1/activities",
            body: #"{"session":"s", "activity": {"b" :1.0, "a":"\u00e9"} ,"process":7}"#,
            verb: "activity.become-current",
            arguments: #"{"session":"s","activity":"{\"b\" :1.0, \"a\":\"\\u00e9\"}","process":7}"#),
        Case(request: "GET /v1/scenes/s/activity", verb: "activity.show", arguments: #"{"session":"s"}"#),
        Case(
            request: "PATCH /v1/scenes/s/activity", body: #"{"activity":{"title":null},"needs_save":true}"#,
            verb: "activity.update", arguments: #"{"session":"s","activity":"{\"title\":null}","needs_save":true}"#),
        Case(
            request: "PATCH /v1/scenes/s/activity", body: #"{"activity":null}"#, verb: "activity.update",
            arguments: #"{"session":"s"}"#),
        Case(request: "DELETE /v1/scenes/s/activity", verb: "activity.resign", arguments: #"{"session":"s"}"#),
        Case(request: "GET /v1/notes", verb: "note.list", arguments: "{}"),
        Case(
            request: "GET /v1/notes?state=done&limit=2&before=x", verb: "note.list",
            arguments: #"{"state":"done","limit":2,"before":"x"}"#),
        Case(request: "GET /v1/notes?q=clown", verb: "note.search", arguments: #"{"query":"clown"}"#),
        Case(
            request: "POST /v1/notes", body: #"{"text":"a","links":["b"]}"#, verb: "note.new",
            arguments: #"{"text":"a","links":["b"]}"#),
        Case(request: "GET /v1/notes/current", verb: "note.show", arguments: #"{"note":"current"}"#),
        Case(request: "GET /v1/notes/usher-note:1", verb: "note.show", arguments: #"{"note":"usher-note:1"}"#),
        Case(
            request: "PATCH /v1/notes/n", body: #"{"text":"b","line":2}"#, verb: "note.edit",
            arguments: #"{"note":"n","text":"b","line":2}"#),
        Case(
            request: "PATCH /v1/notes/n", body: #"{"text":"b","links":[{"link":"l","remove":true}]}"#,
            verb: "note.edit",
            arguments: #"{"note":"n","text":"b","links":[{"link":"l","remove":true}]}"#),
        Case(
            request: "POST /v1/notes/n/append", body: #"{"text":"b"}"#, verb: "note.append",
            arguments: #"{"note":"n","text":"b"}"#),
        Case(request: "GET /v1/notes?tag=a", verb: "note.list", arguments: #"{"tag":"a"}"#),
        Case(request: "GET /v1/tags", verb: "note.tags", arguments: "{}"),
        Case(request: "DELETE /v1/notes/n", verb: "note.delete", arguments: #"{"note":"n"}"#),
        Case(request: "POST /v1/notes/n/aside", verb: "note.aside", arguments: #"{"note":"n"}"#),
        Case(request: "POST /v1/notes/n/resume", verb: "note.resume", arguments: #"{"note":"n"}"#),
        Case(request: "POST /v1/notes/n/done", verb: "note.done", arguments: #"{"note":"n"}"#),
        Case(
            request: "POST /v1/notes/n/attachments", body: #"{"path":"/a"}"#, verb: "note.attach",
            arguments: #"{"note":"n","path":"/a"}"#),
        Case(
            request: "GET /v1/links?note=current&target=t%26u&limit=1&before=x", verb: "link.list",
            arguments: #"{"note":"current","target":"t&u","limit":1,"before":"x"}"#),
        Case(
            request: "POST /v1/links", body: #"{"note":"n","activity":"id"}"#, verb: "link.add",
            arguments: #"{"note":"n","activity":"id"}"#),
        Case(request: "GET /v1/links/l", verb: "link.show", arguments: #"{"link":"l"}"#),
        Case(request: "DELETE /v1/links/l", verb: "link.remove", arguments: #"{"link":"l"}"#),
        Case(request: "GET /v1/suggestions", verb: "link.suggest", arguments: "{}"),
        Case(
            request: "GET /v1/suggestions/place?for=a&limit=2", verb: "suggestion.list",
            arguments: #"{"kind":"place","for":"a","limit":2}"#),
        Case(
            request: "GET /v1/suggestions?target=a&target=b", verb: "link.suggest", arguments: #"{"targets":["a","b"]}"#
        ),
        Case(request: "GET /v1/redirects?target=a", verb: "link.redirects", arguments: #"{"target":"a"}"#),
        Case(
            request: "POST /v1/redirects", body: #"{"from":"a","to":"b","prefix":true,"reason":"r"}"#,
            verb: "link.move", arguments: #"{"from":"a","to":"b","prefix":true,"reason":"r"}"#),
        Case(
            request: "POST /v1/redirects", body: #"{"target":"a","deleted":true}"#, verb: "link.delete",
            arguments: #"{"target":"a"}"#),
        Case(
            request: "DELETE /v1/redirects?target=a&prefix", verb: "link.restore",
            arguments: #"{"target":"a","prefix":true}"#),
        Case(request: "POST /v1/undo", verb: "undo.last", arguments: "{}"),
        Case(request: "GET /v1/undo?limit=3", verb: "undo.list", arguments: #"{"limit":3}"#),
        Case(request: "GET /v1/contacts", verb: "contact.list", arguments: "{}"),
        Case(
            request: "POST /v1/interactions", body: #"{"interactions":[{"app":"a","intent":"i"}]}"#,
            verb: "interaction.donate", arguments: #"{"interactions":[{"app":"a","intent":"i"}]}"#),
        Case(
            request: "GET /v1/interactions?app=a&limit=2", verb: "interaction.list",
            arguments: #"{"app":"a","limit":2}"#),
        Case(
            request: "DELETE /v1/interactions/x", verb: "interaction.forget", arguments: #"{"interactions":["x"]}"#),
        Case(
            request: "POST /v1/signals", body: #"{"signal":"car"}"#, verb: "signal.send",
            arguments: #"{"signal":"car"}"#),
        Case(
            request: "POST /v1/reminders", body: #"{"text":"t","in":"2h"}"#, verb: "reminder.new",
            arguments: #"{"text":"t","in":"2h"}"#),
        Case(request: "GET /v1/reminders", verb: "reminder.list", arguments: "{}"),
        Case(request: "DELETE /v1/reminders/r", verb: "reminder.delete", arguments: #"{"reminder":"r"}"#),
        Case(
            request: "POST /v1/forget", body: #"{"since":"1h","dry_run":true}"#, verb: "suggestion.forget",
            arguments: #"{"since":"1h","dry_run":true}"#),
    ]

    @Test(arguments: cases)
    func arrives(_ one: Case) throws {
        let (route, request, target) = try parts(one.request, one.body)
        try target.check(route.parameters(for: request.method))
        let found = try route.meaning(of: request, target).call
        #expect(found.name == one.verb)
        var arguments = JSONWriter(escaping: .minimal)
        found.write(to: &arguments)
        #expect(String(decoding: arguments.bytes, as: UTF8.self) == one.arguments)
    }

    struct Wrong: CustomTestStringConvertible {
        var request: String
        var body = ""
        var at: String
        var testDescription: String { "\(request) \(body)" }
    }

    static let wrong = [
        Wrong(request: "GET /v1/activities?q=a&app=b", at: "?app"),
        Wrong(request: "GET /v1/activities?limit=1", at: "?limit"),
        Wrong(request: "GET /v1/notes?q=a&before=b", at: "?before"),
        Wrong(request: "GET /v1/notes?q=a&q=b", at: "?q"),
        Wrong(request: "GET /v1/notes?limit=many", at: "?limit"),
        Wrong(request: "DELETE /v1/redirects?target=a&prefix=maybe", at: "?prefix"),
        Wrong(request: "POST /v1/activities", body: #"{"activity":"{}"}"#, at: "/activity"),
        Wrong(request: "POST /v1/activities", body: "[]", at: ""),
        Wrong(request: "POST /v1/notes", at: ""),
        Wrong(request: "GET /v1/links?limit=0", at: "?limit"),
        Wrong(request: "GET /v1/notes?q=a&limit=1001", at: "?limit"),
        Wrong(request: "PATCH /v1/scenes/s/activity", body: #"{"session":"t"}"#, at: "/session"),
        Wrong(request: "PATCH /v1/notes/n", body: #"{"note":"m"}"#, at: "/note"),
        Wrong(request: "POST /v1/redirects", body: #"{"target":"a","deleted":1}"#, at: "/deleted"),
        Wrong(request: "POST /v1/notes", body: #"{"text":"a","text":"b"}"#, at: "/text"),
    ]

    @Test(arguments: wrong)
    func isRefused(_ one: Wrong) throws {
        let (route, request, target) = try parts(one.request, one.body)
        let error = try #require(throws: ControlError.self) { try route.meaning(of: request, target) }
        #expect(error.at == one.at, "\(error.message)")
        #expect(error.httpStatus == 400)
    }

    @Test("every verb has an address, but those that read files and ask apps")
    func everyVerb() {
        let offered = Set(Self.cases.map(\.verb))
        #expect(
            Set(OperationTable.usher.all.filter { $0.type is any ContentCall.Type }.map(\.name)).subtracting(offered)
                == [
                    "note.import", "activity.save", "contact.import", "media.play", "perform.plan",
                ])
    }

    @Test(arguments: [
        "/v1/activities/a/b", "/v1/notes/n/open", "/v1/links/l/open", "/v1/redirects/a", "/v1/suggestions/a/b",
        "/v1/import",
    ])
    func otherPathsAreNothing(_ path: String) throws {
        #expect(OperationRoute(try RequestTarget(path).path) == nil)
    }

    private func parts(_ text: String, _ body: String) throws -> (OperationRoute, HTTPRequest, RequestTarget) {
        let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
        let request = HTTPRequest(
            method: parts[0], target: parts[1], fields: HTTPFields(), body: Array(body.utf8),
            peer: HTTPPeer(address: .local(user: 0, group: 0, process: 1), listener: "t"))
        let target = try RequestTarget(parts[1])
        let route = try #require(OperationRoute(target.path))
        try #require(route.methods.contains(parts[0]))
        #expect(ControlRoutes.owns(request.path))
        return (route, request, target)
    }
}
