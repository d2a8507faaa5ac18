import Foundation
import Testing
import UsherJSON

/// `usher link add|show|list|remove|suggest`, as a user types it.
struct LinksTests {
    private static let crusty = "https://clowntown.example/clowns/crusty"
    private static let configured = ["--config", UsherProgram.sampleConfiguration]

    private func note(_ usher: UsherProgram, _ text: String) throws -> String {
        let ending = try usher("note", "new", text)
        #expect(ending.status == 0, "\(ending.errors)")
        return ending.output.trimmingCharacters(in: .newlines)
    }

    private func add(_ usher: UsherProgram, _ arguments: String...) throws -> UsherProgram.Ending {
        try usher.run(["link", "add"] + arguments + Self.configured)
    }

    @Test func lifeOfALink() throws {
        try UsherProgram.run { usher throws in
            let note = try note(usher, "Ask Crusty about the pie")
            let added = try add(
                usher, "--note", "current", "--target", Self.crusty, "--title", "Crusty", "--webpage",
                "https://clowntown.example/crusty.html")
            #expect(added.status == 0, "\(added.errors)")
            let id = added.output.trimmingCharacters(in: .newlines)
            #expect(id.utf8.count == 36)
            let shown = try usher("link", "show", id).json()
            #expect(shown["note"]?.string == note)
            #expect(shown["title"]?.string == "Crusty")
            #expect(shown["target"]?.string == Self.crusty)
            #expect(shown["resolved"]?.string == Self.crusty)
            #expect(shown["webpage"]?.string == "https://clowntown.example/crusty.html")
            #expect(
                shown["identifiers"]?.elements?.map { $0["kind"]?.string } == [
                    "targetContentIdentifier", "webpageURL",
                ])
            #expect(try usher("link", "list", "--note", note).json().elements?.map { $0["id"]?.string } == [id])
            #expect(try usher("link", "list", "--target", Self.crusty).json().elements?.count == 1)
            #expect(try usher("link", "list", "--target", Self.crusty + "/").json().elements?.count == 0)
            for target in [Self.crusty, "https://clowntown.example/crusty.html"] {
                let found = try usher("link", "suggest", "--target", "x:y", "--target", target, "--json").json()
                #expect(found.elements?.count == 1)
                let suggestion = found.elements?.first
                #expect(suggestion?["note"]?.string == note)
                #expect(suggestion?["target"]?.string == "usher-note:" + note)
                #expect(suggestion?["text"]?.string == "Ask Crusty about the pie")
                #expect(suggestion?["link"]?.string == id)
                #expect(suggestion?["identifier"]?.string == target)
                #expect(suggestion?["matched"]?.string == target)
                #expect(suggestion?["via"]?.elements?.isEmpty == true)
            }
            #expect(try usher("link", "remove", id).json()["id"]?.string == id)
            #expect(try usher("link", "list").output == "[]\n")
            #expect(try usher("link", "show", id).status == 2)
            #expect(try usher("link", "suggest", "--target", Self.crusty).output == "[]\n")
        }
    }

    @Test func theSameContentTwice() throws {
        try UsherProgram.run { usher throws in
            _ = try note(usher, "Ask Crusty")
            let first = try add(usher, "--note", "current", "--target", Self.crusty)
            let second = try add(usher, "--note", "current", "--target", Self.crusty, "--json")
            #expect(second.status == 0)
            let id = first.output.trimmingCharacters(in: .newlines)
            #expect(second.json()["link"]?["id"]?.string == id)
            #expect(second.errors.contains("has a link to this content already: \(id)"))
            #expect(try usher("link", "list").json().elements?.count == 1)
        }
    }

    @Test func whatSpeaksAgainstAnIdentifierIsSaid() throws {
        try UsherProgram.run { usher throws in
            _ = try note(usher, "A file")
            let ending = try add(usher, "--note", "current", "--target", "file:///home/me/pie.txt")
            #expect(ending.status == 0)
            #expect(ending.output.utf8.count == 37)
            #expect(ending.errors.contains("lint.local-path"))
        }
    }

    /// Content that moved is found under each of its names; content that was deleted is not linked to.
    @Test func movedAndDeleted() throws {
        try UsherProgram.run { usher throws in
            let note = try note(usher, "Ask Crusty")
            let (bozo, coco) = ("https://clowntown.example/clowns/bozo", "https://clowntown.example/clowns/coco")
            let old = try add(usher, "--note", note, "--target", Self.crusty)
            #expect(try usher("link", "move", Self.crusty, bozo).status == 0)
            let link = try usher("link", "show", old.output.trimmingCharacters(in: .newlines)).json()
            #expect(link["target"]?.string == Self.crusty)
            #expect(link["resolved"]?.string == bozo)
            // What is looked at is called otherwise now, and the note still speaks of it.
            let found = try usher("link", "suggest", "--target", bozo).json().elements?.first
            #expect(found?["identifier"]?.string == Self.crusty)
            #expect(found?["matched"]?.string == bozo)
            #expect(found?["via"]?.elements?.map { $0["to"]?.string } == [bozo])
            #expect(try usher("link", "list", "--target", bozo).json().elements?.count == 1)

            let moved = try add(usher, "--note", note, "--target", Self.crusty, "--json")
            #expect(moved.json()["link"]?["resolved"]?.string == bozo)
            #expect(try usher("link", "delete", coco, "--reason", "The circus has left").status == 0)
            let refused = try add(usher, "--note", note, "--target", coco)
            #expect(refused.status == 2)
            #expect(refused.output == "")
            #expect(refused.errors.contains("was deleted"))
            #expect(refused.errors.contains("The circus has left"))
            #expect(try usher("link", "list").json().elements?.count == 1)
        }
    }

    @Test(arguments: [
        (["--note", "current"], "it is not said what the link leads to"),
        (["--target", crusty], "which note?"),
        (["--note", "current", "--target", ""], "cannot be empty"),
        (["--note", "current", "--target", String(repeating: "x", count: 17_000)], "at most 16384 bytes, not 17000"),
        (["--note", "current", "--target", crusty, "--from-current"], "named twice"),
        (["--note", "current", "--target", crusty, "--webpage", "ftp://x"], "is not an address of the web"),
        (["--note", "current", "--target", crusty, "--app", "example.clowntwon"], "example.clowntown"),
        (["--note", "0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20", "--target", crusty], "there is no note"),
        (["--note", "Crusty", "--target", crusty], "there is no note"),
        (["--note", "current", "--from-current"], "no current activity"),
        (["--note", "current", "--activity", "0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20"], "there is no activity"),
    ])
    func badInputMakesNothing(arguments: [String], message: String) throws {
        try UsherProgram.run { usher throws in
            _ = try note(usher, "A note")
            let ending = try usher.run(["link", "add"] + arguments + Self.configured)
            #expect(ending.status == 2)
            #expect(ending.output == "")
            #expect(ending.errors.contains(message), "\(ending.errors)")
            #expect(try usher("link", "list").output == "[]\n")
        }
    }

    @Test(arguments: [["show", "x"], ["remove", "0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20"], ["open", "x"]])
    func noSuchLink(arguments: [String]) throws {
        try UsherProgram.run { usher throws in
            _ = try note(usher, "A note")
            let ending = try usher.run(["link"] + arguments + Self.configured)
            #expect(ending.status == 2)
            #expect(ending.errors.contains("there is no link"), "\(ending.errors)")
        }
    }

    @Test func withoutAStore() throws {
        try UsherProgram.run { usher throws in
            #expect(try usher("link", "suggest").output == "[]\n")
            #expect(try usher("link", "list").output == "[]\n")
            #expect(!usher.exists("state"))
        }
    }
}
