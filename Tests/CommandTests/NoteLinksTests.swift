import Foundation
import Testing
import UsherJSON

/// Notes with what they link to: from the line, and in the editor.
struct NoteLinksTests {
    private static let crusty = "https://clowntown.example/clowns/crusty"
    private static let bozo = "https://clowntown.example/clowns/bozo"

    private func show(_ usher: UsherProgram, _ note: String = "current") throws -> JSONValue {
        try usher("note", "show", note).json()
    }

    private func targets(_ note: JSONValue) -> [String?] { note["links"]?.elements?.map { $0["target"]?.string } ?? [] }

    private func texts(_ usher: UsherProgram) throws -> [String?] {
        try usher("note", "list").json().elements?.map { $0["text"]?.string } ?? []
    }

    /// What a user looks at.
    private func become(_ usher: UsherProgram, _ more: String...) throws {
        let ending = try usher.run(
            [
                "activity", "become-current", "--session", "clown-1", "--type", "example.clowntown.view-clown",
                "--title", "A clown",
            ] + more)
        #expect(ending.status == 0, "\(ending.errors)")
    }

    private func configured(_ body: (UsherProgram) throws -> Void) throws {
        try UsherProgram.run { original throws in
            var usher = original
            usher.environment["USHER_CONFIG"] = UsherProgram.sampleConfiguration
            try usher.connectClowns()
            try body(usher)
        }
    }

    // MARK: A new one

    @Test func newMayBeLeftOut() throws {
        try UsherProgram.run { usher throws in
            #expect(try usher("note", "Ask Crusty").output.utf8.count == 37)
            #expect(try usher("note", "unmistakable", "--json").json()["note"]?["text"]?.string == "unmistakable")
            #expect(try usher("note", "-", input: "from standard input\n").status == 0)
            #expect(try usher("note", "--link", "x:1", "Linked").status == 0)
            // Two edits away from a command.
            for text in ["milk", "test"] { #expect(try usher("note", text, "--no-link").status == 0, "\(text)") }
            for text in ["serch", "list", "--link"] { #expect(try usher("note", "--", text).status == 0, "\(text)") }
            #expect(try usher("note", "new", "serch it").status == 0)
            #expect(
                try texts(usher) == [
                    "serch it", "--link", "list", "serch", "test", "milk", "Linked", "from standard input",
                    "unmistakable",
                    "Ask Crusty",
                ])
        }
    }

    @Test(arguments: ["serch", "List", "shwo", "apend", "nwe"])
    func aMistypedCommandIsNoNote(_ word: String) throws {
        try UsherProgram.run { usher throws in
            let ending = try usher("note", word)
            #expect(
                ending.status == 2 && ending.errors.contains("U4515 note.subcommand]\nhelp: did you mean usher note"))
            #expect(try usher("note", "list").output == "[]\n")
        }
    }

