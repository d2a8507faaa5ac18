import Foundation
import TestSupport
import Testing
import UsherJSON

/// `usher note …`: from the first word to the window in tmux.
struct NotesTests {
    /// A note's id.
    private func new(_ usher: UsherProgram, _ text: String, _ more: String...) throws -> String {
        let ending = try usher.run(["note", "new", text] + more)
        #expect(ending.status == 0, "\(ending.errors)")
        return ending.output.trimmingCharacters(in: .newlines)
    }

    private func show(_ usher: UsherProgram, _ note: String) throws -> JSONValue {
        try usher("note", "show", note).json()
    }

    @Test func twoExportsOfTheSameAreEqual() throws {
        try UsherProgram.run { usher throws in
            _ = try new(usher, "Ask Crusty", "--link", "https://clowntown.example/clowns/crusty")
            let first = try usher("note", "export").output
            #expect(try usher("note", "export").output == first)
            #expect(first.split(separator: "\n").count == 4)
        }
    }

    private func states(_ usher: UsherProgram) throws -> [String] {
        (try usher("note", "list").json().elements ?? []).map {
            "\($0["title"]?.string ?? "") \($0["state"]?.string ?? "")"
        }
    }

    /// A program of this name that edits its last argument, with `script`; leaves its arguments in `arguments`.
    private func editor(_ usher: inout UsherProgram, _ script: String, name: String = "vi") throws {
        try usher.writeProgram(
            "#!/bin/sh\nfor file; do :; done\nprintf '%s\\n' \"$@\" > '\(usher.folder)/arguments'\n\(script)\n",
            to: "editors/\(name)")
        usher.environment["EDITOR"] = usher.path("editors/\(name)")
    }

    private func text(_ usher: UsherProgram, _ name: String) -> String {
        (try? String(contentsOfFile: usher.path(name), encoding: .utf8)) ?? ""
    }

