import Foundation
import Testing
import UsherJSON

/// `usher undo`, from outside.
struct UndoTests {
    private func new(_ usher: UsherProgram, _ text: String, _ more: String...) throws -> String {
        let ending = try usher.run(["note", "new", text] + more)
        #expect(ending.status == 0, "\(ending.errors)")
        return ending.output.trimmingCharacters(in: .newlines)
    }

    @Test("on a terminal it is a sentence, and the list a table") func text() throws {
        try UsherProgram.run { usher in
            let note = try new(usher, "one")
            #expect(try usher("note", "delete", note).status == 0)
            let list = try usher.shell("script -qec 'usher undo --list' /dev/null").output
            #expect(list.contains("operation") && list.contains("note delete  \(note)"), "\(list)")
            let undone = try usher.shell("script -qec 'usher undo' /dev/null").output
            #expect(undone == "note delete \(note) is taken back\r\n")
            let nothing = try usher("undo")
            #expect(nothing.status == 1 && nothing.output.isEmpty)
            #expect(nothing.errors.contains("[U4580 undo.nothing]"), "\(nothing.errors)")
            #expect(try usher("undo", "--list").output == "[]\n")
        }
    }

    @Test("what the editor has removed comes back at its place and is found again") func editor() throws {
        try UsherProgram.run { original in
            var usher = original
            let note = try new(usher, "Text", "--link", "u:a", "--link", "u:zeppelin", "--link", "u:c")
            func links() throws -> JSONValue? { try usher("note", "show", note).json()["links"] }
            func found() throws -> Int? { try usher("note", "search", "zeppelin").json().elements?.count }
            let before = try links()
            for script in ["/zeppelin/d", "/links -->/,/c)/{/u:/d}", "s/(u:zeppelin)/(u:balloon)/"] {
                usher.environment["EDITOR"] = "sed -i -e \(script)"
                if script.contains(" ") {
                    try usher.write(script, to: "script")
                    usher.environment["EDITOR"] = "sed -i -f \(usher.path("script"))"
                }
                let edited = try usher("note", "edit", note)
                #expect(edited.status == 0 && edited.errors == "", "\(edited.errors)")
                #expect(try found() == (script.hasPrefix("s") ? 1 : 0))
                #expect(try usher("undo").json()["id"]?.string == note)
                #expect(try found() == 1)
                let after = try links()?.elements ?? []
                #expect(Array(after.prefix(3)) == before?.elements, "\(script)")
                for added in after.dropFirst(3) { try usher("link", "remove", added["id"]?.string ?? "") }
            }
        }
    }
}
