import Dispatch
import Foundation
import Synchronization
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
            let explained = try usher("explain", Self.old).json()
            #expect(explained["hops"]?.elements?.map { $0["to"]?.string } == [Self.crusty, Self.krusty])
            #expect(explained["decision"]?["session"]?.string == session)

            #expect(try usher("content", "deleted", Self.old, "--reason", "retired").status == 0)
            let gone = try usher("dispatch", "-", input: #"{"url":"\#(Self.old)"}"#)
            #expect(gone.json()["reason"]?.string == "content-deleted")
            #expect(gone.json()["resolved"]?.string == Self.krusty)
            let tombstone = try usher("explain", Self.old)
            #expect(tombstone.status == 1)
            #expect(tombstone.json()["tombstone"]?["reason"]?.string == "retired")
            #expect(try usher("content", "restore", Self.old).status == 0)
            #expect(try usher("explain", Self.old).status == 0)
        }
    }

    @Test func refusalsSayWhatToDo() throws {
        try UsherProgram.run { usher throws in
            #expect(try usher("content", "moved", "u:a", "u:b").status == 0)
            #expect(try usher("content", "moved", "u:b", "u:c").status == 0)
            let loop = try usher("content", "moved", "u:c", "u:a")
            #expect(loop.status == 2)
            #expect(loop.errors.contains("u:c → u:a → u:b → u:c"))
            let other = try usher("content", "moved", "u:a", "u:z")
            #expect(other.status == 2)
            #expect(other.errors.contains("help: take that back first: usher content restore u:a"))
            #expect(try usher("content", "moved", "u:a", "u:b").json()["is_new"]?.boolean == false)
            #expect(try usher("content", "list").json()["total"]?.int64 == 2)
            #expect(try usher("content", "list", "--limit", "1").json()["redirects"]?.elements?.count == 1)
            #expect(try usher("content", "list", "--limit", "0").status == 2)
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

    /// Whichever comes first: the same answer in the end, and nothing half-written.
    @Test func twoAtOnce() throws {
        try UsherProgram.run { usher throws in
            let statuses = Mutex<[Int32]>([])
            DispatchQueue.concurrentPerform(iterations: 6) { number in
                let ending = try? usher("content", "moved", "u:old", "u:new-\(number)", "--quiet")
                statuses.withLock { $0.append(ending?.status ?? -1) }
            }
            #expect(statuses.withLock { $0.sorted() } == [0, 2, 2, 2, 2, 2])
            #expect(try usher("content", "list").json()["total"]?.int64 == 1)
        }
    }
}
