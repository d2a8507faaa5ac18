import Foundation
import Testing
import UsherJSON

/// `usher content moved|deleted|restore|list`, and what a moved identifier then does, in a real tmux.
struct RedirectsTests {
    private static let crusty = "https://clowntown.example/clowns/crusty"
    private static let krusty = "https://clowntown.example/clowns/krusty"
    private static let old = "https://old.example/crusty"

    @Test func aMovedIdentifierLandsInTheRightWindow() throws {
        try UsherProgram.run { original throws in
            var usher = original
            usher.environment["USHER_CONFIG"] = UsherProgram.sampleConfiguration
            #expect(try usher("content", "moved", Self.old, Self.crusty).status == 0)
            let first = try usher("dispatch", "-", input: #"{"url":"\#(Self.old)"}"#).json()
            #expect(first["target"]?.string == Self.old)
            #expect(first["resolved"]?.string == Self.crusty)
            #expect(first["action"]?.string == "launch")
            let session = first["session"]?.string
            // Its page was renamed: the window that has it open is still the right one.
            #expect(try usher("content", "moved", Self.crusty, Self.krusty, "--reason", "renamed").status == 0)
            for id in [Self.old, Self.crusty, Self.krusty] {
                let record = try usher("dispatch", "-", input: #"{"url":"\#(id)"}"#).json()
                #expect(record["action"]?.string == "focus")
                #expect(record["session"]?.string == session)
                #expect(record["resolved"]?.string == Self.krusty)
            }
            #expect(try usher("content", "deleted", Self.old, "--reason", "retired").status == 0)
            let tombstone = try usher("explain", Self.old)
            #expect(tombstone.status == 1)
            #expect(tombstone.json()["tombstone"]?["reason"]?.string == "retired")
        }
    }

    @Test func textForPeople() throws {
        try UsherProgram.run { usher throws in
            // With a terminal as standard output.
            func terminal(_ line: String) throws -> String {
                try usher.shell("script -qec '\(line)' /dev/null").output.replacingOccurrences(of: "\r\n", with: "\n")
            }
            #expect(try terminal("usher content moved u:a u:b") == "u:a -> u:b\n")
            #expect(try terminal("usher content moved --prefix u:b u:c").hasSuffix("u:b... -> u:c...\n"))
            #expect(try terminal("usher content deleted u:a --reason gone").hasSuffix("u:c is deleted\n"))
            let list = try terminal("usher content list u:a")
            #expect(list.contains("hop 1  u:a -> u:b  move 1, "))
            #expect(list.contains("hop 2  u:b -> u:c  prefix move 2, "))
            #expect(list.contains("u:c was deleted on "))
            #expect(try terminal("usher content restore u:a").hasPrefix("u:c is no longer deleted\n"))
        }
    }
}
