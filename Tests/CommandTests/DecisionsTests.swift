import Foundation
import TestSupport
import Testing
import UsherJSON

/// Decisions that experts of UIKit expect: links, several claims, activity types, taps without a target, `explain`.
struct DecisionsTests {
    private static func manifest(_ id: String, _ keys: String = "", scenes: String = "") -> String {
        """
        id = "\(id)"
        \(keys)
        [[scenes]]
        name = "main"
        launch = { exec = ["true"] }
        \(scenes)
        """
    }

    /// Runs with apps by the name of their manifests, a program `browser` that notes its argument, and `usher.toml`.
    private func run(
        _ apps: [String: String],
        settings: String = #"[browser]"# + "\nopen = { exec = [\"../../bin/browser\", \"{url}\"] }\n",
        _ body: (UsherProgram) throws -> Void
    ) throws {
        try UsherProgram.run { usher in
            for (name, text) in apps { try usher.write(text, to: "config/usher/apps/\(name).toml") }
            try usher.write(settings, to: "config/usher/usher.toml")
            try usher.writeProgram(
                "#!/bin/sh\necho \"$USHER_OPEN_WEB $1\" >> '\(usher.folder)/opened'\n", to: "bin/browser")
            try body(usher)
        }
    }

    private func decision(_ answer: UsherProgram.Ending) -> String {
        let decision = answer.json()["decision"] ?? .null
        return [
            decision["action"]?.string, decision["reason"]?.string, decision["app"]?.string,
            decision["error"]?["name"]?.string,
        ].map { $0 ?? "-" }.joined(separator: " ")
    }

    private func warnings(_ record: JSONValue) -> [String] {
        (record["warnings"]?.elements ?? []).compactMap { $0["name"]?.string ?? $0.string }
    }

    @Test(
        "a link goes to the app that claims it, else a page to the browser, whatever other apps there are",
        arguments: [
            (1, "https://own.example/x", "launch default example.own -"),
            (1, "https://other.example/x", "open-web web-fallback - -"),
            (2, "https://other.example/x", "open-web web-fallback - -"),
            (1, "tel:123", "none no-app - resolution.no-app"),
            (1, "own:1", "launch default example.own -"),
            // No URI: as a notification's.
            (1, "just words", "launch default example.own -"),
            (2, "just words", "none no-app - resolution.no-app"),
        ])
    func links(_ count: Int, _ target: String, _ expected: String) throws {
        var apps = ["own": Self.manifest("example.own", "domains = [\"own.example\"]\nschemes = [\"own\"]")]
        if count == 2 { apps["two"] = Self.manifest("example.two") }
        try run(apps) { usher in
            let answer = try usher("explain", target)
            #expect(decision(answer) == expected, "\(answer.output) \(answer.errors)")
        }
    }

