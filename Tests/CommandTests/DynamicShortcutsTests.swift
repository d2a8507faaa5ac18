import Foundation
import TestSupport
import Testing
import UsherJSON

/// Dynamic shortcut items, and what handlers are given of an item.
struct DynamicShortcutsTests {
    private static let bozo = #"{"type":"bozo","localizedTitle":"Bozo","target-content-id":"https://own.example/bozo"}"#
    private static let pie = #"{"type":"pie","localizedTitle":"Pie","localizedSubtitle":"hot"}"#

    /// An app with a declared item, whose one window leaves what it is given behind, and one without items.
    private static func prepare(_ usher: UsherProgram) throws {
        try usher.write(
            """
            id = "example.own"
            name = "Own"
            domains = ["own.example"]

            [[shortcuts]]
            type = "order"
            title = "Order"
            subtitle = "at once"
            icon = "cart"
            target-content-id = "https://own.example/orders"
            user-info = { count = 2 }

            [[scenes]]
            name = "main"
            launch = { exec = ["sh", "-c", "cat >'\(usher.folder)/performed'"] }
            """, to: "config/usher/apps/own.toml")
        try usher.write(
            """
            id = "example.other"
            [[scenes]]
            name = "main"
            launch = { exec = ["true"] }
            """, to: "config/usher/apps/other.toml")
    }

    private static func with(_ body: (UsherProgram) throws -> Void) throws {
        try UsherProgram.run { usher in
            var usher = usher
            usher.environment["XDG_DATA_HOME"] = usher.folder + "/data"
            usher.environment["XDG_DATA_DIRS"] = usher.folder + "/shared"
            try prepare(usher)
            try body(usher)
        }
    }

    private static func types(_ ending: UsherProgram.Ending) -> [String] {
        ending.json().elements?.compactMap { $0["type"]?.string } ?? []
    }

    // MARK: Handlers

