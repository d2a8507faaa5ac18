import Testing
import UsherScene

@testable import UsherActivation

@Suite("CommandTemplate")
struct CommandTemplateTests {
    @Test("the placeholders are those that manifests may use")
    func names() {
        #expect(Placeholder.allCases.map(\.rawValue).sorted() == Command.placeholders.sorted())
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var template: [String]
        var title: String
        /// nil: refused.
        var expected: [String]?
        var testDescription: String { "\(template) with \(title.debugDescription)" }

        init(_ template: [String], _ title: String, _ expected: [String]?) {
            self.template = template
            self.title = title
            self.expected = expected
        }
    }

    @Test(
        "each value stays one argument, and none becomes an option",
        arguments: [
            Case(["show", "{title}"], "a b", ["a b"]),
            Case(["show", "{title}"], "", [""]),
            Case(["show", "x{title}y"], "a b", ["xa by"]),
            Case(["show", "{{title}}", "}}{{"], "a", ["{title}", "}{"]),
            Case(["show", "{title}{title}"], "a", ["aa"]),
            Case(["show", "{title}"], "{target}", ["{target}"]),
            Case(["show", "{title}"], "--exec=touch x", nil),
            Case(["show", "{title}"], "-", nil),
            Case(["show", "{title}x"], "-c", nil),
            Case(["show", "{title}-x"], "", nil),
            Case(["show", "{subtitle}{title}"], "-c", nil),
            Case(["show", "{title}"], "-\u{301}c", nil),
            Case(["show", "--", "{title}"], "-c", ["--", "-c"]),
            Case(["show", "{title}", "--"], "-c", nil),
            Case(["show", "--title={title}"], "-c", ["--title=-c"]),
            Case(["show", "{title}"], "a\0b", nil),
            Case(["show", "{title}"], "$(touch x)`touch x`;\n", ["$(touch x)`touch x`;\n"]),
            Case(["show", "{"], "a", nil), Case(["show", "}"], "a", nil), Case(["show", "{nothing}"], "a", nil),
            Case(["show", "{title"], "a", nil), Case(["show", "{}"], "a", nil),
            Case(["show", "{{{title}}}"], "a", ["{a}"]),
            Case(["{title}"], "a", nil), Case(["/bin/{title}"], "a", nil), Case([""], "a", nil), Case([], "a", nil),
        ])
    func expansion(_ example: Case) {
        let expanded = try? CommandTemplate(command(example.template))
            .expandArguments(task(title: example.title), payloadFile: "/dev/stdin")
        #expect(expanded == example.expected)
    }

    @Test("a refused dash has its own code")
    func dash() {
        #expect {
            try CommandTemplate(command(["show", "{title}"])).expandArguments(task(title: "-x"), payloadFile: "")
        } throws: { ($0 as? ActivationFailure)?.code == .dashArgument }
    }

    @Test("every placeholder has its value")
    func values() throws {
        var full = task(handle: "@3")
        full.resolved = "file:///notes/a%20b"
        full.subtitle = "s"
        full.body = "b"
        full.url = "u"
        full.shortcutType = "st"
        full.activityType = "at"
        full.isActivity = true
        full.restorationFile = "/state/restoration"
        full.error = .emptyCommand
        full.notificationAction = "track"
        let template = try CommandTemplate(command(["x"] + Command.placeholders.map { "{\($0)}" }))
        #expect(
            try template.expandArguments(full, payloadFile: "/dev/stdin") == [
                "file:///notes/a%20b", "file:///notes/a%20b", "https://clowntown.example/clowns/crusty", "/notes/a b",
                "clown-7", "clown", "example.clowntown", "Crusty",
                "s", "b", "u", "/dev/stdin", "0199-delivery", "launch", "opens", "@3", "st", "at", "/dev/stdin",
                "/state/restoration", "the command is empty", "U3002", "track",
            ])
    }
}

@Suite("KeySequence")
struct KeySequenceTests {
    @Test(
        "keys come from the manifest, text may come from any sender",
        arguments: [
            ([":open {title}", "<Enter>"], "a", [.text(":open a"), .key("Enter")]),
            ([":open {title}<Enter>"], "a", [.text(":open a"), .key("Enter")]),
            (["{title}"], "<Enter>", [.text("<Enter>")]),
            (["<C-c><M-x><C-S-Left><F12>"], "", [.key("C-c"), .key("M-x"), .key("C-S-Left"), .key("F12")]),
            (["a < b > c", "<b>", "<>", "<C->"], "", [.text("a < b > c"), .text("<b>"), .text("<>"), .text("<C->")]),
            (["{title}"], "", []),
            (["{title}"], "a\nb", nil), (["{title}"], "a\u{7F}", nil), (["{title}"], "a\u{9B}", nil),
            (["{title}"], "\u{1B}[A", nil), (["{title}"], "é ; #(x) $(x)", [.text("é ; #(x) $(x)")]),
            ([], "", nil),
        ] as [([String], String, [KeyStroke]?)])
    func parts(arguments: [String], title: String, expected: [KeyStroke]?) {
        #expect((try? KeySequence(command(arguments)).expand(task(title: title), payloadFile: "")) == expected)
    }
}

@Suite("TmuxQuoting")
struct TmuxQuotingTests {
    @Test(
        "a trailing ; is no separator",
        arguments: [("a;", "a\\;"), (";", "\\;"), ("a;b", "a;b"), ("a\\;", "a\\\\;"), ("", ""), (";;", ";\\;")])
    func argument(text: String, expected: String) { #expect(TmuxQuoting.argument(text) == expected) }

    @Test("a # is doubled in a format", arguments: [("#(x)", "##(x)"), ("##", "####"), ("a", "a")])
    func format(text: String, expected: String) { #expect(TmuxQuoting.format(text) == expected) }

    @Test("a script holds no byte that means anything")
    func script() {
        let script = String(decoding: TmuxQuoting.script([["a-b", "#{x};\n'\"é"]]), as: UTF8.self)
        #expect(script == "\"a-b\" \"\\043\\173x\\175\\073\\012\\047\\042\\303\\251\" \n")
    }

    @Test(
        "handles are @ and % with a number",
        arguments: [
            ("@3", "@3"), ("%5", "%5"), ("tmux:@3", "@3"), ("tmux:%12", "%12"), ("", nil), ("@", nil), ("3", nil),
            ("@3;kill-server", nil), ("@-1", nil), ("@99999999999", nil), ("@３", nil), ("x11:0x4000", nil), ("$1", nil),
        ] as [(String, String?)])
    func handle(text: String, expected: String?) { #expect(TmuxHandle(text)?.text == expected) }
}
