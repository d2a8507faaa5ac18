import Testing
import UsherEngine
import UsherFeatures
import UsherHTTP
import UsherJSON
import UsherOperation

@testable import UsherIngress

/// Activities, notes, links and redirects over HTTP: the verbs and arguments that arrive.
struct OperationRouteTests {
    struct Case: CustomTestStringConvertible {
        var request: String
        var body: String
        var verb: String
        var arguments: String
        var testDescription: String { "\(request) \(body.prefix(60))" }

        init(_ request: String, body: String = "", _ verb: String, _ arguments: String) {
            (self.request, self.body, self.verb, self.arguments) = (request, body, verb, arguments)
        }
    }

    static let cases = [
        Case("GET /v1/activities", "activity.list", "{}"),
        Case("GET /v1/activities?app=a.b&session=s&all=1", "activity.list", #"{"app":"a.b","session":"s","all":true}"#),
        Case("GET /v1/activities?all=0", "activity.list", "{}"),
        Case("GET /v1/activities?q=red+nose&limit=5", "activity.search", #"{"query":"red nose","limit":5}"#),
        Case("GET /v1/activities/current", "activity.show", #"{"activity":"current"}"#),
        Case("GET /v1/activities/A%2FB", "activity.show", #"{"activity":"A/B"}"#),
        Case(
            "POST /v1/activities", body: #"{"session":"s", "activity": {"b" :1.0, "a":"\u00e9"} ,"process":7}"#,
            "activity.become-current", #"{"session":"s","activity":"{\"b\" :1.0, \"a\":\"\\u00e9\"}","process":7}"#),
        Case("GET /v1/scenes/s/activity", "activity.show", #"{"session":"s"}"#),
        Case(
            "PATCH /v1/scenes/s/activity", body: #"{"activity":{"title":null},"needs_save":true}"#, "activity.update",
            #"{"session":"s","activity":"{\"title\":null}","needs_save":true}"#),
        Case("PATCH /v1/scenes/s/activity", body: #"{"activity":null}"#, "activity.update", #"{"session":"s"}"#),
        Case("DELETE /v1/scenes/s/activity", "activity.resign", #"{"session":"s"}"#),
        Case("GET /v1/notes", "note.list", "{}"),
        Case("GET /v1/notes?state=done&limit=2&before=x", "note.list", #"{"state":"done","limit":2,"before":"x"}"#),
        Case("GET /v1/notes?q=clown", "note.search", #"{"query":"clown"}"#),
        Case("POST /v1/notes", body: #"{"text":"a","links":["b"]}"#, "note.new", #"{"text":"a","links":["b"]}"#),
        Case("GET /v1/notes/current", "note.show", #"{"note":"current"}"#),
        Case("GET /v1/notes/usher-note:1", "note.show", #"{"note":"usher-note:1"}"#),
        Case("PATCH /v1/notes/n", body: #"{"text":"b","line":2}"#, "note.edit", #"{"note":"n","text":"b","line":2}"#),
        Case(
            "PATCH /v1/notes/n", body: #"{"text":"b","links":[{"link":"l","remove":true}]}"#, "note.edit",
            #"{"note":"n","text":"b","links":[{"link":"l","remove":true}]}"#),
        Case("POST /v1/notes/n/append", body: #"{"text":"b"}"#, "note.append", #"{"note":"n","text":"b"}"#),
        Case("GET /v1/notes?tag=a", "note.list", #"{"tag":"a"}"#),
        Case("GET /v1/tags", "note.tags", "{}"),
        Case("DELETE /v1/notes/n", "note.delete", #"{"note":"n"}"#),
        Case("POST /v1/notes/n/aside", "note.aside", #"{"note":"n"}"#),
        Case("POST /v1/notes/n/resume", "note.resume", #"{"note":"n"}"#),
        Case("POST /v1/notes/n/done", "note.done", #"{"note":"n"}"#),
        Case("POST /v1/notes/n/attachments", body: #"{"path":"/a"}"#, "note.attach", #"{"note":"n","path":"/a"}"#),
        Case(
            "GET /v1/links?note=current&target=t%26u&limit=1&before=x", "link.list",
            #"{"note":"current","target":"t&u","limit":1,"before":"x"}"#),
        Case("POST /v1/links", body: #"{"note":"n","activity":"id"}"#, "link.add", #"{"note":"n","activity":"id"}"#),
        Case("GET /v1/links/l", "link.show", #"{"link":"l"}"#),
        Case("DELETE /v1/links/l", "link.remove", #"{"link":"l"}"#),
        Case("GET /v1/suggestions", "link.suggest", "{}"),
        Case("GET /v1/suggestions/place?for=a&limit=2", "suggestion.list", #"{"kind":"place","for":"a","limit":2}"#),
        Case("GET /v1/suggestions?target=a&target=b", "link.suggest", #"{"targets":["a","b"]}"#),
        Case("GET /v1/redirects?target=a", "link.redirects", #"{"target":"a"}"#),
        Case(
            "POST /v1/redirects", body: #"{"from":"a","to":"b","prefix":true,"reason":"r"}"#, "link.move",
            #"{"from":"a","to":"b","prefix":true,"reason":"r"}"#),
        Case("POST /v1/redirects", body: #"{"target":"a","deleted":true}"#, "link.delete", #"{"target":"a"}"#),
        Case("DELETE /v1/redirects?target=a&prefix", "link.restore", #"{"target":"a","prefix":true}"#),
        Case("POST /v1/undo", "undo.last", "{}"),
        Case("GET /v1/undo?limit=3", "undo.list", #"{"limit":3}"#),
        Case("GET /v1/contacts", "contact.list", "{}"),
        Case(
            "POST /v1/interactions", body: #"{"interactions":[{"app":"a","intent":"i"}]}"#, "interaction.donate",
            #"{"interactions":[{"app":"a","intent":"i"}]}"#),
        Case("GET /v1/interactions?app=a&limit=2", "interaction.list", #"{"app":"a","limit":2}"#),
        Case("DELETE /v1/interactions/x", "interaction.forget", #"{"interactions":["x"]}"#),
        Case("GET /v1/agents?all", "agent.list", #"{"all":true}"#),
        Case("POST /v1/agents/next", "agent.next", "{}"),
        Case("POST /v1/agents/s/focus", "agent.focus", #"{"id":"s"}"#),
        Case("POST /v1/signals", body: #"{"signal":"car"}"#, "signal.send", #"{"signal":"car"}"#),
        Case("POST /v1/reminders", body: #"{"text":"t","in":"2h"}"#, "reminder.new", #"{"text":"t","in":"2h"}"#),
        Case("GET /v1/reminders", "reminder.list", "{}"),
        Case("DELETE /v1/reminders/r", "reminder.delete", #"{"reminder":"r"}"#),
        Case(
            "POST /v1/notifications/pending", body: #"{"payload":{ "aps":{} },"in":"2h","id":"i","app":"a"}"#,
            "notification.schedule", #"{"payload":"{ \"aps\":{} }","in":"2h","id":"i","app":"a"}"#),
        Case("GET /v1/notifications/pending?app=a", "notification.pending", #"{"app":"a"}"#),
        Case("GET /v1/notifications/delivered", "notification.delivered", "{}"),
        Case("DELETE /v1/notifications/pending/i", "notification.remove", #"{"state":"pending","ids":["i"]}"#),
        Case(
            "DELETE /v1/notifications/delivered/i?app=a", "notification.remove",
            #"{"state":"delivered","ids":["i"],"app":"a"}"#),
        Case("DELETE /v1/notifications/pending", "notification.remove", #"{"state":"pending","all":true}"#),
        Case(
            "DELETE /v1/notifications/delivered?app=a", "notification.remove",
            #"{"state":"delivered","all":true,"app":"a"}"#),
        Case(
            "POST /v1/forget", body: #"{"since":"1h","dry_run":true}"#, "suggestion.forget",
            #"{"since":"1h","dry_run":true}"#),
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
