import Foundation
import Testing

/// What shells complete: the program's answers, and the real completion of each shell.
struct CompletionTests {
    struct Case: CustomTestStringConvertible {
        var line: String
        var expected: [String]
        var absent: [String]
        var takesFiles: Bool

        init(_ line: String, _ expected: [String], absent: [String] = [], takesFiles: Bool = false) {
            (self.line, self.expected, self.absent, self.takesFiles) = (line, expected, absent, takesFiles)
        }

        var testDescription: String { "\"\(line)\"" }
    }

    /// What fish is answered: values, a tab, and what they are called.
    static let cases = [
        Case("usher disp", ["dispatch\tshow each payload in its window, and say why there"], absent: ["deliveries"]),
        Case("usher ", ["scene\tthe sessions of windows", "deliveries", "completion"]),
        Case("usher scene co", ["connect", "content"], absent: ["close"]),
        Case("usher scene connect --pre", ["--prefers"]),
        Case("usher scene connect --app x --a", [], absent: ["--app"]),
        Case("usher --state x scene ", ["list", "connect", "update"]),
        Case("usher check --format ", ["text", "json", "junit", "github"], absent: ["apns"]),
        Case("usher check --format=j", ["--format=json", "--format=junit"], absent: ["json"]),
        Case("usher deliveries list --only fa", ["failed"]),
        Case("usher scene connect --log-level w", ["warning"]),
        Case("usher --vers", ["--version"]),
        Case("usher help scene f", ["focus"]),
        Case("usher dispatch pay", [], takesFiles: true),
        Case("usher check --config ", [], takesFiles: true),
        Case("usher note ", ["new", "list"]),
        Case("usher note -- ", [], absent: ["new"]),
        Case("usher chekc ", []),
        Case("usher scene list extra ", []),
        // Of the configuration.
        Case("usher open --app ", ["test.app\tTest App", "example.other"]),
        Case("usher open --app te", ["test.app\tTest App"], absent: ["example.other"]),
        Case("usher open --app=t", ["--app=test.app\tTest App"]),
        Case("usher hook add --app ", ["test.app\tTest App"]),
        Case("usher scene new --app test.app --scene ", ["main\tTest App", "clown"], absent: ["other"]),
        Case("usher hook log ", ["reviews\t/hooks/reviews"]),
        Case("usher target build cl", ["clown\ttest:clown/{name}"]),
        Case("usher shortcut perform ", ["tab:new\tNew Tab", "dynamic\tDynamic One"]),
        Case("usher shortcut perform tab:", ["tab:new\tNew Tab"]),
        Case("usher shortcut remove ", ["dynamic\tDynamic One"], absent: ["tab:new"]),
        Case("usher open --config other.toml --app ", ["only.other\tonly.other"], absent: ["test.app"]),
        Case("usher open --config ~/'other.toml' --app ", ["only.other\tonly.other"], absent: ["test.app"]),
        Case("usher open --config nowhere --app ", []),
        Case("usher open --config broken.toml --app ", []),
        // Of the store.
        Case("usher scene focus ", ["main:1\tCrusty's", "s two\ttest:two"]),
        Case("usher scene focus main:", ["main:1\tCrusty's"], absent: ["s two"]),
        Case("usher scene close main:1 ", []),
        Case("usher activity resign --session s\\ ", ["s two\ttest:two"], absent: ["main:1"]),
        Case("usher scene focus --state elsewhere ", [], absent: ["main:1"]),
        Case("usher notification remove --pending ", ["break\tday 09:00"]),
        Case("usher notification remove --delivered ", [], absent: ["break"]),
        Case("usher note show c", ["current"]),
        // Of the program.
        Case("usher hook add gith", ["github"], absent: ["gitlab"]),
        Case("usher completion ", ["bash", "zsh", "fish"]),
        Case("usher suggest ", ["place", "app"]),
        Case("usher perform ", ["place", "call"]),
    ]

