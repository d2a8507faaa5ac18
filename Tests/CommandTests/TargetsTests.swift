import Foundation
import Testing
import UsherJSON

/// `usher target …` through its pipes.
struct TargetsTests {
    static let manifest = """
        id = "example.shop"
        name = "Shop"
        domains = ["shop.example"]
        [targets]
        item = "https://shop.example/items/{item_id}"
        pair = "https://shop.example/pairs/{a}{b}"
        any = "https://shop.example/{+path}"
        search = "https://shop.example/search{?q,tags*,where*}"
        [[scenes]]
        name = "main"
        launch = { exec = ["true"] }
        """

    /// A program with that manifest, and Clown Town beside it.
    static func run<Result>(_ body: (UsherProgram) throws -> Result) throws -> Result {
        try UsherProgram.run { usher throws in
            try usher.write(manifest, to: "config/usher/apps/shop.toml")
            try usher.write(
                manifest.replacingOccurrences(of: "example.shop", with: "example.other")
                    .replacingOccurrences(of: "shop.example", with: "other.example"),
                to: "config/usher/apps/other.toml")
            return try body(usher)
        }
    }

    // MARK: build

    @Test(arguments: [
        (["item", "item_id=a/b"], "https://shop.example/items/a%2Fb"),
        (["search"], "https://shop.example/search"),
        (["search", "q=red nose", "tags=a", "tags=b"], "https://shop.example/search?q=red%20nose&tags=a&tags=b"),
        (["search", "where.city=Rome", "where.zip=00100"], "https://shop.example/search?city=Rome&zip=00100"),
        (["any", "path=a=b"], "https://shop.example/a=b"),
    ])
    func buildsByName(_ arguments: [String], _ identifier: String) throws {
        try Self.run { usher throws in
            let ending = try usher.run(["target", "build"] + arguments + ["--app", "example.shop"])
            #expect(ending.output == identifier + "\n", "\(ending.errors)")
            #expect(ending.status == 0)
        }
    }

    @Test(arguments: [
        (["itm", "item_id=1"], "did you mean 'item'?", "U7001"),
        (["item", "itm_id=1"], "did you mean item_id?", "there is no variable"),
        (["item"], "give it one: item_id=…", "U7004"),
        (["item", "item_id="], "would name nothing", "U7005"),
        (["item", "item_id"], "the variables are item_id", "is not KEY=VALUE"),
        (["item", "item_id=1", "item_id.x=1"], "as text and as an object", "item_id"),
        ([], "usage:", "needs the name"),
    ])
    func refusesByName(_ arguments: [String], _ help: String, _ message: String) throws {
        try Self.run { usher throws in
            let ending = try usher.run(["target", "build"] + arguments + ["--app", "example.shop"])
            #expect(ending.status == 2)
            #expect(ending.output.isEmpty)
            #expect(ending.errors.contains(help), "\(ending.errors)")
            #expect(ending.errors.contains(message), "\(ending.errors)")
        }
    }

