import Foundation
import TestSupport
import Testing
import UsherJSON

/// `usher hook …`, and what `usher check` says of the expectations of hooks.
struct HooksTests {
    // MARK: add

    private static let made = ["github", "gitlab", "gitea", "standard", "alertmanager", "grafana"]
    private static let given = [
        "stripe", "slack", "shopify", "pagerduty", "linear", "twilio", "zoom", "discord", "sendgrid", "sentry",
    ]

    @Test("what is written for a sender is right", arguments: made + given)
    func addedHookIsRight(sender: String) throws {
        try UsherProgram.run { usher in
            #expect(try usher("init").status == 0)
            let isGiven = Self.given.contains(sender)
            let options = isGiven ? ["--secret-file", "-"] : []
            let ending = try usher.run(
                ["hook", "add", sender, "--as", "mine", "--path", "other", "--app", "example.first"] + options,
                input: Data(isGiven ? "given\n".utf8 : "".utf8))
            #expect(ending.status == 0, "\(ending.errors)")
            let answer = ending.json()
            #expect(answer["hook"]?.string == "mine" && answer["path"]?.string == "other")
            #expect(answer["url"]?.string == "http://127.0.0.1:8484/hooks/other")
            #expect(answer["first_request"]?.kind == .null)
            let fields = answer["enter"]?.elements ?? []
            #expect(fields.contains { $0["value"]?.string == answer["url"]?.string })
            #expect(
                fields.allSatisfy { $0["field"]?.string?.isEmpty == false && $0["value"]?.string?.isEmpty == false })
            let file = plain(usher.path("config/usher/hooks/mine.secret"))
            #expect(answer["file"]?.string == plain(usher.path("config/usher/hooks/mine.toml")))
            #expect(answer["secret_file"]?.string == file)
            let secret = try String(contentsOfFile: file, encoding: .utf8)
            #expect(isGiven ? secret == "given\n" : secret.utf8.count > 40)
            #expect(isGiven || !ending.output.contains(secret.dropLast()), "it is no terminal")
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let checked = try usher("check")
            #expect(checked.status == 0)
            let findings = checked.json()["findings"]?.elements ?? []
            #expect(findings.isEmpty, "\(checked.output)")
            let listed = try usher("hook", "list").json().elements ?? []
            #expect(listed.count == 1 && listed[0]["hook"]?.string == "mine" && listed[0]["secrets"]?.int64 == 1)
        }
    }

    /// The repository's samples, and what real senders leave empty.
    @Test(
        arguments: [
            ("alertmanager", "alertmanager.json", [:]),
            (
                "alertmanager", "alertmanager.json",
                ["\"generatorURL\": \"http://prometheus.example:9090/graph?g0.expr=disk\"": "\"generatorURL\": \"\""]
            ),
            (
                "alertmanager", "alertmanager.json",
                ["\"generatorURL\": \"http://prometheus.example:9090/graph?g0.expr=disk\",": ""]
            ),
            ("grafana", "grafana.json", [:]),
            (
                "grafana", "grafana.json",
                [
                    "\"generatorURL\": \"https://grafana.example/alerting/grafana/abc/view?orgId=1\"":
                        "\"generatorURL\": \"\""
                ]
            ),
            ("standard", "standard-order.json", [:]), ("github", "github-issue.json", [:]),
        ] as [(String, String, [String: String])])
    func addedHookTakesItsSender(_ sender: String, _ sample: String, _ changes: [String: String]) throws {
        try UsherProgram.run { usher in
            #expect(try usher("init").status == 0)
            #expect(try usher("hook", "add", sender, "--app", "example.first").status == 0)
            var body = try String(contentsOfFile: Repository.path + "/Payloads/hooks/" + sample, encoding: .utf8)
            for (old, new) in changes { body = body.replacingOccurrences(of: old, with: new) }
            try usher.write(body, to: "body.json")
            let event = sender == "github" ? ["--header", "X-GitHub-Event: issues"] : []
            let tested = try usher.run(["hook", "test", "--unsigned", sender, "body.json"] + event)
            #expect(tested.json()["notifications"]?.elements?.count == 1, "\(tested.output)\(tested.errors)")
            let target = tested.json()["notifications"]?.elements?.first?["target"]?.string
            #expect(sender == "standard" || target?.isEmpty == false, "\(tested.output)")
        }
    }

    /// Members that a sender leaves out in some of its events.
    @Test(
        arguments: [
            (
                "slack", #"{"type":"event_callback","team_id":null,"event":{"type":"message","channel":"D1"}}"#, [],
                "https://slack.com/app_redirect?team=&channel=D1"
            ),
            (
                "slack",
                #"{"type":"event_callback","context_team_id":"T2","event":{"type":"app_mention","channel":"C"}}"#,
                [], "https://slack.com/app_redirect?team=T2&channel=C"
            ),
            (
                "stripe", #"{"type":"invoice.payment_failed","id":"evt_1"}"#, [],
                "https://dashboard.stripe.com/events/evt_1"
            ),
            (
                "pagerduty", #"{"event":{"event_type":"incident.triggered","data":{"html_url":null}}}"#, [],
                "https://app.pagerduty.com/incidents"
            ),
            ("discord", #"{"type":2,"id":"7","data":{"name":"ping"}}"#, [], "https://discord.com/channels/@me/"),
            ("discord", #"{"type":2,"id":"7","channel":{"id":"9"}}"#, [], "https://discord.com/channels/@me/9"),
            (
                "sentry", #"{"action":"created","data":{"issue":{"title":"x","permalink":null}}}"#,
                ["Sentry-Hook-Resource: issue"], "https://sentry.io/"
            ),
            (
                "linear", #"{"type":"Issue","action":"create","data":{"url":"https://linear.app/i/1"}}"#, [],
                "https://linear.app/i/1"
            ),
            ("sendgrid", #"[{"event":"bounce","email":"a@b.example","sg_message_id":"m1"}]"#, [], "mailto:a@b.example"),
            (
                "alertmanager", #"{"version":"4","alerts":[{"status":"firing","fingerprint":"f","startsAt":"s"}]}"#, [],
                "http://localhost:9093/"
            ),
            (
                "grafana",
                #"{"alerts":[{"status":"firing","fingerprint":"f","startsAt":"s","panelURL":""}],"externalURL":""}"#,
                [], "http://localhost:3000/"
            ),
        ] as [(String, String, [String], String)])
    func addedHookTakesAnEventWithoutItsUsualMembers(
        _ sender: String, _ body: String, _ headers: [String], _ target: String
    ) throws {
        try UsherProgram.run { usher in
            #expect(try usher("init").status == 0)
            let options = Self.given.contains(sender) ? ["--secret-file", "-"] : []
            let added = try usher.run(
                ["hook", "add", sender, "--app", "example.first"] + options, input: Data("given\n".utf8))
            #expect(added.status == 0, "\(added.errors)")
            try usher.write(body, to: "body.json")
            let tested = try usher.run(
                ["hook", "test", "--unsigned", sender, "body.json"] + headers.flatMap { ["--header", $0] })
            let targets = tested.json()["notifications"]?.elements?.map { $0["target"]?.string }
            #expect(targets == [target], "\(tested.output)\(tested.errors)")
        }
    }

    @Test func nothingIsReplacedAndNothingIsLeftBehind() throws {
        try UsherProgram.run { usher in
            #expect(try usher("hook", "add", "github").status == 2)
            #expect(try usher("init").status == 0)
            let refused: [([String], String)] = [
                (["githup"], "did you mean github?"), (["stripe"], "the secret comes from stripe"),
                (["github", "--as", "../x"], "cannot be the name"),
                (["github", "--path", "a/b"], "cannot be the path"),
                (["github", "--url", "ftp://x"], "--url"), (["github", "--wait=x"], "--wait"),
                (["github", "--wait"], "usherd does not run"),
                (["github", "--app", "example.none"], "reference.unknown"),
                (["github", "--target", "https://a.example/{nothing}"], "hooks.template"),
                (["github", "--secret-file", "absent"], "cannot open absent"),
            ]
            for (arguments, message) in refused {
                let ending = try usher.run(["hook", "add"] + arguments)
                #expect(ending.status == 2 && ending.output.isEmpty, "\(arguments) \(ending.output)")
                #expect(ending.errors.contains(message), "\(arguments) \(ending.errors)")
                let names =
                    (try? FileManager.default.contentsOfDirectory(atPath: usher.path("config/usher/hooks"))) ?? []
                #expect(names.isEmpty, "\(arguments)")
            }
            #expect(try usher("hook", "add", "github").status == 0)
            let file = usher.path("config/usher/hooks/github.secret")
            let secret = try String(contentsOfFile: file, encoding: .utf8)
            for arguments in [["github"], ["gitea", "--as", "github"]] {
                let again = try usher.run(["hook", "add"] + arguments)
                #expect(again.status == 2 && again.errors.contains("already"), "\(again.errors)")
            }
            #expect(try String(contentsOfFile: file, encoding: .utf8) == secret)
        }
    }

    /// Without the doubled slash of the folder for temporary files.
    private func plain(_ path: String) -> String { path.replacingOccurrences(of: "//", with: "/") }

    // MARK: test and check

    private static let hooks = """
        [hooks.issues]
        path = "shared"
        app = "example.first"
        signature = { scheme = "slack", secret-file = "slack.secret" }
        when = [{ pointer = "/kind", equals = "issue" }]
        values = { n = "/n", t = { pointer = "/t", default = "none" } }
        target = "https://first.example/pages/{n}"
        title = "{t}"

        [hooks.list]
        path = "shared"
        app = "example.first"
        when = [{ pointer = "/list", exists = true }]
        each = { pointer = "/list", when = [{ pointer = "/wanted", equals = true }] }
        values = { n = "/n" }
        target = "https://first.example/pages/{n}"

        [hooks.zoom]
        app = "example.first"
        signature = { scheme = "zoom", secret-file = "slack.secret" }
        title = "zoom"

        [hooks.token]
        app = "example.first"
        signature = { scheme = "bearer", secret-file = "slack.secret" }
        title = "token"

        [hooks.query]
        app = "example.first"
        signature = { scheme = "none" }
        input = ["query"]
        values = { n = { query = "n" } }
        title = "{n}"

        """

    private func configure(_ usher: UsherProgram, _ more: String = "") throws {
        #expect(try usher("init").status == 0)
        try usher.write(Self.hooks + more, to: "config/usher/hooks/h.toml")
        try usher.write("5lack\n", to: "config/usher/hooks/slack.secret")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: usher.path("config/usher/hooks/slack.secret"))
    }

    @Test func unsignedRequests() throws {
        try UsherProgram.run { usher in
            try configure(usher)
            func test(_ name: String, _ body: String, _ options: String...) throws -> UsherProgram.Ending {
                try usher.run(["hook", "test", name, "--unsigned", "-"] + options, input: Data(body.utf8))
            }
            for name in ["shared", "issues", "list"] {
                let taken = try test(name, #"{"kind":"issue","n":7}"#)
                #expect(taken.status == 0, "\(taken.errors)")
                let answer = taken.json()
                #expect(answer["hook"]?.string == "issues" && answer["status"]?.int64 == 202)
                #expect(answer["signature"]?.text() == #"{"judged":false,"error":null}"#)
                #expect(answer["why"]?.elements?.isEmpty == true && answer["answer"]?.kind == .null)
                let made = answer["notifications"]?.elements?.first
                #expect(made?["values"]?.text() == #"{"n":"7","t":"none"}"#)
                #expect(made?["target"]?.string == "https://first.example/pages/7")
                #expect(made?["title"]?.string == "none" && made?["body"]?.kind == .null)
                let decision = made?["decision"]
                #expect(decision?["action"]?.string == "launch" && decision?["dry_run"]?.boolean == true)
                #expect(decision?["source"]?.string == "hook:issues")
            }
            let ignored = try test("shared", #"{"kind":"push"}"#)
            #expect(ignored.status == 1)
            let why = ignored.json()["why"]?.elements ?? []
            #expect(ignored.json()["status"]?.int64 == 200 && why.map { $0["hook"]?.string } == ["issues", "list"])
            #expect(why.first?["message"]?.string == #"/kind is "push", and "issue" is wanted"#)
            #expect(why.first?["at"]?.string == "/kind" && why.first?["rule"]?.string == "hooks/h.toml:5:9")
            let list = try test("shared", #"{"kind":"x","list":[{"n":1,"wanted":true},{"n":2}]}"#).json()
            #expect(
                list["notifications"]?.elements?.count == 1
                    && list["why"]?.elements?.last?["at"]?.string == "/list/1/wanted")
            let lacking = try test("shared", #"{"kind":"issue"}"#)
            #expect(lacking.status == 1 && lacking.json()["status"]?.int64 == 422)
            #expect(lacking.json()["why"]?.elements?.first?["name"]?.string == "hook.value-missing")
            let broken = try test("shared", "{\"kind\":\"issue\",\n\"n\":7,}").json()["why"]?.elements?.first
            #expect(broken?["line"]?.int64 == 2 && broken?["column"]?.int64 == 7, "\(broken?.text() ?? "-")")
            #expect(broken?["excerpt"]?.elements?.map(\.string) == ["2 | \"n\":7,}", "          ^"])
            #expect(try test("shared", "{}", "--method", "PUT").json()["status"]?.int64 == 405)
            let query = try test("query", "", "--method", "GET", "--query", "n=q%20r").json()
            #expect(query["notifications"]?.elements?.first?["title"]?.string == "q r")
            #expect(try test("nothing", "{}").status == 2)
            #expect(try usher("hook", "test", "shared", "absent.json").status == 2)
            #expect(try test("shared", "{}", "--header", "X").status == 2)
            #expect(try test("shared", "{}", "--at", "yesterday").status == 2)
        }
    }

    /// `v0:1700000000:` and the body, under the secret `5lack`.
    private func signed(_ body: String, _ usher: UsherProgram) throws -> String {
        let line = "printf 'v0:1700000000:%s' '\(body)' | openssl dgst -sha256 -hmac 5lack -r | cut -d' ' -f1"
        return try usher.shell(line).output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func signedRequests() throws {
        try UsherProgram.run { usher in
            try configure(usher)
            let body = #"{"kind":"issue","n":7}"#
            let code = try signed(body, usher)
            func test(_ code: String, _ options: String...) throws -> UsherProgram.Ending {
                try usher.run(
                    [
                        "hook", "test", "shared", "-", "--header", "X-Slack-Request-Timestamp: 1700000000", "--header",
                        "X-Slack-Signature: v0=\(code)",
                    ] + options, input: Data(body.utf8))
            }
            let right = try test(code, "--at", "2023-11-14T22:13:30Z")
            #expect(right.status == 0, "\(right.errors)")
            #expect(right.json()["signature"]?.text() == #"{"judged":true,"error":null}"#)
            let old = try test(code).json()
            #expect(old["status"]?.int64 == 403 && old["signature"]?["error"]?["name"]?.string == "signature.stale")
            let wrong = try test(String(repeating: "0", count: 64), "--at", "1700000000")
            #expect(wrong.status == 1 && wrong.json()["notifications"]?.elements?.isEmpty == true)
            #expect(wrong.json()["signature"]?["error"]?["name"]?.string == "signature.mismatch")
            // The time of a captured request is that of its judgement.
            let capture = JSONValue.object([
                .init("v", 1), .init("time", "2023-11-14T22:13:20Z"), .init("method", "POST"),
                .init("path", "/hooks/shared"), .init("query", nil),
                .init(
                    "headers",
                    [
                        ["X-Slack-Request-Timestamp", "1700000000"], ["X-Slack-Signature", .string("v0=" + code)],
                        ["Content-Type", "application/json"],
                    ]), .init("body", .string(body)),
            ])
            try usher.write(capture.text(), to: "capture.json")
            let captured = try usher("hook", "test", "issues", "capture.json")
            #expect(captured.status == 0, "\(captured.output) \(captured.errors)")
            #expect(captured.json()["signature"]?["judged"]?.boolean == true)
            try usher.write(
                #"{"v":1,"time":"","method":"POST","path":"/","query":null,"headers":[["Authorization","Bearer ***"]],"body":"{}"}"#,
                to: "masked.json")
            let masked = try usher("hook", "test", "token", "masked.json")
            #expect(masked.status == 0 && masked.json()["signature"]?["judged"]?.boolean == false)
            #expect(masked.errors.contains("masked"))
            // HMAC-SHA256 of "p" under "5lack".
            let challenge = #"{"event":"endpoint.url_validation","payload":{"plainToken":"p"}}"#
            let answered = try usher.run(["hook", "test", "zoom", "--unsigned", "-"], input: Data(challenge.utf8))
            let expected = try usher.shell("printf p | openssl dgst -sha256 -hmac 5lack -r | cut -d' ' -f1").output
            #expect(answered.status == 0, "\(answered.errors)")
            let answer = answered.json()["answer"]
            #expect(answer?["status"]?.int64 == 200)
            let answerBody = try JSONValue(parsing: Array((answer?["body"]?.string ?? "").utf8))
            #expect(answerBody["plainToken"]?.string == "p")
            #expect(answerBody["encryptedToken"]?.string == String(expected.dropLast()))
        }
    }

    @Test func expectationsAreChecked() throws {
        let right = """
            [[hooks.issues.expect]]
            body = "captures/issue.json"
            hook = "issues"
            result = "accepted"
            target = "https://first.example/pages/7"
            title = "none"
            count = 1

            [[hooks.issues.expect]]
            body = "captures/push.json"
            result = "ignored"
            error = "hook.no-match"

            """
        let changes = [
            ("pages/7", "pages/8", #"expected target "https://first.example/pages/8""#),
            ("\"accepted\"", "\"refused\"", "expected result refused, and it came out as result accepted"),
            ("title = \"none\"", "title = \"other\"", #"expected title "other", and it came out as title "none""#),
            ("\"hook.no-match\"", "\"hook.target\"", "expected error hook.target"),
            ("count = 1", "count = 2", "expected count 2, and it came out as count 1"),
            ("captures/push.json", "captures/none.json", "captures/none.json cannot be read: there is no such file"),
            (
                "body = \"captures/push.json\"", "request = \"captures/push.json\"",
                "is no request that usher hook listen wrote"
            ),
            ("hook = \"issues\"", "hook = \"list\"", "expected hook list, and it came out as hook issues"),
        ]
        try UsherProgram.run { usher in
            try configure(usher, right)
            try usher.write(#"{"kind":"issue","n":7}"#, to: "config/usher/hooks/captures/issue.json")
            try usher.write(#"{"kind":"push"}"#, to: "config/usher/hooks/captures/push.json")
            let checked = try usher("check", "--format", "text")
            #expect(checked.status == 0 && checked.output.contains("hook    issues  2 of 2 hold"), "\(checked.output)")
            let held = try usher("check").json()["hook_expectations"]?.elements ?? []
            #expect(
                held.map { $0["hook"]?.string } == ["issues", "issues"] && held.map { $0["number"]?.int64 } == [1, 2])
            #expect(held.allSatisfy { $0["passed"]?.boolean == true })
            #expect(held.first?["at"]?.string?.hasPrefix("hooks/h.toml:") == true)
            let junit = try usher("check", "--format", "junit").output
            #expect(junit.contains(#"<testsuite name="hook issues" tests="2" failures="0" errors="0">"#), "\(junit)")
            #expect(junit.contains(#"<testcase classname="hook issues" name="expectation 2" file=""#), "\(junit)")
            for (old, new, message) in changes {
                let text = Self.hooks + right.replacingOccurrences(of: old, with: new)
                try usher.write(text, to: "config/usher/hooks/h.toml")
                let checked = try usher("check")
                let finding = checked.json()["findings"]?.elements?.first
                #expect(checked.status == 1 && finding?["path"]?.string == "hooks/h.toml", "\(new) \(checked.output)")
                #expect(finding?["message"]?.string?.contains(message) == true, "\(new) \(checked.output)")
                let passed = checked.json()["hook_expectations"]?.elements?.map { $0["passed"]?.boolean } ?? []
                #expect(passed.count { $0 == false } == 1 && passed.count == 2, "\(checked.output)")
            }
            let failing = try usher("check", "--format", "junit").output
            #expect(
                failing.contains(#"<testsuite name="hook issues" tests="2" failures="1" errors="0">"#), "\(failing)")
            #expect(failing.components(separatedBy: "<failure").count == 2, "\(failing)")
        }
    }

    // MARK: list, log and listen beside a daemon

    /// Runs lines of shell beside a daemon whose socket is `s`; `post PATH BODY [OPTION]…` sends a request.
    private func besideDaemon(_ usher: UsherProgram, _ lines: String) throws -> UsherProgram.Ending {
        try usher.shell(
            """
            usherd --quiet --socket "$PWD/s" >daemon.log 2>&1 & daemon=$!
            for i in $(seq 600); do usher status >/dev/null 2>&1 && break; sleep 0.05; done
            post() { path=$1; body=$2; shift 2; curl -s -o answer --unix-socket s -H 'Content-Type: application/json' \\
                "$@" -d "$body" "http://localhost/hooks/$path"; }
            \(lines)
            kill $daemon; wait $daemon
            """)
    }

    @Test("the log says which delivery a duplicate repeats, and where a body is no JSON, also on a terminal")
    func duplicatesAndBodies() throws {
        try UsherProgram.run { usher in
            let code =
                "\n[hooks.code]\napp = \"example.first\"\ntitle = \"code\"\n"
                + "signature = { scheme = \"github\", secret-file = \"slack.secret\" }\n"
                + "[hooks.runs]\nrun = { exec = [\"true\"] }\n"
                + "signature = { scheme = \"bearer\", secret-file = \"slack.secret\" }\n"
            try configure(usher, code)
            let ending = try besideDaemon(
                usher,
                """
                code=$(printf '{}' | openssl dgst -sha256 -hmac 5lack -r | cut -d' ' -f1)
                for id in 1 2; do post code '{}' -H "X-Hub-Signature-256: sha256=$code" -H "X-GitHub-Delivery: $id"; done
                for id in 1 1; do post runs '{}' -H 'Authorization: Bearer 5lack' -H "webhook-id: $id"; done
                post token '{"a":1,}' -H 'Authorization: Bearer 5lack'
                """)
            #expect(ending.output.isEmpty && ending.errors.isEmpty, "\(ending.output) \(ending.errors)")
            let entries = try usher("hook", "log").json().elements ?? []
            #expect(
                entries.map { $0["result"]?.string } == ["accepted", "duplicate", "accepted", "duplicate", "refused"])
            guard entries.count == 5 else { return }
            for (first, second, same) in [(0, 1, "code"), (2, 3, "id")] {
                #expect(entries[second]["same"]?.string == same, "\(entries[second].text())")
                let original = entries[second]["duplicate_of"]?.string
                #expect(original != nil && original == entries[first]["deliveries"]?.elements?.first?.string)
            }
            #expect(entries[4]["error"]?["line"]?.int64 == 1 && entries[4]["error"]?["column"]?.int64 == 8)
            let shown = try usher.shell("script -qec 'usher hook log' /dev/null").output
            for text in [
                "which has the same signed content: nothing was done", "help: replays = \"id\"",
                "which has the same id of the sender: nothing was done", "line 1, column 8", "1 | {\"a\":1,}",
            ] {
                #expect(shown.contains(text), "\(text) in \(shown)")
            }
        }
    }

    @Test func logAndListTellWhatBecameOfRequests() throws {
        try UsherProgram.run { usher in
            try configure(usher)
            let empty = try usher("hook", "log")
            #expect(empty.status == 0 && empty.json().elements?.isEmpty == true)
            let ending = try besideDaemon(
                usher,
                """
                usher hook log --follow > followed 2>&1 & follower=$!
                post token '{}' -H 'Authorization: Bearer 5lack'
                post token '{}' -H 'Authorization: Bearer wrong'
                post shared '{}'
                post nobody '{}'
                for i in $(seq 600); do [ $(grep -c time followed) = 4 ] && break; sleep 0.05; done
                kill $follower; wait $follower
                """)
            #expect(ending.output.isEmpty && ending.errors.isEmpty, "\(ending.output) \(ending.errors)")
            let entries = try usher("hook", "log").json().elements ?? []
            #expect(entries.map { $0["status"]?.int64 } == [202, 403, 401, 404])
            #expect(entries.map { $0["hook"]?.string } == ["token", "token", "issues", ""])
            #expect(
                entries.dropFirst().map { $0["error"]?["name"]?.string } == [
                    "signature.mismatch", "signature.missing", "hook.unknown",
                ])
            #expect(
                entries.allSatisfy { $0["client"]?.string?.hasPrefix("user:") == true && $0["why"]?.kind == .array })
            let followed = try String(contentsOfFile: usher.path("followed"), encoding: .utf8)
            #expect(followed.split(separator: "\n").map(String.init) == entries.map { $0.text() })
            #expect(try usher("hook", "log", "token").json().elements?.count == 2)
            #expect(try usher("hook", "log", "shared", "--limit", "5").json().elements?.count == 1)
            #expect(try usher("hook", "log", "--limit", "1").json().elements?.first?["status"]?.int64 == 404)
            for name in ["nothing", "nobody"] { #expect(try usher("hook", "log", name).status == 2, "\(name)") }
            #expect(try usher("hook", "log", "--limit", "0").status == 2)
            let listed = try usher("hook", "list").json().elements ?? []
            #expect(listed.map { $0["hook"]?.string } == ["issues", "list", "zoom", "token", "query"])
            let token = listed[3]
            #expect(
                token["accepted"]?.int64 == 1 && token["refused"]?.int64 == 1 && token["scheme"]?.string == "bearer")
            #expect(
                token["last"]?["status"]?.int64 == 403
                    && token["file"]?.string == plain(usher.path("config/usher/hooks/h.toml")))
            #expect(listed.first?["path"]?.string == "shared" && listed[2]["last"]?.kind == .null)
        }
    }

    @Test func listenKeepsRequestsForTests() throws {
        try UsherProgram.run { usher in
            try configure(usher)
            let none = try usher("hook", "listen")
            #expect(none.status == 2 && none.errors.contains("usherd does not run"))
            let code = try signed(#"{"kind":"issue","n":7}"#, usher)
            let ending = try besideDaemon(
                usher,
                """
                usher hook listen nothing; echo $?
                usher hook listen shared --out captures --count 2 > listed 2> said & listener=$!
                for i in $(seq 600); do grep -q listening said && break; sleep 0.05; done
                post token '{}' -H 'Authorization: Bearer 5lack'
                post shared '{"kind":"issue","n":7}' -H 'X-Slack-Request-Timestamp: 1700000000' -H 'X-Slack-Signature: v0=\(code)'
                post 'shared?token=t' '{}'
                wait $listener; echo $?
                """)
            #expect(ending.output == "2\n0\n" && ending.errors.contains("there is no hook \"nothing\""), "\(ending)")
            let names = try FileManager.default.contentsOfDirectory(atPath: usher.path("captures")).sorted()
            #expect(names.count == 2)
            let listed = try String(contentsOfFile: usher.path("listed"), encoding: .utf8)
            #expect(listed == names.map { "{\"file\":\"captures/\($0)\"}\n" }.joined())
            for name in names {
                let attributes = try FileManager.default.attributesOfItem(atPath: usher.path("captures/\(name)"))
                #expect(attributes[.posixPermissions] as? Int == 0o600)
            }
            let second = try String(contentsOfFile: usher.path("captures/\(names[1])"), encoding: .utf8)
            #expect(second.contains("\"query\":\"token=***\""))
            let tested = try usher(
                "hook", "test", "shared", "captures/\(names[0])", "--at", "2023-11-14T22:13:20Z")
            #expect(tested.status == 0 && tested.json()["signature"]?["judged"]?.boolean == true, "\(tested)")
        }
    }

    @Test func addWaitsForTheFirstRequest() throws {
        try UsherProgram.run { usher in
            #expect(try usher("init").status == 0)
            let ending = try besideDaemon(
                usher,
                """
                usher hook add alertmanager --as alerts --app example.first --wait=60 > added & adder=$!
                for i in $(seq 600); do [ -e config/usher/hooks/alerts.toml ] && break; sleep 0.05; done
                for i in $(seq 600); do post alerts '{"version":"4"}' -H 'Authorization: Bearer wrong'; grep -q mismatch answer && break
                    sleep 0.05; done
                wait $adder; echo $?
                usher hook add gitlab --app example.first --wait=1 > none; echo $?
                """)
            #expect(ending.output == "1\n1\n", "\(ending)")
            let added = try JSONValue(
                parsing: Array(try String(contentsOfFile: usher.path("added"), encoding: .utf8).utf8))
            let first = added["first_request"]
            #expect(first?["status"]?.int64 == 403 && first?["error"]?["name"]?.string == "signature.mismatch")
            let none = try JSONValue(
                parsing: Array(try String(contentsOfFile: usher.path("none"), encoding: .utf8).utf8))
            #expect(none["hook"]?.string == "gitlab" && none["first_request"]?.kind == .null)
        }
    }
}
