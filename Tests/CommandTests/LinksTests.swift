import Foundation
import TestSupport
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

    /// While an app saves for a link, another note is begun: the link belongs to the one that was in progress.
    @Test func theNoteInProgressIsTheOneOfTheBeginning() throws {
        try UsherProgram.run { usher throws in
            try usher.write(
                """
                id = "example.slow"
                activity-types = ["example.slow.page"]
                [[scenes]]
                name = "main"
                [handlers]
                save = { exec = ["sh", "\(usher.folder)/save"], time-limit = "60s" }
                """, to: "config/usher/apps/slow.toml")
            try usher.write(
                "'\(Repository.products)/usher' note new Second --state '\(usher.folder)/state/usher' >&2\necho '{}'\n",
                to: "save")
            let first = try note(usher, "First")
            #expect(try usher("scene", "connect", "--app", "example.slow", "--scene", "main").status == 0)
            let activity =
                #"{"activityType":"example.slow.page","title":"a","targetContentIdentifier":"slow:1","needsSave":true}"#
            let current = try usher("activity", "become-current", "--session", "main-1", "--activity", activity)
            #expect(current.status == 0, "\(current.errors)")
            let added = try usher("link", "add", "--note", "current", "--from-current", "--json")
            #expect(added.json()["warnings"]?.elements?.isEmpty == true, "\(added.errors)")
            #expect(try usher("note", "show", "current").json()["text"]?.string == "Second")
            #expect(added.json()["link"]?["note"]?.string == first)
        }
    }

    /// A link is made though its app does not save; an app that refuses to continue fails the link's request, and hears of it.
    @Test func anAppThatFails() throws {
        try UsherProgram.run { usher throws in
            try usher.write(
                """
                id = "example.failing"
                activity-types = ["example.failing.page"]
                schemes = ["failing"]
                [[scenes]]
                name = "main"
                [handlers]
                save = { exec = ["sh", "-c", "exit 3"] }
                continue = { exec = ["sh", "-c", "exit 1"] }
                did-fail = { exec = ["sh", "-c", "echo $1 >>'\(usher.folder)/failed'", "-", "{error-code}"] }
                """, to: "config/usher/apps/failing.toml")
            _ = try note(usher, "A view")
            #expect(try usher("scene", "connect", "--app", "example.failing", "--scene", "main").status == 0)
            let activity =
                #"{"activityType":"example.failing.page","title":"a","targetContentIdentifier":"failing:1","needsSave":true}"#
            let current = try usher("activity", "become-current", "--session", "main-1", "--activity", activity)
            #expect(current.status == 0, "\(current.errors)")
            let added = try usher("link", "add", "--note", "current", "--from-current", "--json")
            #expect(added.status == 0)
            #expect(added.json()["warnings"]?.elements?.isEmpty == false, "\(added)")
            let id = try #require(added.json()["link"]?["id"]?.string)
            let opened = try usher("link", "open", id)
            #expect(opened.status == 1, "\(opened)")
            let failed = try String(contentsOfFile: usher.path("failed"), encoding: .utf8)
            #expect(failed.split(separator: "\n").count == 1, "\(failed)")
        }
    }

    @Test func whatSpeaksAgainstAnIdentifierIsSaid() throws {
        try UsherProgram.run { usher throws in
            _ = try note(usher, "A file")
            let ending = try add(usher, "--note", "current", "--target", "https://me:secret@pies.example/1")
            #expect(ending.status == 0)
            #expect(ending.output.utf8.count == 37)
            #expect(ending.errors.contains("lint.credentials"))
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
        (["--note", "current", "--from-current"], "no activity is current"),
        (["--note", "current", "--activity", "0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20"], "there is no activity"),
    ])
    func badInputMakesNothing(arguments: [String], message: String) throws {
        try UsherProgram.run { usher throws in
            _ = try note(usher, "A note")
            let ending = try usher.run(["link", "add"] + arguments + Self.configured)
            #expect(ending.status == 2)
            #expect(ending.output == "")
            #expect(ending.errors.contains(message), "\(ending.errors)")
            #expect(ending.errors.contains("\nhelp: "), "\(ending.errors)")
            // Mistakes of the command line have none.
            if message != "which note?" {
                #expect(ending.errors.contains(/\[U\d{4} [a-z.-]+\]\n/), "\(ending.errors)")
            }
            #expect(try usher("link", "list").output == "[]\n")
        }
    }

    /// Some commands read the configuration more than once.
    @Test func aWarningAboutTheConfigurationIsShownOnce() throws {
        try UsherProgram.run { usher throws in
            try usher.write(
                """
                id = "example.gone"
                [handlers]
                open-web = { exec = ["true"] }
                [[scenes]]
                name = "main"
                launch = { exec = ["no-such-program"] }

                """, to: "config/usher/apps/gone.toml")
            _ = try note(usher, "Where it was")
            let link = try usher("link", "add", "--note", "current", "--target", "https://gone.example/")
            #expect(!link.errors.contains("U5407"), "\(link.errors)")
            // What acts says it once for this configuration; what only reads says it never.
            for count in [2, 1] {
                let opened = try usher("link", "open", link.output.trimmingCharacters(in: .newlines))
                #expect(opened.errors.components(separatedBy: "U5407").count == count, "\(opened.errors)")
                let explained = try usher("explain", "https://gone.example/")
                #expect(!explained.errors.contains("U5407"), "\(explained.errors)")
            }
            let checked = try usher("check")
            #expect((checked.output + checked.errors).contains("U5407"))
        }
    }

    /// From what the user looks at to a note, and from there to the note and back to the content.
    @Test func fromTheCurrentActivity() throws {
        try UsherProgram.run { usher throws in
            let note = try note(usher, "Ask Crusty")
            try usher.connectClowns()
            let page = "https://clowntown.example/crusty.html"
            func become(_ target: String) throws -> JSONValue {
                try usher.run(
                    [
                        "activity", "become-current", "--session", "clown-1", "--type", "example.clowntown.view-clown",
                        "--title", "A clown", "--target", target, "--persistent", "clown:crusty", "--webpage", page,
                        "--user-info", #"{"zoom":1.50}"#, "--json",
                    ] + Self.configured
                ).json()
            }
            #expect(try become(Self.crusty)["suggestions"]?.elements?.isEmpty == true)
            let added = try add(usher, "--note", "current", "--from-current", "--json").json()
            let link = added["link"]
            #expect(link?["app"]?.string == "example.clowntown")
            #expect(link?["title"]?.string == "A clown")
            #expect(link?["target"]?.string == Self.crusty)
            #expect(
                link?["identifiers"]?.elements?.map { $0["identifier"]?.string } == [
                    Self.crusty, "clown:crusty", page,
                ])
            let shown = try usher("link", "show", link?["id"]?.string ?? "").json()
            #expect(shown["activity"]?["activityType"]?.string == "example.clowntown.view-clown")
            #expect(shown["activity"]?["userInfo"]?["zoom"]?.numberText == "1.50")

            // Away, and back again.
            #expect(try become("https://clowntown.example/clowns/bozo")["suggestions"]?.elements?.count == 1)
            #expect(try usher("activity", "resign", "--session", "clown-1").status == 0)
            #expect(try usher("link", "suggest").output == "[]\n")
            let back = try become(Self.crusty)
            #expect(back["suggestions"]?.elements?.map { $0["note"]?.string } == [note])
            #expect(try usher("link", "suggest", "--json").json().elements?.count == 1)
        }
    }

    /// A window while the app is there, its web page when it is gone, and the reason where the content is.
    @Test func opened() throws {
        try UsherProgram.run { program throws in
            var usher = program
            // What opens pages on a desktop.
            try usher.writeProgram("#!/bin/sh\necho web \"$@\" >> '\(usher.folder)/ledger'\n", to: "bin/xdg-open")
            usher.environment["PATH"] = usher.path("bin") + ":" + (usher.environment["PATH"] ?? "")
            _ = try note(usher, "Ask Crusty")
            try usher.write(
                """
                id = "example.circus"
                name = "Circus"
                activity-types = ["example.circus.view"]
                schemes = ["circus"]
                [[scenes]]
                name = "main"
                show = { exec = ["sh", "-c", "echo show $1 >> ledger", "-", "{resolved}"], directory = "\(usher.folder)" }
                """, to: "config/usher/apps/circus.toml")
            try usher.write("", to: "config/usher/usher.toml")
            let connected = try usher("scene", "connect", "--app", "example.circus", "--scene", "main")
            #expect(connected.status == 0, "\(connected.errors)")
            let link = try usher(
                "link", "add", "--note", "current", "--target", "circus:ring", "--app", "example.circus", "--webpage",
                "https://circus.example/ring")
            let id = link.output.trimmingCharacters(in: .newlines)
            #expect(link.status == 0, "\(link.errors)")
            let opened = try usher("link", "open", id).json()
            #expect(opened["source"]?.string == "link")
            #expect(opened["target"]?.string == "circus:ring")
            #expect(opened["session"]?.string == "main-1")

            #expect(try usher("content", "moved", "circus:ring", "circus:arena").status == 0)
            let moved = try usher("link", "open", id).json()
            #expect(moved["resolved"]?.string == "circus:arena")

            #expect(try usher("content", "deleted", "circus:arena").status == 0)
            let deleted = try usher("link", "open", id)
            #expect(deleted.status == 1)
            #expect(deleted.json()["reason"]?.string == "content-deleted")
            #expect(try usher("content", "restore", "circus:arena").status == 0)

            try FileManager.default.removeItem(atPath: usher.path("config/usher/apps/circus.toml"))
            let gone = try usher.run(["link", "open", id, "--config", UsherProgram.sampleConfiguration]).json()
            #expect(gone["action"]?.string == "open-web")
            #expect(gone["target"]?.string == "https://circus.example/ring")
            let ledger = try String(contentsOfFile: usher.path("ledger"), encoding: .utf8)
            #expect(
                ledger.split(separator: "\n") == [
                    "show circus:ring", "show circus:arena", "web https://circus.example/ring",
                ])
        }
    }
}