    @Test func aNameOfSeveralAppsNeedsTheApp() throws {
        try Self.run { usher throws in
            let ending = try usher("target", "build", "item", "item_id=1")
            #expect(ending.status == 2)
            #expect(ending.errors.contains("U7002"))
            #expect(ending.errors.contains("example.shop"))
            #expect(
                try usher("target", "build", "item", "item_id=1", "--app", "example.shpo").errors.contains(
                    "did you mean"))
            let json = try usher("target", "build", "item", "item_id=1", "--app", "example.other", "--json").json()
            #expect(json["id"]?.string == "https://other.example/items/1")
            #expect(json["app"]?.string == "example.other")
            #expect(json["template"]?.string == "item")
        }
    }

    @Test func templatesAreListed() throws {
        try UsherProgram.run { original in
            var usher = original
            usher.environment["USHER_CONFIG"] = UsherProgram.sampleConfiguration
            let all = try usher("target", "list", "--json").json().elements ?? []
            let clown = all.first { $0["name"]?.string == "clown" && $0["app"]?.string == "example.clowntown" }
            #expect(clown?["template"]?.string == "https://clowntown.example/clowns/{clown}")
            #expect(clown?["variables"]?.elements == [.string("clown")])
            #expect(clown?["at"]?.string?.hasPrefix("apps/clown-town.toml:") == true)
            let own = try usher("target", "list", "--app", "example.clowntown", "--json").json().elements ?? []
            #expect(!own.isEmpty && own.count < all.count)
            #expect(own.allSatisfy { $0["app"]?.string == "example.clowntown" })
            let wrong = try usher("target", "list", "--app", "example.clowntwn")
            #expect(wrong.status == 2 && wrong.errors.contains("resolution.no-app"), "\(wrong.errors)")
            #expect(wrong.errors.contains("did you mean example.clowntown?"), "\(wrong.errors)")
        }
    }

    @Test func templatesOnTheLineNeedNoConfiguration() throws {
        try UsherProgram.run { usher throws in
            #expect(try usher("target", "build", "--template", "/a{/b}{?c}", "b=x").output == "/a/x\n")
            #expect(try usher("target", "build", "--template", "{last.name}", "last.name=x").output == "x\n")
            #expect(try usher("target", "build", "--template", "{a.b*}", "a.b.c=x").output == "c=x\n")
            let wrong = try usher("target", "build", "--template", "/{a", "a=x")
            #expect(wrong.status == 2)
            #expect(wrong.errors.contains("/{a\n   ^"), "\(wrong.errors)")
            #expect(try usher("target", "build", "--template", "{a}").status == 2)
            #expect(try usher("target", "build", "--template", "{a:1}", "a=x", "a=y").errors.contains("U5611"))
        }
    }

    static let lines = [
        (
            #"{"template":"{?x*}","variables":{"x":{"b":"1","a":"2"}}}"#,
            #"{"template":"{?x*}","variables":{"x":{"b":"1","a":"2"}},"expansion":"?b=1&a=2","error":null}"#
        ),
        (
            #"{"n":1.50,"expansion":7,"template":"{x}"}"#,
            #"{"n":1.50,"expansion":"","template":"{x}","error":null}"#
        ),
        (
            #"{"name":"item","app":"example.shop","variables":{"item_id":7}}"#,
            #""expansion":"https://shop.example/items/7""#
        ),
        (#"{"name":"item","app":"example.shop","variables":{}}"#, #""code":"U7004""#),
        (#"{"name":"itm","app":"example.shop"}"#, #""help":"did you mean 'item'?""#),
        (#"{"name":"item","app":"example.nobody"}"#, #""at":"/app""#),
        (#"{"template":"{x}","variables":{"x":[{}]}}"#, #""at":"/variables/x/0""#),
        (#"{"template":"{x}","variables":[]}"#, #""at":"/variables""#),
        (#"{"template":7}"#, #""name":"request.member""#),
        ("{}", #""name":"request.member""#),
        ("[]", #""name":"request.member""#),
        ("{", #""name":"json.syntax""#),
        (#"{"template":"{x}","variables":{"x":"a","x":"b"}}"#, #""name":"json.duplicate-key""#),
    ]

    @Test(arguments: lines)
    func bulk(_ input: String, _ output: String) throws {
        try Self.run { usher throws in
            let ending = try usher("target", "build", "--cases", "-", input: input + "\n" + #"{"template":"a"}"#)
            #expect(ending.lines.count == 2)
            #expect(ending.lines.first?.contains(output) == true, "\(ending.output)\(ending.errors)")
            #expect(ending.lines.last == #"{"template":"a","expansion":"a","error":null}"#)
        }
    }

    // MARK: match

    @Test func matches() throws {
        try Self.run { usher throws in
            let one = try usher("target", "match", "https://shop.example/items/a%2Fb")
            #expect(one.status == 0)
            #expect(one.json()["app"]?.string == "example.shop")
            #expect(one.json()["template"]?.string == "item")
            #expect(one.json()["variables"] == ["item_id": "a/b"])
            // The other reading is by another template.
            #expect(one.json()["ambiguous"]?.elements?.map { $0["template"]?.string } == ["any"])
            let several = try usher("target", "match", "https://shop.example/pairs/xyz").json()
            #expect(several["variables"] == ["a": "x", "b": "yz"])
            #expect(several["ambiguous"]?.elements?.first?["open"] == ["a", "b"])
            let members = try usher("target", "match", "https://shop.example/search?q=1&tags=a&tags=b").json()
            #expect(members["template"]?.string == "search")
            let none = try usher("target", "match", "https://nobody.example/")
            #expect(none.status == 1)
            for name in ["app", "template", "variables"] { #expect(none.json()[name]?.kind == .null) }
            #expect(none.json()["ambiguous"] == [])
        }
    }

    @Test func matchesLines() throws {
        try Self.run { usher throws in
            let input = "\"https://shop.example/items/1\"\n{\"id\":\"x\",\"n\":1}\n{\"id\":7}\n"
            let ending = try usher("target", "match", "--cases", "-", input: input)
            #expect(ending.status == 1)
            #expect(ending.lines.count == 3)
            #expect(
                ending.lines[0].hasPrefix(
                    #"{"id":"https://shop.example/items/1","app":"example.shop","template":"item""#))
            #expect(ending.lines[1].hasPrefix(#"{"id":"x","n":1,"app":null"#))
            #expect(ending.lines[2].contains("request.member"))
        }
    }

    // MARK: lint

    @Test func lints() throws {
        try UsherProgram.run { usher throws in
            let ending = try usher(
                "target", "lint", "https://shop.example/items/1", "https://kim:secret@shop.example/items/{id}")
            #expect(ending.status == 1)
            let answers = ending.json().elements ?? []
            #expect(answers.count == 2)
            #expect(answers.first?["findings"] == [])
            #expect(
                answers.last?["findings"]?.elements?.map { $0["name"]?.string } == [
                    "lint.placeholder", "lint.credentials",
                ])
            for finding in answers.last?["findings"]?.elements ?? [] {
                #expect(finding["code"]?.string?.hasPrefix("U7") == true)
                #expect(finding["message"]?.string?.isEmpty == false)
                #expect(finding["suggestion"]?.string?.isEmpty == false)
            }
            #expect(try usher("target", "lint", "crusty").status == 0)
            #expect(try usher("target", "lint").status == 2)
        }
    }

    @Test func lintsTheLabelledList() throws {
        let text = try String(contentsOfFile: UsherProgram.fixtures + "/lint-labelled.jsonl", encoding: .utf8)
        try UsherProgram.run { usher throws in
            let ending = try usher("target", "lint", "-", input: text)
            #expect(ending.lines.count == text.split(separator: "\n").count)
            var warned = 0
            for line in ending.lines {
                let answer = try JSONValue(parsing: Array(line.utf8))
                if answer["expect"] == [], answer["findings"] != [] { warned += 1 }
            }
            #expect(warned == 0)
        }
    }
}