    @Test func aNewNoteIsLinkedToWhatIsCurrent() throws {
        try configured { usher throws in
            let before = try usher("note", "Nothing is current")
            #expect(before.status == 0 && before.errors == "")
            #expect(targets(try show(usher)) == [])
            try become(usher, "--target", Self.crusty, "--webpage", "https://clowntown.example/crusty.html")
            let made = try usher("note", "Ask him", "--json").json()
            let link = made["links"]?.elements?.first
            #expect(made["links"]?.elements?.count == 1 && made["warnings"] == nil)
            #expect(link?["title"]?.string == "A clown" && link?["app"]?.string == "example.clowntown")
            #expect(
                link?["identifiers"]?.elements?.map { $0["kind"]?.string } == ["targetContentIdentifier", "webpageURL"])
            let shown = try usher("link", "show", link?["id"]?.string ?? "").json()
            #expect(shown["activity"]?["activityType"]?.string == "example.clowntown.view-clown")
            #expect(try usher("note", "By itself", "--no-link").status == 0)
            #expect(targets(try show(usher)) == [])
            #expect(try usher("note", "new", "Another", "--link", Self.bozo).status == 0)
            #expect(targets(try show(usher)) == [Self.bozo])
            // What cannot be linked to prevents no note.
            #expect(try usher("content", "deleted", Self.crusty).status == 0)
            let gone = try usher("note", "About deleted content")
            #expect(gone.status == 0 && gone.errors.contains("U2005"), "\(gone.errors)")
            #expect(try show(usher)["text"]?.string == "About deleted content")
            #expect(targets(try show(usher)) == [])
        }
    }

    @Test func nothingToLinkByIsNoError() throws {
        try configured { usher throws in
            try become(usher)
            let ending = try usher("note", "Without an identifier")
            #expect(ending.status == 0 && ending.errors == "", "\(ending.errors)")
            #expect(targets(try show(usher)) == [])
        }
    }

    // MARK: Text

    @Test func appendedTextIsOnALineOfItsOwn() throws {
        try UsherProgram.run { usher throws in
            #expect(try usher("note", "new", "first").status == 0)
            let answer = try usher("note", "append", "current", "two #Tag").json()
            #expect(answer["text"]?.string == "first\ntwo #Tag" && answer["line"]?.int64 == 2)
            #expect(answer["tags"]?.elements?.map(\.string) == ["tag"])
            #expect(try usher("note", "append", "current", "-", input: "three\nfour\n").status == 0)
            #expect(try show(usher)["text"]?.string == "first\ntwo #Tag\nthree\nfour")
            for text in ["", " \n", String(repeating: "x", count: 120_000)] {
                let repeated = text.count > 9 ? String(repeating: text, count: 10) : text
                let ending = try usher("note", "append", "current", "-", input: repeated + "\n")
                #expect(ending.status == 2 && ending.errors.contains("note.text"), "\(ending.errors)")
            }
            #expect(try usher("note", "append", "0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20", "x").status == 2)
        }
    }

    // MARK: The editor

    /// Edits the note in progress with `script`, which has its file as `$1`.
    private func edit(_ usher: UsherProgram, _ script: String, _ note: String = "current") throws -> UsherProgram.Ending
    {
        var usher = usher
        try usher.writeProgram("#!/bin/sh\n\(script)\n", to: "editor")
        usher.environment["EDITOR"] = usher.path("editor")
        return try usher("note", "edit", note)
    }

    private func text(_ usher: UsherProgram, _ name: String) throws -> String {
        try String(contentsOfFile: usher.path(name), encoding: .utf8)
    }

    @Test func linksAreLinesInTheEditor() throws {
        try UsherProgram.run { usher throws in
            #expect(try usher("note", "The text\n", "--link", Self.crusty, "--link", "x:a b").status == 0)
            let first = try show(usher)
            #expect(try edit(usher, "cp \"$1\" seen").status == 0)
            #expect(
                try text(usher, "seen") == """
                    The text

                    <!-- links -->
                    - [\(Self.crusty)](\(Self.crusty))
                    - [x:a b](<x:a b>)

                    """)
            #expect(try show(usher) == first)
            // Removed, renamed, added.
            let edited = try edit(
                usher, #"sed -i -e '/x:a b/d' -e 's/\[http[^]]*\]/[Crusty]/' "$1"; echo '* \#(Self.bozo)' >> "$1""#)
            #expect(edited.status == 0 && edited.errors == "", "\(edited.errors)")
            let after = try show(usher)
            #expect(after["text"]?.string == "The text\n" && targets(after) == [Self.crusty, Self.bozo])
            #expect(after["links"]?.elements?.map { $0["title"]?.string } == ["Crusty", nil])
            #expect(after["links"]?.elements?.first?["id"] == first["links"]?.elements?.first?["id"])
            #expect(try usher("note", "search", "crusty").json().elements?.count == 1)
            // CR LF, another order, and text.
            let windows = try edit(
                usher,
                #"{ printf 'New\n\n'; sed '1,2d' "$1" | (read -r m; echo "$m"; tac); } | sed 's/$/\r/' > new; mv new "$1""#
            )
            #expect(windows.status == 0 && windows.errors == "", "\(windows.errors)")
            #expect(try show(usher)["text"]?.string == "New")
            #expect(try show(usher)["links"] == after["links"])
            // From the line, links are left alone.
            #expect(try usher("note", "edit", "current", "--text", "a\n<!-- links -->").status == 0)
            #expect(try show(usher)["links"] == after["links"])
            #expect(try edit(usher, "true").status == 0)
            #expect(try show(usher)["text"]?.string == "a\n<!-- links -->")
        }
    }

    @Test func damagedLinesAreTextAndNothingIsRemoved() throws {
        try UsherProgram.run { usher throws in
            #expect(try usher("note", "The text", "--link", Self.crusty, "--link", Self.bozo).status == 0)
            let links = try show(usher)["links"]
            let damaged = try edit(usher, #"sed -i -e '/bozo/d' -e 's/crusty)/crusty/' "$1""#)
            #expect(damaged.status == 0 && damaged.errors.contains("[U4517 note.link-line]"), "\(damaged.errors)")
            #expect(try show(usher)["text"]?.string == "The text\n- [\(Self.crusty)](\(Self.crusty)")
            #expect(try show(usher)["links"] == links)
            let unread = try edit(usher, #"sed -i -e '/<!--/d' "$1""#)
            #expect(unread.status == 0 && unread.errors.contains("[U4516 note.links-unread]"), "\(unread.errors)")
            #expect(try show(usher)["links"] == links)
            #expect(try show(usher)["text"]?.string?.hasSuffix("](\(Self.bozo))") == true)
        }
    }

    @Test func linksOfOthersStay() throws {
        try UsherProgram.run { usher throws in
            #expect(try usher("note", "The text", "--link", "x:1", "--link", "x:2").status == 0)
            // While the editor is open, a link is added, another one removed, and the text changed.
            let other = """
                usher link add --note current --target x:3 >/dev/null
                usher link remove "$(usher link list --target x:2 --json | sed -n 's/.*{"id":"\\([^"]*\\)".*/\\1/p')" >/dev/null
                """
            #expect(try edit(usher, other + "\nsed -i '/x:1/d' \"$1\"").status == 0)
            #expect(targets(try show(usher)) == ["x:3"])
            let links = try edit(usher, "usher note edit current --text theirs >/dev/null; echo x:4 >> \"$1\"")
            #expect(links.status == 0, "\(links.errors)")
            #expect(try show(usher)["text"]?.string == "theirs")
            #expect(targets(try show(usher)) == ["x:3", "x:4"])
            // All or nothing.
            #expect(try usher("content", "deleted", "x:gone").status == 0)
            let refused = try edit(usher, "sed -i -e 's/theirs/mine/' -e '/x:3/d' \"$1\"; echo x:gone >> \"$1\"")
            #expect(refused.status == 2 && refused.errors.contains("U2005") && refused.errors.contains("kept-1.md"))
            #expect(try show(usher)["text"]?.string == "theirs")
            #expect(targets(try show(usher)) == ["x:3", "x:4"])
        }
    }

    @Test func anEditingThatWasCutShortKnowsItsLinks() throws {
        try UsherProgram.run { usher throws in
            let id = try usher("note", "The text", "--link", "x:1").output.trimmingCharacters(in: .newlines)
            #expect(try edit(usher, "sed -i '/x:1/d' \"$1\"; kill -9 $PPID").status == -9)
            #expect(try edit(usher, "true").status == 0)
            #expect(targets(try show(usher)) == [])
            #expect(try edit(usher, "echo more >> \"$1\"; kill -9 $PPID").status == -9)
            #expect(try usher("link", "add", "--note", "current", "--target", "x:2").status == 0)
            let later = try edit(usher, "true")
            #expect(later.status == 0 && later.errors.contains("\(id).kept-1.md"), "\(later.errors)")
            #expect(targets(try show(usher)) == ["x:2"])
        }
    }
}