    /// A configuration, two sessions, a dynamic item and a notification.
    private static func run(_ body: (UsherProgram) throws -> Void) throws {
        try UsherProgram.run { usher throws in
            try usher.write(
                """
                id = "test.app"
                name = "Test App"
                targets = { clown = "test:clown/{name}" }
                [[scenes]]
                name = "main"
                [[scenes]]
                name = "clown"
                [[shortcuts]]
                type = "tab:new"
                title = "New Tab"
                """, to: "config/usher/apps/test.toml")
            try usher.write(
                "id = \"example.other\"\n[[scenes]]\nname = \"other\"\n", to: "config/usher/apps/other.toml")
            try usher.write(
                """
                [hooks.reviews]
                signature = { scheme = "none" }
                app = "test.app"
                target = "test:x"
                """, to: "config/usher/usher.toml")
            try usher.write("id = \"only.other\"\n[[scenes]]\nname = \"main\"\n", to: "other.toml")
            try usher.write("id = ", to: "broken.toml")
            try usher.write("", to: "payloads.jsonl")
            try usher.write(
                #"[{"type":"dynamic","localizedTitle":"Dynamic One"}]"#, to: "items.json")
            for arguments in [
                [
                    "scene", "connect", "--app", "test.app", "--scene", "main", "--session", "main:1", "--title",
                    "Crusty's",
                ],
                [
                    "scene", "connect", "--app", "test.app", "--scene", "clown", "--session", "s two", "--target",
                    "test:two",
                ],
                ["shortcut", "set", "--app", "test.app", "items.json"],
                ["notification", "schedule", "--every", "day 09:00", "--id", "break", #"{"aps":{"alert":"Break"}}"#],
            ] {
                let ending = try usher.run(arguments)
                #expect(ending.status == 0, "\(ending.errors)")
            }
            try body(usher)
        }
    }

    @Test func answers() throws {
        try Self.run { usher throws in
            let store = FileManager.default.contents(atPath: usher.path("state/usher/usher.db"))
            for one in Self.cases {
                let ending = try usher("completion", "fish", one.line)
                #expect(ending.status == 0 && ending.errors.isEmpty, "\(one): \(ending.errors)")
                let lines = ending.lines
                #expect(lines.first == (one.takesFiles ? "files" : "words"), "\(one)")
                for line in one.expected {
                    // The summary counts where it is given.
                    let isThere = lines.contains { $0 == line || !line.contains("\t") && $0.hasPrefix(line + "\t") }
                    #expect(isThere, "\(one): \(line) in \(lines)")
                }
                for word in one.absent {
                    #expect(!lines.contains { $0 == word || $0.hasPrefix(word + "\t") }, "\(one): \(word) in \(lines)")
                }
                if one.expected.isEmpty { #expect(lines.count == 1, "\(one): \(lines)") }
            }
            #expect(!usher.exists("elsewhere"), "completing makes no store")
            #expect(FileManager.default.contents(atPath: usher.path("state/usher/usher.db")) == store)
            #expect(usher.text("state/usher/usherd.lock").isEmpty, "completing starts no engine")
        }
    }

    @Test(
        "the configuration of a usherd that runs counts, unless the line names another; the sessions are those of its store"
    )
    func beside() throws {
        try Self.run { usher throws in
            try usher.withDaemon(config: usher.path("other.toml")) {
                #expect(
                    try usher("completion", "fish", "usher open --app ").lines == ["words", "only.other\tonly.other"])
                let named = try usher("completion", "fish", "usher open --config config/usher --app t")
                #expect(named.lines == ["words", "test.app\tTest App"])
                #expect(try usher("completion", "fish", "usher scene focus m").lines == ["words", "main:1\tCrusty's"])
            }
        }
    }

    /// Words whose completion is unique, as shells put them on the line.
    static let typed = [
        ("usher disp", "usher dispatch "),
        ("usher open --app te", "usher open --app test.app "),
        ("usher open --app=te", "usher open --app=test.app "),
        ("usher scene focus main:", "usher scene focus main:1 "),
        ("usher scene focus m", "usher scene focus main:1 "),
        ("usher scene focus s", #"usher scene focus s\ two "#),
        ("usher shortcut perform tab:n", "usher shortcut perform tab:new "),
        ("usher dispatch pay", "usher dispatch payloads.jsonl "),
        ("usher hook add gith", "usher hook add github "),
        (#"usher scene focus "s t"#, #"usher scene focus "s two" "#),
        ("usher check --config=oth", "usher check --config=other.toml "),
    ]

    @Test(arguments: typed)
    func bashCompletes(_ typed: String, expected: String) throws {
        #expect(try Self.completed(typed, by: "bash").line == expected)
    }

    @Test(arguments: typed)
    func zshCompletes(_ typed: String, expected: String) throws {
        let line = try Self.completed(typed, by: "zsh").line
        // It writes the blank after a word only when another one follows.
        #expect(line.trimmingCharacters(in: .whitespaces) == expected.trimmingCharacters(in: .whitespaces))
    }

    @Test func zshShowsTitles() throws {
        let shown = try Self.completed("usher scene focus ", by: "zsh").shown
        #expect(shown.contains("main:1  -- Crusty's") && shown.contains("s two   -- test:two"), "\(shown)")
    }

    /// The line after a tab, in a shell on a terminal, and what this showed.
    private static func completed(_ typed: String, by shell: String) throws -> (line: String, shown: String) {
        let (command, settings) =
            shell == "bash"
            ? (
                "bash --noprofile --rcfile .zshrc -i",
                #"bind -x '"\C-g": printf %s "$READLINE_LINE" > line; exit'"#
            )
            : (
                "zsh -i",
                """
                autoload -Uz compinit; compinit -u -D
                finish() { printf %s "$BUFFER" > line; exit }; zle -N finish; bindkey '^G' finish
                """
            )
        var result = ("", "")
        try run { usher throws in
            try usher.write("\(settings)\nsource <(usher completion \(shell))\n", to: ".zshrc")
            try usher.write("\(typed)\t\u{7}", to: "keys")
            let ending = try usher.shell("timeout 30 script -qec '\(command)' /dev/null < keys")
            #expect(usher.exists("line"), "\(ending.output) \(ending.errors)")
            result = (usher.text("line"), ending.output)
        }
        return result
    }

    @Test func fishCompletes() throws {
        try Self.run { usher throws in
            for (typed, expected) in [
                ("usher disp", "dispatch\tshow each payload in its window, and say why there"),
                ("usher open --app te", "test.app\tTest App"), ("usher open --app=te", "--app=test.app\tTest App"),
                ("usher scene focus main:", "main:1\tCrusty's"), ("usher scene focus s", "s two\ttest:two"),
                ("usher shortcut perform tab:n", "tab:new\tNew Tab"), ("usher dispatch pay", "payloads.jsonl"),
                ("usher scene connect --pre", "--prefers\twhat should come to it; by default what the manifest says"),
                ("usher dispatch --app=x pay", "payloads.jsonl"), ("usher check --config=oth", "--config=other.toml"),
            ] {
                let ending = try usher.shell(
                    "fish --no-config -c 'usher completion fish | source; complete -C \"\(typed)\"'")
                #expect(ending.lines == [expected], "\(typed): \(ending.output) \(ending.errors)")
            }
        }
    }

    @Test("bash's function completes without readline's own variables, too")
    func bashFunction() throws {
        try Self.run { usher throws in
            try usher.write(
                """
                source <(usher completion bash)
                COMP_WORDS=(usher dispatch pay)
                COMP_CWORD=2
                _usher
                printf '%s\\n' "${COMPREPLY[@]}"
                """, to: "complete.sh")
            let ending = try usher.shell("bash complete.sh")
            #expect(ending.errors.isEmpty && ending.lines == ["payloads.jsonl"], "\(ending)")
        }
    }

    @Test func everyCommandIsCompleted() throws {
        try UsherProgram.run { usher throws in
            for command in HelpTests.commands {
                var path = "usher "
                for word in command {
                    let lines = try usher("completion", "bash", path).lines
                    #expect(lines.contains(word), "\(command)")
                    path += word + " "
                }
            }
        }
    }

    @Test func otherShellIsNamed() throws {
        try UsherProgram.run { usher throws in
            let ending = try usher("completion", "bsh")
            #expect(ending.status == 2)
            #expect(ending.errors.contains("did you mean bash?"))
        }
    }
}