    private func files(_ usher: UsherProgram) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: usher.path("state/usher/notes"))) ?? []).sorted()
    }

    // MARK: States

    @Test func lifeOfANote() throws {
        try UsherProgram.run { usher throws in
            #expect(try usher("note", "list").output == "[]\n")
            #expect(!usher.exists("state"))
            let first = try new(usher, "First")
            let second = try new(
                usher, "Second\nmore", "--link", "https://a.example/x", "--link", "https://a.example/x")
            #expect(try states(usher) == ["Second current", "First aside"])
            let note = try show(usher, "current")
            #expect(note["id"]?.string == second && note["target"]?.string == "usher-note:\(second)")
            #expect(note["text"]?.string == "Second\nmore" && note["line"]?.int64 == 1)
            #expect(note["links"]?.elements?.map { $0["target"]?.string } == ["https://a.example/x"])
            #expect(try usher("note", "list").json().elements?.map { $0["link_count"]?.int64 } == [1, 0])

            #expect(try usher("note", "aside").json()["state"]?.string == "aside")
            #expect(try usher("note", "aside").errors.contains("usher note resume"))
            #expect(try usher("note", "show", "current").status == 2)
            #expect(try usher("note", "resume").json()["id"]?.string == second)
            #expect(try usher("note", "resume", "usher-note:\(first)").json()["state"]?.string == "current")
            #expect(try usher("note", "done").json()["id"]?.string == first)
            #expect(try usher("note", "list", "--only", "aside").json().elements?.map { $0["id"]?.string } == [second])
            #expect(try usher("note", "list", "--limit", "1", "--before", first).json().elements?.count == 1)
            #expect(try usher("note", "delete", second).json()["state"]?.string == "deleted")
            for verb in ["show", "resume", "done", "aside", "delete", "open", "edit"] {
                let gone = try usher("note", verb, second)
                #expect(gone.status == 2 && gone.errors.contains("there is no note \(second)"), "\(verb): \(gone)")
            }
        }
    }

    @Test(arguments: [
        (["note", "new", ""], "cannot be empty"), (["note", "new", " \n\t"], "cannot be empty"),
        (["note", "new"], "needs a text"), (["note", "show", "nonsense"], "there is no note \"nonsense\""),
        (["note", "show", "usher-note:"], "there is no note"), (["note", "list", "--limit", "0"], "1 to 1000"),
        (["note", "list", "--only", "open"], "aside"), (["note", "new", "x", "--attach", "/nowhere/x"], "/nowhere/x"),
        (["note", "new", "x", "--attach", "sha256:abc"], "sha256:abc"),
        (["note", "new", "x", "--attach", "/dev"], "/dev"),
        (["note", "new", "x", "--link", ""], "cannot be empty"),
        (["note", "edit", "current", "--line", "0"], "--line"),
        (["note", "list", "--before", "nonsense"], "there is no note \"nonsense\""),
        (["note", "search", "x", "--limit", "1001"], "1 to 1000"),
        (["note", "import", "/nowhere/notes.jsonl"], "/nowhere/notes.jsonl"),
        (["note", "new", "x", "--link", String(repeating: "x", count: 17_000)], "16384"),
    ])
    func refusals(_ words: [String], _ expected: String) throws {
        try UsherProgram.run { usher throws in
            let ending = try usher.run(words)
            #expect(ending.status == 2, "\(ending)")
            #expect(ending.errors.contains(expected) && ending.errors.contains("\nhelp: "), "\(ending.errors)")
            #expect(try usher("note", "list").output == "[]\n")
        }
    }

    @Test func standardInput() throws {
        try UsherProgram.run { usher throws in
            let ending = try usher("note", "new", "-", "--json", input: "one\ntwo\n\n")
            #expect(ending.json()["note"]?["text"]?.string == "one\ntwo\n")
            #expect(try usher("note", "new", "-", input: String(repeating: "x", count: 1 << 20)).status == 0)
            let long = try usher("note", "new", "-", input: String(repeating: "x", count: 1 << 20) + "y")
            #expect(long.status == 2 && long.errors.contains("1048576 bytes"), "\(long.errors)")
            let bytes = try usher.run(["note", "new", "-"], input: Data([0xff, 0xfe, 0x41]))
            #expect(bytes.status == 2 && bytes.errors.contains("UTF-8"))
            let nul = try usher.run(["note", "new", "-"], input: Data("a\u{0}b".utf8))
            #expect(nul.status == 2 && nul.errors.contains("NUL"), "\(nul.errors)")
            #expect(try states(usher).count == 2)
        }
    }

    @Test func attachments() throws {
        try UsherProgram.run { usher throws in
            try usher.write("abc", to: "a file.txt")
            let digest = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            let note = try new(usher, "x", "--attach", "a file.txt", "--attach", digest)
            let found = try show(usher, note)["attachments"]?.elements ?? []
            #expect(found.map { $0["digest"]?.string } == [digest, digest])
            #expect(found.first?["path"]?.string?.hasSuffix("/a file.txt") == true)
            #expect(found.first?["size"]?.int64 == 3 && found.last?["size"]?.kind == .null)
            try usher.write("abcd", to: "a file.txt")
            let again = try usher("note", "attach", note, "a file.txt").json()["attachments"]?.elements ?? []
            #expect(again.map { $0["size"]?.int64 ?? -1 } == [-1, 4])
        }
    }

    // MARK: The editor

    @Test func whatTheEditorWroteIsTheNote() throws {
        try UsherProgram.run { given throws in
            var usher = given
            let note = try new(usher, "one\ntwo\nthree")
            try editor(&usher, "stat -c %a \"$file\" > mode; sed -i 's/two/2/' \"$file\"")
            let ending = try usher("note", "edit", note)
            #expect(ending.status == 0, "\(ending.errors)")
            let path = usher.path("state/usher/notes/\(note).md").replacingOccurrences(of: "//", with: "/")
            #expect(text(usher, "arguments") == path + "\n")
            #expect(text(usher, "mode") == "600\n")
            #expect(try show(usher, note)["text"]?.string == "one\n2\nthree")
            #expect(try show(usher, note)["line"]?.int64 == 2)
            #expect(files(usher) == [])
            // The same file, where one was; nothing is changed.
            try editor(&usher, "")
            let before = try show(usher, note)
            #expect(try usher("note", "edit", "usher-note:\(note)").status == 0)
            #expect(text(usher, "arguments") == "+2\n\(path)\n")
            #expect(try show(usher, note) == before)
            // Words, but no shell; and an editor that takes no line.
            try editor(&usher, "", name: "myedit")
            usher.environment["VISUAL"] = usher.path("editors/myedit") + "  --wait '$HOME'"
            #expect(try usher("note", "edit", note, "--line", "3").status == 0)
            #expect(text(usher, "arguments") == "--wait\n'$HOME'\n\(path)\n")
            #expect(try usher("note", "edit", note, "--text", "-", "--line", "7", input: "new\n").status == 0)
            #expect(try show(usher, note)["line"]?.int64 == 7)
        }
    }

    @Test(arguments: [
        ("exit 3", "status 3", false), ("echo lost >> \"$file\"; exit 1", "status 1", true),
        ("printf '\\377' >> \"$file\"", "UTF-8", true), ("printf 'a\\0b' > \"$file\"", "NUL", true),
        (": > \"$file\"", "empty", false), ("rm \"$file\"", "cannot open", false),
        ("echo lost >> \"$file\"; kill -9 $$", "SIGKILL (9)", true),
        ("yes | head -c 1100000 > \"$file\"", "1048576", true),
        ("echo lost >> \"$file\"; mv '{state}/usher.db' '{state}/usher.away'; mkdir '{state}/usher.db'", "store", true),
    ])
    func whatCannotBeSavedIsKept(_ script: String, _ expected: String, _ isKept: Bool) throws {
        try UsherProgram.run { given throws in
            var usher = given
            let note = try new(usher, "as it was")
            try editor(&usher, script.replacingOccurrences(of: "{state}", with: usher.path("state/usher")))
            let ending = try usher("note", "edit", note)
            #expect(ending.status == 1 || ending.status == 2, "\(ending)")
            #expect(ending.errors.contains(expected) && ending.errors.contains("help: "), "\(ending.errors)")
            let kept = "\(note).kept-1.md"
            #expect(files(usher) == (isKept ? [kept] : []), "\(ending.errors)")
            #expect(ending.errors.contains("/state/usher/notes/" + kept) == isKept, "\(ending.errors)")
            if !expected.contains("store") { #expect(try show(usher, note)["text"]?.string == "as it was") }
        }
    }

    @Test func theSecondOfTwoEditorsIsRefused() throws {
        try UsherProgram.run { given throws in
            var usher = given
            let note = try new(usher, "base")
            // The first editor, while it is open, has the note edited by a second one.
            try editor(&usher, "echo second >> \"$file\"; basename \"$file\" > second", name: "two")
            let second = usher.environment["EDITOR"] ?? ""
            try editor(
                &usher,
                "echo first >> \"$file\"; EDITOR='\(second)' usher note edit \(note) || echo failed > second")
            let ending = try usher("note", "edit", note)
            #expect(ending.status == 2, "\(ending)")
            #expect(ending.errors.contains("was changed meanwhile"), "\(ending.errors)")
            #expect(try show(usher, note)["text"]?.string == "base\nsecond")
            #expect(text(usher, "second").hasPrefix("\(note).") && text(usher, "second") != "\(note).md\n")
            #expect(files(usher) == ["\(note).kept-1.md"])
            #expect(text(usher, "state/usher/notes/\(note).kept-1.md") == "base\n\n<!-- links -->\nfirst\n")
        }
    }

    @Test func anEditingThatWasCutShortGoesOn() throws {
        try UsherProgram.run { given throws in
            var usher = given
            let note = try new(usher, "base")
            func cutShort(_ line: String) throws {
                try editor(&usher, "echo \(line) >> \"$file\"; kill -9 $PPID")
                #expect(try usher("note", "edit", note).status == -9)
                #expect(files(usher).contains("\(note).md"))
            }
            try cutShort("unsaved")
            try editor(&usher, "echo more >> \"$file\"")
            let ending = try usher("note", "edit", note)
            #expect(ending.status == 0 && ending.errors.contains("cut short"), "\(ending.errors)")
            #expect(try show(usher, note)["text"]?.string == "base\nunsaved\nmore")
            #expect(files(usher) == [])
            // A file whose note was changed since is put away, however late it was written.
            try cutShort("mine")
            #expect(try usher("note", "edit", note, "--text", "theirs").status == 0)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: 3600)],
                ofItemAtPath: usher.path("state/usher/notes/\(note).md"))
            try editor(&usher, "")
            let other = try usher("note", "edit", note)
            #expect(other.status == 0 && other.errors.contains("kept-1.md"), "\(other.errors)")
            #expect(try show(usher, note)["text"]?.string == "theirs")
            #expect(
                text(usher, "state/usher/notes/\(note).kept-1.md")
                    == "base\nunsaved\nmore\n\n<!-- links -->\nmine\n")
        }
    }

    @Test func anEditorThatIsNotThere() throws {
        try UsherProgram.run { given throws in
            var usher = given
            let note = try new(usher, "x")
            usher.environment["EDITOR"] = "no-such-editor --wait"
            let ending = try usher("note", "edit", note)
            #expect(ending.status == 2 && ending.errors.contains("no-such-editor"), "\(ending.errors)")
            #expect(files(usher) == [])
        }
    }

    // MARK: Windows

    @Test func aNoteHasAWindowWithoutAnyConfiguration() throws {
        try UsherProgram.run { given throws in
            var usher = given
            try editor(&usher, "cat \"$file\"; read -r _")
            let note = try new(usher, "In a window\nof its own")
            let other = try new(usher, "Another")
            func open(_ words: String...) throws -> JSONValue {
                let ending = try usher.run(["note", "open"] + words)
                #expect(ending.status == 0, "\(ending.errors) \(ending.output)")
                return ending.json()
            }
            let first = try open(note)
            #expect(first["action"]?.string == "launch" && first["app"]?.string == "usher.notes", "\(first)")
            #expect(first["target"]?.string == "usher-note:\(note)")
            #expect(
                try eventually {
                    try usher.shell("tmux capture-pane -p -t '\(first["handle"]?.string ?? "usher:")'").output.contains(
                        "In a window")
                })
            #expect(
                try eventually { try usher("scene", "list").json().elements?.first?["title"]?.string == "In a window" })
            let again = try open(note)
            #expect(again["action"]?.string == "focus" && again["session"] == first["session"], "\(again)")
            let second = try open("current")
            #expect(second["action"]?.string == "launch" && second["session"] != first["session"])
            #expect(second["target"]?.string == "usher-note:\(other)")
            #expect(try usher.shell("tmux list-windows -a | wc -l").output.contains("2"))
        }
    }

    /// The hooks of editors run in the window of a note as in any other.
    @Test func theHookOfAnEditorTellsNothingOfANote() throws {
        try UsherProgram.run { given throws in
            var usher = given
            let hook = Repository.path + "/Config/ready/usher-shows"
            try editor(
                &usher,
                """
                USHER_READY_LOG='\(usher.folder)/log' '\(hook)' --type desktop.editor.edit "file://$file" \\
                    >'\(usher.folder)/said' 2>&1
                echo $? >> '\(usher.folder)/said'
                usher activity become-current --session $USHER_SESSION --type desktop.editor.edit 2>'\(usher.folder)/direct'
                echo done >> '\(usher.folder)/said'
                read -r _
                """)
            let note = try new(usher, "In front")
            let opened = try usher("note", "open", note).json()
            #expect(opened["action"]?.string == "launch", "\(opened)")
            #expect(eventually { text(usher, "said") == "0\ndone\n" })
            #expect(text(usher, "log") == "")
            let session = try usher("scene", "list").json().elements?.first
            #expect(session?["prefers"]?.string == "SELF == \"usher-note:\(note)\"", "\(session ?? .null)")
            // A request that is made all the same gets an error with the remedy.
            let direct = text(usher, "direct")
            #expect(
                direct.contains("U4501") && !direct.contains("built-in:") && direct.contains("\nhelp: report"),
                "\(direct)")
        }
    }

    @Test func besideAConfiguration() throws {
        try UsherProgram.run { usher throws in
            let config = ["--config", UsherProgram.sampleConfiguration]
            let note = try new(usher, "x")
            let explained = try usher.run(["explain", "usher-note:\(note)"] + config)
            #expect(explained.status == 0, "\(explained.errors)")
            #expect(explained.json()["owner"]?.string == "owns the scheme usher-note:")
            #expect(explained.json()["app"]?.string == "usher.notes")
            let missing = "usher-note:017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
            let opened = try usher.run(["open", missing] + config)
            #expect(opened.status == 2 && opened.errors.contains("there is no note"), "\(opened)")
            // The built-in app of notes is not listed with the configured apps.
            for words in [
                ["check"], ["shortcut", "list"], ["scene", "connect", "--scene", "x"], ["target", "match", missing],
            ] {
                let ending = try usher.run(words + config)
                #expect(!(ending.output + ending.errors).contains("usher.notes"), "\(words): \(ending)")
            }
        }
    }

    @Test func aManifestTakesThePlaceOfTheBuiltInApp() throws {
        try UsherProgram.run { usher throws in
            try usher.write(
                "id = \"example.notes\"\nschemes = [\"usher-note\"]\n[[scenes]]\nname = \"note\"\n"
                    + "launch = { exec = [\"sh\", \"-c\", \"printf %s \\\"$1\\\" > '\(usher.folder)/opened'\", \"--\", \"{target}\"] }\n",
                to: "config/usher/apps/notes.toml")
            let note = try new(usher, "x")
            let ending = try usher("note", "open", note)
            #expect(ending.json()["app"]?.string == "example.notes", "\(ending)")
            #expect(eventually { text(usher, "opened") == "usher-note:\(note)" })
        }
    }
}
