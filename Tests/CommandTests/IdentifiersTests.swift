import Foundation
import Testing
import UsherJSON

/// Ids that are given short, and numbers of rows.
struct IdentifiersTests {
    private static let page = "https://clowntown.example/clowns/crusty"

    private func new(_ usher: UsherProgram, _ text: String, _ more: String...) throws -> String {
        let ending = try usher.run(["note", "new", text] + more)
        #expect(ending.status == 0, "\(ending.errors)")
        return ending.output.trimmingCharacters(in: .newlines)
    }

    /// What a command prints on a terminal.
    private func terminal(_ usher: UsherProgram, _ line: String) throws -> String {
        try usher.shell("script -qec '\(line)' /dev/null").output.replacingOccurrences(of: "\r\n", with: "\n")
    }

    @Test("lists and show have the shortest unique beginning, and take it in any spelling") func short() throws {
        try UsherProgram.run { usher in
            let ids = [try new(usher, "one", "--link", Self.page), try new(usher, "two")]
            let list = try usher("note", "list").json().elements ?? []
            #expect(list.count == 2)
            for note in list {
                let (id, short) = (note["id"]?.string ?? "", note["short"]?.string ?? "")
                #expect(short.count >= 4 && id.hasPrefix(short) && id != short)
                #expect(ids.count { $0.hasPrefix(short) } == 1)
                #expect(!short.dropLast().isEmpty && ids.count { $0.hasPrefix(short.dropLast()) } == 2)
                for text in [short, short.uppercased(), short.replacingOccurrences(of: "-", with: ""), id.uppercased()]
                {
                    let shown = try usher("note", "show", text).json()
                    #expect(shown["id"]?.string == id && shown["short"]?.string == short, "\(text)")
                }
                #expect(try usher("note", "show", "usher-note:" + short).json()["id"]?.string == id)
            }
            let link = try #require(try usher("link", "list").json().elements?.first)
            let (id, short) = (link["id"]?.string ?? "", link["short"]?.string ?? "")
            // There is one link: four characters are enough.
            #expect(short.count == 4 && id.hasPrefix(short))
            #expect(try usher("link", "show", short).json()["id"]?.string == id)
            #expect(try usher("note", "show", ids[0]).json()["links"]?.elements?.first?["short"]?.string == short)
            #expect(try usher("link", "list", "--note", ids[0]).json().elements?.count == 1)
            let known = list.first { $0["id"]?.string == ids[0] }?["short"]?.string ?? ""
            #expect(try usher("link", "list", "--note", known).json().elements?.count == 1)
            #expect(try usher("note", "edit", known, "--text", "changed").json()["text"]?.string == "changed")
            #expect(try usher("note", "export", "--note", known).status == 0)
            #expect(try usher("link", "remove", short).json()["id"]?.string == id)
            #expect(try usher("note", "delete", known).json()["id"]?.string == ids[0])
        }
    }

    @Test("the beginning of several ids is refused, and they are named") func ambiguous() throws {
        try UsherProgram.run { usher in
            let ids = [try new(usher, "one"), try new(usher, "two")]
            let refused = try usher("note", "delete", String(ids[0].prefix(6)))
            #expect(refused.status == 2 && refused.output.isEmpty)
            #expect(refused.errors.contains("[U4570 id.ambiguous]"), "\(refused.errors)")
            #expect(ids.allSatisfy { refused.errors.contains($0) })
            #expect(try usher("note", "list").json().elements?.count == 2)
            #expect(try usher("note", "show", String(ids[0].prefix(3))).errors.contains("note.no-such-note"))
        }
    }

    @Test("deliveries are named by a beginning of their id or by their sender's") func deliveries() throws {
        try UsherProgram.run { original in
            var usher = original
            usher.environment["USHER_CONFIG"] = UsherProgram.sampleConfiguration
            let payload = #"{"url":"https://clowntown.example/clowns/crusty","apns-id":"12"}"#
            #expect(try usher("dispatch", "-", input: payload).status == 0)
            let delivery = try #require(try usher("deliveries", "list").json().elements?.first)
            let (id, short) = (delivery["id"]?.string ?? "", delivery["short"]?.string ?? "")
            #expect(short.count == 4 && id.hasPrefix(short))
            let shown = try usher("deliveries", "show", short.uppercased()).json()
            #expect(shown["id"]?.string == id && shown["short"]?.string == short)
            #expect(try usher("explain", "--delivery", short).status == 0)
            #expect(try usher("deliveries", "show", "1").errors.contains("id.no-list"))
            #expect(try terminal(usher, "usher deliveries list").contains("number"))
            #expect(try usher("deliveries", "show", "1").json()["id"]?.string == id)
            #expect(try usher("explain", "--delivery", "1").status == 0)
            #expect(try usher("deliveries", "drop", short).lines.joined().contains(id))
        }
    }

    @Test("a number is the row of the last list of its kind that a terminal showed") func rows() throws {
        try UsherProgram.run { usher in
            let ids = [try new(usher, "one", "--link", Self.page, "--link", "u:other"), try new(usher, "two")]
            let early = try usher("note", "show", "1")
            #expect(early.status == 2 && early.errors.contains("[U4571 id.no-list]"), "\(early.errors)")
            // Not on a terminal, or as JSON: no list that a number speaks of.
            try usher("note", "list")
            _ = try terminal(usher, "usher note list --json")
            #expect(try usher("note", "show", "1").errors.contains("id.no-list"))
            let list = try terminal(usher, "usher note list")
            let rows = list.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            #expect(rows.map { $0[0] } == ["number", "1", "2"], "\(list)")
            #expect(rows.dropFirst().map { $0[1] } == [ids[1], ids[0]])
            #expect(try usher("note", "show", "1").json()["id"]?.string == ids[1])
            #expect(try usher("note", "show", "2").json()["id"]?.string == ids[0])
            let beyond = try usher("note", "show", "3")
            #expect(beyond.status == 2 && beyond.errors.contains("[U4572 id.row]"), "\(beyond.errors)")
            for text in ["0", "01", "-1"] {
                #expect(try usher("note", "show", "--", text).errors.contains("no-such-note"))
            }
            // Each kind has a list of its own; that of a note's links is one, too.
            #expect(try usher("link", "show", "1").errors.contains("id.no-list"))
            #expect(try terminal(usher, "usher note show 2").contains("link 2"))
            #expect(try usher("link", "show", "2").json()["target"]?.string == "u:other")
            _ = try terminal(usher, "usher link list")
            #expect(try usher("link", "show", "2").json()["target"]?.string == Self.page)
            #expect(try usher("link", "remove", "2").status == 0)
            #expect(try usher("link", "show", "2").errors.contains("link.no-such-link"))
            // What changes meanwhile does not change what a number means.
            _ = try new(usher, "three")
            #expect(try usher("link", "list", "--note", "2").json().elements?.count == 1)
            #expect(try usher("note", "delete", "1").json()["id"]?.string == ids[1])
        }
    }
}