    @Test(
        "an app is named where it is read",
        arguments: [
            (
                #"{"aps":{"alert":"hi"}}"#,
                #"name the app: --app ID, or an envelope {"payload":…,"app":"ID"} or apns-topic"#
            ),
            (#"{"aps":{"alert":"hi"},"app":"example.one"}"#, #""app" beside "aps" is a member of the app's own"#),
            (#"{"aps":{"alert":"hi"},"app":1}"#, "name the app: "),
            (#"{"payload":{"aps":{"alert":"hi"},"app":"example.one"}}"#, #""app" beside "aps" is a member"#),
            (#"{"payload":{"aps":{"alert":"hi"}},"app":"example.one"}"#, nil),
            (#"{"userActivity":{"activityType":"a.b"}}"#, #"name the app: --app ID, or an envelope {"userActivity":…"#),
        ])
    func naming(_ payload: String, _ help: String?) throws {
        let types = "activity-types = [\"a.b\"]"
        try run(["one": Self.manifest("example.one", types), "two": Self.manifest("example.two", types)]) { usher in
            let record = try usher("dispatch", "--dry-run", "--json", input: payload).json()
            let found = record["error"]?["help"]?.string
            #expect(help == nil ? found == nil : found?.hasPrefix(help ?? "") == true, "\(found ?? "-")")
        }
    }

    @Test("an unclaimed page is opened by [browser] open, with its address in USHER_OPEN_WEB") func browser() throws {
        try run(["own": Self.manifest("example.own")]) { usher in
            let opened = try usher("open", "https://else.example/page", "--json")
            #expect(opened.status == 0, "\(opened.errors)")
            let record = opened.json()
            #expect(record["action"]?.string == "open-web", "\(opened.output)")
            #expect(record["reason"]?.string == "web-fallback")
            #expect(record["app"]?.string == nil && record["error"]?.members == nil)
            #expect(
                try String(contentsOfFile: usher.path("opened"), encoding: .utf8)
                    == "https://else.example/page https://else.example/page\n")
        }
    }

    @Test(
        "without a browser the page fails with web.no-browser",
        arguments: ["Usher is the handler of links", "the saved browser is gone", "there is no xdg-open"])
    func noBrowser(_ why: String) throws {
        try run(["own": Self.manifest("example.own")], settings: "") { usher in
            var usher = usher
            usher.environment["XDG_CONFIG_HOME"] = usher.folder + "/xdg"
            switch why {
            case "there is no xdg-open": usher.environment["PATH"] = usher.folder
            case "the saved browser is gone":
                try usher.write(#"{"browser":"gone.desktop","schemes":[]}"#, to: "state/usher/link-handler.json")
                fallthrough
            default:
                try usher.write(
                    "[Default Applications]\nx-scheme-handler/https=usher-link-handler.desktop\n",
                    to: "xdg/mimeapps.list")
            }
            let config = usher.path("config/usher")
            let opened = try usher("open", "https://else.example/page", "--json", "--config", config)
            #expect(opened.json()["error"]?["name"]?.string == "web.no-browser", "\(opened.output) \(opened.errors)")
            #expect(opened.json()["outcome"]?.string == "failed")
        }
    }

    @Test("the same page is not opened again by the program that opens it, in any of its spellings") func loops() throws
    {
        try run(["own": Self.manifest("example.own", "domains = [\"own.example\"]")]) { usher in
            var inside = usher
            inside.environment["USHER_OPEN_WEB"] = "http://else.example/page?utm_source=x#top"
            let again = try inside("open", "https://else.example/page", "--json")
            #expect(again.json()["action"]?.string == "none", "\(again.output) \(again.errors)")
            #expect(again.json()["outcome"]?.string == "failed")
            #expect(again.json()["reason"]?.string == "web-fallback")
            #expect(again.json()["error"]?["name"]?.string == "web.loop")
            #expect(!usher.exists("opened"))
            #expect(try inside("open", "https://else.example/other").status == 0)
            // A claimed address is not affected.
            inside.environment["USHER_OPEN_WEB"] = "https://own.example/a"
            #expect(try inside("open", "https://own.example/a", "--json").json()["action"]?.string != "none")
        }
    }

    @Test("a handler that opens its own target does not go on without end") func nested() throws {
        let scenes = #"show = { exec = ["../../../bin/again", "{target}"], time-limit = "30s" }"#
        try run(["own": Self.manifest("example.own", "schemes = [\"own\"]", scenes: scenes)]) { usher in
            try usher.writeProgram(
                "#!/bin/sh\necho run >> '\(usher.folder)/runs'\nusher open \"$1\"\n", to: "bin/again")
            // Windows that are there take the target by `show`.
            try usher("scene", "connect", "--app", "example.own", "--scene", "main", "--session", "one")
            let input = #"{"url":"own:1"}"# + "\n"
            try usher("dispatch", "-", input: input)
            func failures() throws -> [JSONValue] {
                try usher("deliveries", "list", "--only", "failed").json().elements?.filter {
                    try usher("deliveries", "show", $0["id"]?.string ?? "").output.contains("activation.nested")
                } ?? []
            }
            var found: [JSONValue] = []
            try waitUntil("the innermost has failed") {
                found = try failures()
                return !found.isEmpty
            }
            // The newest is the first; each of the others fails because its handler does.
            #expect(found.first?["action"]?.string == "none", "\(found)")
            let runs = try String(contentsOfFile: usher.path("runs"), encoding: .utf8)
            #expect(runs == String(repeating: "run\n", count: 10))
            // Another request begins anew.
            #expect(try usher("explain", "own:1").json()["decision"]?["action"]?.string != "none")
        }
    }

    @Test("the eleventh hand-over of a page within ten seconds is a loop; other pages have no limit") func manyTimes()
        throws
    {
        try run(["own": Self.manifest("example.own")]) { usher in
            let lines =
                (0..<12).map { _ in #"{"url":"https://else.example/page"}"# }
                + (0..<12).map { #"{"url":"https://else.example/\#($0)"}"# }
            try usher.write(lines.joined(separator: "\n") + "\n", to: "links.ndjson")
            let dispatched = try usher("dispatch", usher.path("links.ndjson"), "--json")
            let errors = dispatched.output.split(separator: "\n").map { line in
                (try? JSONValue(parsing: Array(line.utf8)))?["error"]?["name"]?.string ?? "-"
            }
            #expect(errors.prefix(12).count { $0 == "-" } == 10, "\(errors)")
            #expect(errors.prefix(12).count { $0 == "web.loop" } == 2)
            #expect(errors.suffix(12).allSatisfy { $0 == "-" })
        }
    }

    @Test("of several apps with one claim the one used last gets the link, with a warning") func severalClaims() throws
    {
        let claims = "domains = [\"shared.example\"]\nschemes = [\"shared\"]"
        let apps = [
            "b": Self.manifest("example.b", claims), "a": Self.manifest("example.a", claims),
            "long": Self.manifest("example.long", "domains = [\"shared.example/long\"]"),
        ]
        try run(apps) { usher in
            for target in ["https://shared.example/x", "shared:x"] {
                let first = try usher("explain", target)
                #expect(first.json()["decision"]?["app"]?.string == "example.a", "\(first.output)")
                let owners = first.json()["owners"]?.elements ?? []
                #expect(owners.compactMap { $0["app"]?.string } == ["example.a", "example.b"])
                #expect(owners.map { $0["wins"]?.boolean } == [true, false])
                #expect(owners.allSatisfy { ($0["length"]?.int64 ?? 0) > 0 && $0["at"]?.string != nil })
            }
            #expect(
                try usher("explain", "https://shared.example/long/1").json()["decision"]?["app"]?.string
                    == "example.long")
            #expect(try usher("scene", "connect", "--app", "example.b", "--scene", "main").status == 0)
            let session = try usher("scene", "list").json().elements?.first?["session"]?.string ?? ""
            #expect(try usher("scene", "activate", session).status == 0)
            let opened = try usher("open", "shared:x", "--json")
            #expect(opened.json()["app"]?.string == "example.b", "\(opened.output) \(opened.errors)")
            #expect(warnings(opened.json()).contains("resolution.several-apps"), "\(opened.output)")
            let checked = try usher("check")
            let findings = (checked.json()["findings"]?.elements ?? []).filter {
                $0["name"]?.string == "domain.claimed-twice"
            }
            #expect(findings.count == 2, "\(checked.output)")
            #expect(
                findings.allSatisfy { $0["severity"]?.string == "warning" && $0["see"]?.string != nil }, "\(findings)")
        }
    }

    @Test("equal components of two association files are claimed twice, what one of them excludes is not")
    func components() throws {
        func file(_ app: String, _ components: String) -> String {
            #"{"applinks":{"details":[{"appIDs":["ABCDE12345.example.\#(app)"],"components":[\#(components)]}]}}"#
        }
        let shared = "domains = [\"a.example\", \"b.example\"]\nsite-association = "
        let apps = Dictionary(
            uniqueKeysWithValues: ["a", "b", "c"].map {
                ($0, Self.manifest("example.\($0)", shared + "\"\($0).json\""))
            })
        try run(apps) { usher in
            try usher.write(file("a", #"{"/":"/x/*"},{"/":"/a/*"}"#), to: "config/usher/apps/a.json")
            try usher.write(file("b", #"{"/":"/b/*"},{"/":"/x/*"}"#), to: "config/usher/apps/b.json")
            let others = #"{"/":"/x/*","exclude":true},{"/":"/x/*","caseSensitive":false}"#
            try usher.write(file("c", others), to: "config/usher/apps/c.json")
            let findings = try usher("check").json()["findings"]?.elements ?? []
            let found = findings.filter { $0["name"]?.string == "domain.claimed-twice" }
            #expect(found.count == 1, "\(findings)")
            #expect(found.first?["at"]?.string?.hasPrefix("apps/b.json:1:") == true, "\(found)")
            #expect(found.first?["see"]?.string?.hasPrefix("apps/a.json:1:") == true, "\(found)")
            let owner = try usher("explain", "https://b.example/x/1").json()["decision"]?["app"]?.string
            #expect(owner == "example.a")
        }
    }

    @Test(
        "an activity of a type that no app declares reaches none",
        arguments: [
            (#""activityType":"example.none","webpageURL":"https://own.example/x""#, "", "open-web web-fallback - -"),
            (
                #""activityType":"example.none","targetContentIdentifier":"https://own.example/x""#, "",
                "none no-app - activity.undeclared-type"
            ),
            (
                #""activityType":"EXAMPLE.view","targetContentIdentifier":"https://own.example/x""#, "",
                "none no-app - activity.undeclared-type"
            ),
            (
                #""activityType":"example.none","targetContentIdentifier":"https://own.example/x""#, "example.own",
                "none no-app - activity.undeclared-type"
            ),
            (
                #""activityType":"other.view","targetContentIdentifier":"https://own.example/x""#, "example.own",
                "none no-app - activity.undeclared-type"
            ),
            (
                #""activityType":"example.view","targetContentIdentifier":"https://own.example/x""#, "",
                "launch default example.own -"
            ),
            (
                #""activityType":"other.view","targetContentIdentifier":"x""#, "example.plain",
                "launch default example.plain -"
            ),
            (
                #""activityType":"NSUserActivityTypeBrowsingWeb","webpageURL":"https://own.example/x""#, "",
                "launch default example.own -"
            ),
            (
                #""activityType":"NSUserActivityTypeBrowsingWeb","webpageURL":"https://else.example/x""#, "",
                "open-web web-fallback - -"
            ),
        ])
    func activityTypes(_ activity: String, _ app: String, _ expected: String) throws {
        let apps = [
            "own": Self.manifest("example.own", "domains = [\"own.example\"]\nactivity-types = [\"example.view\"]"),
            "other": Self.manifest("example.other", "activity-types = [\"other.view\"]"),
            "plain": Self.manifest("example.plain"),
        ]
        try run(apps) { usher in
            try usher.write(#"{"userActivity":{\#(activity)}}"#, to: "activity.json")
            let named = app.isEmpty ? [] : ["--app", app]
            let answer = try usher.run(["explain", "--payload", usher.path("activity.json")] + named)
            #expect(decision(answer) == expected, "\(answer.output)")
        }
    }

    @Test("explain reads a file for the simulator as dispatch does") func simulatorFile() throws {
        try run(["own": Self.manifest("example.own", "domains = [\"own.example\"]")]) { usher in
            try usher.write(#"{"aps":{"target-content-id":"https://own.example/1"}}"#, to: "push.apns")
            try usher.write(#"{"target":"https://own.example/1"}"#, to: "none.apns")
            for words in [["explain", "--payload"], ["dispatch", "--dry-run"]] {
                let push = try usher.run(words + [usher.path("push.apns")])
                #expect(
                    push.status == 0 && (push.output + push.errors).contains("simctl.missing-bundle"),
                    "\(words) \(push)")
                #expect(try usher.run(words + [usher.path("none.apns")]).status != 0, "\(words)")
            }
        }
    }

    @Test("check warns of an activity type without a dot") func dots() throws {
        try run(["own": Self.manifest("example.own", "activity-types = [\"edit\", \"example.edit\"]")]) { usher in
            let findings = try usher("check").json()["findings"]?.elements ?? []
            let found = findings.filter { $0["name"]?.string == "lint.activity-type" }
            #expect(found.count == 1 && found[0]["severity"]?.string == "warning", "\(findings)")
        }
    }

    private static let documents = """
        id = "example.documents"
        domains = ["documents.example"]
        scenes-limit = 2
        [[scenes]]
        name = "document"
        can = 'SELF == $TARGET'
        prefers = 'SELF == $TARGET'
        opens = 'SELF BEGINSWITH "https://documents.example/d/"'
        new-scene = "unless-preferred"
        launch = { exec = ["true"] }
        [[expect]]
        open = [{ scene = "document", target = "https://documents.example/d/1" }]
        scene = "document"
        reason = "recent"
        """

    @Test("a tap without a target goes to the window that was used last where none can be made") func recent() throws {
        try run(["documents": Self.documents]) { usher in
            let tap = #"{"aps":{"alert":"hi"}}"#
            try usher.write(tap, to: "tap.json")
            let explain = ["explain", "--payload", usher.path("tap.json")]
            #expect(try decision(usher.run(explain)) == "none no-scene example.documents resolution.no-scene")
            for number in 1...2 {
                #expect(
                    try usher(
                        "scene", "connect", "--app", "example.documents", "--scene", "document", "--target",
                        "https://documents.example/d/\(number)"
                    ).status == 0)
            }
            let answer = try usher.run(explain)
            #expect(decision(answer).hasSuffix("recent example.documents -"), "\(answer.output)")
            #expect(answer.json()["decision"]?["rule"]?.string == nil)
            let names = (answer.json()["candidates"]?.elements ?? []).compactMap { $0["verdict_name"]?.string }
            #expect(names == ["recent", "used-earlier"], "\(names)")
            let made = (answer.json()["configurations"]?.elements ?? []).compactMap { $0["verdict_name"]?.string }
            #expect(made == ["needs-target"], "\(made)")
            // A background push is no tap.
            try usher.write(#"{"aps":{"content-available":1}}"#, to: "tap.json")
            #expect(try usher.run(explain).json()["decision"]?["reason"]?.string != "recent")
            let checked = try usher("check")
            #expect(checked.status == 0, "\(checked.output)")
        }
    }

    @Test("explain names the verdict of each window and scene, and the limit") func verdicts() throws {
        try run(["documents": Self.documents]) { usher in
            func verdicts(_ arguments: String...) throws -> (windows: [String], scenes: [String], JSONValue) {
                let answer = try usher.run(["explain"] + arguments).json()
                func names(_ member: String) -> [String] {
                    (answer[member]?.elements ?? []).compactMap { $0["verdict_name"]?.string }
                }
                return (names("candidates"), names("configurations"), answer)
            }
            let first = try verdicts("https://documents.example/d/1")
            #expect(first.windows.isEmpty && first.scenes == ["created"])
            #expect(first.2["limit"]?.members == nil)
            for number in 1...2 {
                _ = try usher(
                    "scene", "connect", "--app", "example.documents", "--scene", "document", "--target",
                    "https://documents.example/d/\(number)")
            }
            let prefers = try verdicts("https://documents.example/d/1")
            #expect(Set(prefers.windows) == ["prefers", "rejects"] && prefers.scenes == ["not-needed"], "\(prefers)")
            let full = try verdicts("https://documents.example/d/3")
            #expect(full.windows == ["limit", "used-earlier"] && full.scenes == ["limit"], "\(full)")
            #expect(full.2["limit"]?["limit"]?.int64 == 2 && full.2["limit"]?["open"]?.int64 == 2)
            #expect(
                full.2["limit"]?["at"]?.string?.hasSuffix("documents.toml:3:16") == true, "\(full.2["limit"] ?? .null)")
            try usher.write(
                #"{"app":"example.documents","session":"gone","payload":{"aps":{"alert":"x"}}}"#, to: "named.json")
            let gone = try verdicts("--payload", usher.path("named.json"))
            #expect(gone.windows == ["not-asked", "not-asked"] && gone.scenes == ["not-asked"], "\(gone)")
        }
    }

    @Test(
        "near misses say which spelling would be accepted",
        arguments: [
            ("https://documents.example/d/1/", "https://documents.example/d/1", ["slash"]),
            ("http://documents.example/d/1", "https://documents.example/d/1", ["scheme"]),
            ("https://Documents.example/d/1", "https://documents.example/d/1", ["host-case"]),
            ("HTTPS://documents.example/d/1", "https://documents.example/d/1", ["scheme-case"]),
            ("https://documents.example/d/caf%c3%a9", "https://documents.example/d/caf%C3%A9", ["percent-encoding"]),
            ("https://documents.example/d/a%20%22b%22", "https://documents.example/d/a \"b\"", ["percent-encoding"]),
            ("https://documents.example/d/c d", "https://documents.example/d/c%20d", ["percent-encoding"]),
            ("https://documents.example/d/n\u{65}\u{301}e", "https://documents.example/d/n\u{e9}e", ["normalization"]),
            ("http://documents.example/d/1/", "https://documents.example/d/1", ["scheme", "slash"]),
        ])
    func nearMisses(_ target: String, _ near: String, _ difference: [String]) throws {
        let manifest = Self.documents.replacingOccurrences(of: "scenes-limit = 2\n", with: "")
        try run(["documents": manifest]) { usher in
            for id in ["1", "caf%C3%A9", "n\u{e9}e", "a \"b\"", "c%20d"] {
                let connected = try usher(
                    "scene", "connect", "--app", "example.documents", "--scene", "document", "--target",
                    "https://documents.example/d/\(id)")
                #expect(connected.status == 0, "\(connected.errors)")
            }
            let answer = try usher("explain", target)
            let found = answer.json()["near"]?.elements ?? []
            let hit = found.first {
                $0["id"]?.string?.utf8.elementsEqual(near.utf8) == true && $0["session"]?.string != nil
            }
            #expect(hit != nil, "\(found)")
            #expect((hit?["difference"]?.elements ?? []).compactMap(\.string) == difference, "\(found)")
            #expect(found.count <= 8)
        }
    }

    @Test("Info.plist gives version, schemes and windows; its variables come from build settings") func propertyList()
        throws
    {
        func plist(_ version: String) -> String {
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>CFBundleShortVersionString</key><string>\(version)</string>
            <key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key><array><string>clown</string></array></dict></array>
            <key>UIApplicationSceneManifest</key><dict><key>UIApplicationSupportsMultipleScenes</key><false/></dict>
            <key>NSUserActivityTypes</key><array><string>$(PRODUCT_BUNDLE_IDENTIFIER).view</string></array>
            </dict></plist>
            """
        }
        let manifest = Self.manifest(
            "example.own", "info-plist = { file = \"Info.plist\", build-settings = \"App.xcconfig\" }")
        try run(["own": manifest]) { usher in
            try usher.write(plist("$(MARKETING_VERSION)"), to: "config/usher/apps/Info.plist")
            try usher.write(
                "// settings\nBASE = 2\nMARKETING_VERSION = $(BASE).1 // now\n", to: "config/usher/apps/App.xcconfig")
            let checked = try usher("check")
            #expect(checked.status == 0, "\(checked.output)")
            #expect(try decision(usher("explain", "clown:1")) == "launch single example.own -")
            // The manifest's own keys go before.
            try usher.write(
                Self.manifest(
                    "example.own",
                    "version = \"3\"\nmultiple-scenes = true\n"
                        + "info-plist = { file = \"Info.plist\", build-settings = \"App.xcconfig\" }"),
                to: "config/usher/apps/own.toml")
            let names = (try usher("check").json()["findings"]?.elements ?? []).compactMap { $0["name"]?.string }
            #expect(names.count { $0 == "plist.differs" } == 2, "\(names)")
            // Without the key there is one scene, as on iOS, and the manifest's own key goes before without a warning.
            let silent = plist("3").replacingOccurrences(
                of: "<key>UIApplicationSupportsMultipleScenes</key><false/>", with: "")
            try usher.write(silent, to: "config/usher/apps/Info.plist")
            #expect(try usher("check", "--strict").status == 0)
            #expect(try decision(usher("explain", "clown:1")) != "launch single example.own -")
            try usher.write(
                Self.manifest("example.own", "info-plist = \"Info.plist\""), to: "config/usher/apps/own.toml")
            #expect(try decision(usher("explain", "clown:1")) == "launch single example.own -")
            try usher.write(plist("$(UNKNOWN)"), to: "config/usher/apps/Info.plist")
            let unknown = try usher("check")
            let errors = (unknown.json()["findings"]?.elements ?? []).filter { $0["name"]?.string == "plist.variable" }
            #expect(errors.count == 1 && unknown.status != 0, "\(unknown.output)")
        }
    }
}