    @Test(arguments: [
        (
            #"{"type":"order"}"#,
            #"{"type":"order","localizedTitle":"Order","localizedSubtitle":"at once","icon":{"symbolName":"cart"},"#
                + #""userInfo":{"count":2},"targetContentIdentifier":"https://own.example/orders"}"#
        ),
        (
            #"{"type":"order","localizedTitle":"Mine","userInfo":{},"targetContentIdentifier":"https://own.example/x"}"#,
            #"{"type":"order","localizedTitle":"Mine","localizedSubtitle":"at once","icon":{"symbolName":"cart"},"#
                + #""userInfo":{},"targetContentIdentifier":"https://own.example/x"}"#
        ),
        (#"{"type":"other","icon":{"type":"Add"}}"#, #"{"type":"other","icon":{"type":"Add"}}"#),
    ])
    func handlersGetTheWholeItem(_ sent: String, _ given: String) throws {
        try Self.with { usher in
            let ending = try usher("dispatch", input: #"{"shortcutItem":\#(sent),"app":"example.own"}"# + "\n")
            #expect(ending.json()["outcome"]?.string == "done", "\(ending.output) \(ending.errors)")
            #expect(eventually { usher.text("performed") == given }, "\(usher.text("performed"))")
        }
    }

    @Test(
        "show runs after each activation, but where it uses a target and the request has none",
        arguments: [
            ("{session}", true), ("{title}", true), ("{target}", false), ("a{resolved}", false),
            ("{original-target}", false), ("{url}", false), ("{path}", false),
        ])
    func showWithoutTarget(_ word: String, _ runs: Bool) throws {
        try UsherProgram.run { usher in
            try usher.write(
                """
                id = "example.own"
                multiple-scenes = false
                [[shortcuts]]
                type = "plain"
                title = "Plain"
                [[scenes]]
                name = "main"
                launch = { exec = ["true"] }
                focus = { exec = ["true"] }
                show = { exec = ["true", "\(word)"] }
                """, to: "config/usher/apps/own.toml")
            for payload in [#"{"aps":{"alert":"x"}}"#, #"{"shortcutItem":{"type":"plain"}}"#] {
                let record = try usher("dispatch", input: payload + "\n").json()
                let verbs = record["handlers"]?.elements?.compactMap { $0["verb"]?.string } ?? []
                #expect(verbs.contains("show") == runs, "\(record)")
            }
            let target = try usher("dispatch", input: #"{"aps":{"alert":"x","target-content-id":"t"}}"# + "\n").json()
            #expect(target["handlers"]?.elements?.contains { $0["verb"]?.string == "show" } == true, "\(target)")
        }
    }

    // MARK: Commands

    @Test func itemsAreSetAddedAndRemoved() throws {
        try Self.with { usher in
            let set = try usher("shortcut", "set", "--app", "example.own", "-", input: Self.bozo + Self.pie)
            #expect(Self.types(set) == ["bozo", "pie"], "\(set.errors)")
            // In its place.
            let replaced = #"{"type":"bozo","localizedTitle":"Again"}"#
            let added = try usher("shortcut", "add", "--app", "example.own", "-", input: "[\(replaced)]")
            #expect(Self.types(added) == ["bozo", "pie"])
            #expect(added.json().elements?.first?["localizedTitle"]?.string == "Again")
            #expect(added.json().elements?.first?["targetContentIdentifier"]?.kind == .null)
            try usher("shortcut", "add", "--app", "example.other", "-", input: Self.pie)

            let list = try usher("shortcut", "list")
            #expect(Self.types(list) == ["order", "pie", "bozo", "pie"])
            #expect(list.json().elements?.map { $0["dynamic"]?.boolean } == [false, true, true, true])
            #expect(list.json().elements?.map { $0["at"]?.kind == .null } == [false, true, true, true])
            #expect(Self.types(try usher("shortcut", "list", "--app", "example.own")) == ["order", "bozo", "pie"])
            #expect(
                try usher("shortcut", "list", "--menu").lines == [
                    "Order – at once (Own)", "Pie – hot (example.other)", "Again (Own)", "Pie – hot (Own)",
                ])

            #expect(try usher("shortcut", "remove", "pie").errors.contains("U2002 resolution.ambiguous-app"))
            #expect(Self.types(try usher("shortcut", "remove", "pie", "--app", "example.own")) == ["bozo"])
            #expect(Self.types(try usher("shortcut", "remove", "pie")) == [])
            #expect(try usher("shortcut", "set", "--app", "example.own", "-", input: "[]").output == "[]\n")
            #expect(Self.types(try usher("shortcut", "list")) == ["order"])
        }
    }

    @Test func dynamicItemsArePerformedExplainedAndPublished() throws {
        try Self.with { usher in
            try usher("shortcut", "set", "--app", "example.own", "-", input: Self.bozo)
            let performed = try usher("shortcut", "perform", "bozo").json()
            #expect(performed["outcome"]?.string == "done")
            #expect(performed["target"]?.string == "https://own.example/bozo")
            #expect(performed["title"]?.string == "Bozo")
            #expect(performed["warnings"]?.elements?.isEmpty == true, "\(performed)")
            let whole = #"{"type":"bozo","localizedTitle":"Bozo","targetContentIdentifier":"https://own.example/bozo"}"#
            #expect(eventually { usher.text("performed") == whole })

            // A payload with its type alone, explained, rehearsed and dispatched; then explained from the journal, although the
            // item is gone.
            let payload = #"{"type":"bozo"}"#
            let explained = try usher("explain", "--payload", "-", input: payload).json()
            #expect(explained["request"]?["target"]?.string == "https://own.example/bozo")
            let rehearsed = try usher("dispatch", "--dry-run", input: payload).json()
            #expect(rehearsed["target"]?.string == "https://own.example/bozo")
            let record = try usher("dispatch", input: payload).json()
            #expect(record["app"]?.string == "example.own")
            try usher("shortcut", "set", "--app", "example.own", "-", input: "[]")
            let delivery = record["id"]?.string ?? ""
            let stored = try usher("explain", "--delivery", delivery).json()
            #expect(stored["request"]?["target"]?.string == "https://own.example/bozo", "\(stored)")

            try usher("shortcut", "add", "--app", "example.own", "-", input: Self.bozo)
            let entry = try usher("shortcut", "publish").json()["written"]?.elements?.first?.string ?? ""
            let text = try String(contentsOfFile: entry, encoding: .utf8)
            #expect(text.contains("Actions=order;bozo;"), "\(text)")
            #expect(text.contains("Name=Bozo\nExec="))
        }
    }

    private static func many(_ count: Int) -> String {
        (1...count).map { #"{"type":"t\#($0)","localizedTitle":"T"}"# }.joined()
    }

    @Test(
        "what an app cannot have is refused, and nothing is changed",
        arguments: [
            (["set"], bozo + #"{"type":"order","localizedTitle":"Mine"}"#, "U6401 shortcut.static"),
            (["add"], #"{"type":"order","localizedTitle":"Mine"}"#, "U6401 shortcut.static"),
            (["set"], pie + pie, "U6402 shortcut.duplicate"), (["add"], pie + pie, "U6402 shortcut.duplicate"),
            (["set"], #"{"type":"a"}"#, "U6403 shortcut.localized-title.missing"),
            (["set"], #"{"type":"a","localizedTitle":""}"#, "U6403 shortcut.localized-title.missing"),
            (["set"], #"{"localizedTitle":"A"}"#, "U1014 member.missing"),
            (["set"], #"{"type":"a","localizedTitle":7}"#, "U1012 member.type"),
            (
                ["set"], #"{"type":"a","localizedTitle":"A","target-content-id":"x","targetContentIdentifier":"y"}"#,
                "U1413 shortcut.targets-differ"
            ),
            (["set"], many(101), "U6404 shortcut.too-many"), (["add"], many(100), "U6404 shortcut.too-many"),
            (
                ["set"], #"{"type":"a","localizedTitle":"\#(String(repeating: "x", count: 16_384))"}"#,
                "U6405 shortcut.too-large"
            ),
            (["set"], "[7]", "U1011 json.top-level-not-object"), (["set"], "7", "U1011 json.top-level-not-object"),
            (["set"], "{\"type\":", "U1004 json.syntax"), (["set"], "", "no JSON value [U6501 usage.file]"),
            (["add"], pie + "[]", "an array after another value [U6501 usage.file]"),
            (["add"], "[\(pie)]" + bozo, "another value after an array [U6501 usage.file]"),
            (["set"], "[][]", "an array after another value [U6501 usage.file]"),
            (["remove", "order"], "", "U6401 shortcut.static"),
            (["remove", "bozzo"], "", "U1412 shortcut.unknown-type"),
        ])
    func refusals(_ words: [String], _ input: String, _ text: String) throws {
        try Self.with { usher in
            try usher("shortcut", "set", "--app", "example.own", "-", input: Self.bozo)
            let before = try usher("shortcut", "list").output
            let file = words.count == 1 ? ["-"] : []
            let ending = try usher.run(
                ["shortcut"] + words + ["--app", "example.own"] + file, input: Data(input.utf8))
            #expect(ending.status == 2)
            #expect(ending.errors.contains(text), "\(ending.errors)")
            #expect(try usher("shortcut", "list").output == before)
            let unknown = try usher.run(
                ["shortcut"] + words + ["--app", "example.onw"] + file, input: Data(Self.pie.utf8))
            #expect(unknown.status == 2)
            #expect(unknown.errors.contains("U2001 resolution.no-app"), "\(unknown.errors)")
        }
    }

    @Test(arguments: ["set", "add"])
    func unknownMembersAreWarnedAbout(_ command: String) throws {
        try Self.with { usher in
            let item = #"[{"type":"a","localizedTitle":"A"},{"type":"b","localizedTitle":"B","localizedSubtitel":"x"}]"#
            let ending = try usher("shortcut", command, "--app", "example.own", "-", input: item)
            #expect(ending.status == 0)
            #expect(
                ending.errors
                    == "usher: warning: item 2, /localizedSubtitel: localizedSubtitel is not defined here and is ignored"
                    + " [U1016 member.unknown]\nhelp: did you mean localizedSubtitle?\n", "\(ending.errors)")
        }
    }

    @Test func refusalsOfTheCommandsHaveCodes() throws {
        try Self.with { usher in
            for (words, code) in [
                (["set", "--app", "example.own", "nowhere.json"], "U6501 usage.file"),
                (["add", "-"], "U6303 control.argument"), (["perform", "bozzo"], "U1412 shortcut.unknown-type"),
                (["perform"], "U6303 control.argument"),
            ] {
                let ending = try usher.run(["shortcut"] + words)
                #expect(ending.status == 2 && ending.errors.contains("[\(code)]\n"), "\(words): \(ending.errors)")
            }
        }
    }

    @Test func whatIsNotPublishedIsNamed() throws {
        try Self.with { usher in
            try usher(
                "shortcut", "set", "--app", "example.other", "-", input: #"{"type":"a\u0001","localizedTitle":"A"}"#)
            let ending = try usher("shortcut", "publish")
            #expect(ending.errors.contains("of example.other is not published"), "\(ending.errors)")
            try usher("shortcut", "set", "--app", "example.other", "-", input: Self.many(21))
            let many = try usher("shortcut", "publish")
            #expect(
                many.errors.contains("example.other has 21 shortcuts: the first 20 are published"), "\(many.errors)")
        }
    }

    @Test func staticItemThatIsDeclaredLaterGoesFirst() throws {
        try Self.with { usher in
            try usher("shortcut", "set", "--app", "example.other", "-", input: Self.pie)
            try usher.write(
                """
                id = "example.other"
                [[shortcuts]]
                type = "pie"
                title = "Declared"
                [[scenes]]
                name = "main"
                launch = { exec = ["true"] }
                """, to: "config/usher/apps/other.toml")
            let list = try usher("shortcut", "list", "--app", "example.other").json().elements ?? []
            #expect(list.map { $0["localizedTitle"]?.string } == ["Declared"])
            #expect(try usher("shortcut", "perform", "pie").json()["title"]?.string == "Declared")
        }
    }

    // MARK: Daemon

    @Test func daemonAnswersAndUsesTheSame() throws {
        try Self.with { usher in
            try usher.withDaemon(config: usher.path("config/usher")) {
                func http(_ method: String, _ path: String, _ body: String? = nil) throws -> (String, JSONValue) {
                    var words = "curl -s -g --unix-socket s -w '\\n%{http_code}' -X \(method)"
                    words += " 'http://u/v1/shortcuts\(path)'"
                    if let body { words += " -H 'Content-Type: application/json' -d '\(body)'" }
                    let lines = try usher.shell(words).lines
                    return (lines.last ?? "", try JSONValue(parsing: Array((lines.first ?? "null").utf8)))
                }
                func types(_ answer: JSONValue) -> [String] {
                    answer.elements?.compactMap { $0["type"]?.string } ?? []
                }
                let set = try http("PUT", "?app=example.own", "[\(Self.bozo)]")
                #expect(set.0 == "200" && types(set.1) == ["bozo"], "\(set)")
                let added = try http("POST", "?app=example.own", Self.pie)
                #expect(added.0 == "201" && types(added.1) == ["bozo", "pie"], "\(added)")
                #expect(types(try http("GET", "?app=example.own").1) == ["order", "bozo", "pie"])
                let own = "?app=example.own"
                let many = Self.many(101).replacingOccurrences(of: "}{", with: "},{")
                let untitled = "shortcut.localized-title.missing"
                for (method, path, body, status, name, at) in [
                    ("PUT", own, #"[{"type":"order","localizedTitle":"O"}]"#, "409", "shortcut.static", "/0/type"),
                    ("POST", own, #"{"type":"a"}"#, "400", untitled, "/localizedTitle"),
                    ("POST", own, "[\(Self.pie),\(Self.pie)]", "400", "shortcut.duplicate", "/1/type"),
                    ("PUT", "?app=example.onw", "[]", "404", "resolution.no-app", "?app"),
                    ("PUT", "", "[]", "400", "control.argument", ""),
                    ("PUT", own, "[7]", "400", "json.top-level-not-object", "/0"),
                    ("PUT", own, "[\(many)]", "413", "shortcut.too-many", ""),
                    ("DELETE", "/bozzo?app=example.own", nil, "404", "shortcut.unknown-type", nil),
                    ("DELETE", "/order?app=example.own", nil, "409", "shortcut.static", nil),
                ] as [(String, String, String?, String, String, String?)] {
                    let answer = try http(method, path, body)
                    #expect(answer.0 == status && answer.1["error"]?["name"]?.string == name, "\(answer)")
                    #expect(answer.1["error"]?["at"]?.string == at, "\(answer)")
                }
                #expect(types(try http("GET", "").1) == ["order", "bozo", "pie"])
                // The command asks the daemon, whatever the files say by now.
                let file = usher.path("config/usher/apps/own.toml")
                let edited = try String(contentsOfFile: file, encoding: .utf8)
                    .replacingOccurrences(of: "title = \"Order\"", with: "title = \"Edited\"")
                let performed = try usher("shortcut", "perform", "bozo").json()
                #expect(performed["target"]?.string == "https://own.example/bozo", "\(performed)")
                try edited.write(toFile: file, atomically: true, encoding: .utf8)
                // usherd reads the files again by itself: before the list, or after it.
                let before = try usher("shortcut", "perform", "order").json()["title"]?.string
                let list = try usher("shortcut", "list").json().elements ?? []
                let after = try usher("shortcut", "perform", "order").json()["title"]?.string
                #expect([before, after].contains(list.first?["localizedTitle"]?.string), "\(list)")
                #expect(try usher("reload").status == 0)
                #expect(try usher("shortcut", "perform", "order").json()["title"]?.string == "Edited")
                #expect(try usher("shortcut", "perform", "pie").json()["title"]?.string == "Pie")
                let removed = try http("DELETE", "/bozo?app=example.own")
                #expect(removed.0 == "200" && types(removed.1) == ["pie"])
                #expect(try usher("shortcut", "perform", "bozo").status == 2)
            }
        }
    }
}
