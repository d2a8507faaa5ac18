import EngineTestSupport
import Foundation
import Synchronization
import Testing
import UsherEngine
import UsherFeatures
import UsherJSON
import UsherOperation
import UsherScene
import UsherStore

@testable import UsherNotes

/// Export files as they are read: whole and unharmed, some of them hold what no command would have taken.
struct NoteImportTests {
    let fixture: ContentFixture

    init() throws { fixture = try ContentFixture() }

    static func note(_ text: String) -> ContentRow {
        .note(
            .init(
                id: "01890000-0000-7000-8000-000000000001", text: text, state: "aside", line: 1, created: 1, changed: 1,
                attachments: []))
    }

    static func redirect(
        _ source: String, _ destination: String?, isPrefix: Bool = false, reason: String? = nil
    ) -> ContentRow {
        .redirect(
            .init(number: 1, source: source, destination: destination, isPrefix: isPrefix, made: 1, reason: reason))
    }

    /// A file that says what it holds, with the right digest at its end.
    private func file(_ rows: [ContentRow]) throws -> String {
        let store = try Store(directory: fixture.base.folder + "/other", access: .readWrite, features: .all)
        defer { store.close() }
        _ = try store.importContent(onConflict: .refuse, file: "rows") { (take) throws(StoreError) in
            for row in rows { try take(row, 1) }
        }
        let written = Mutex<[UInt8]>([])
        _ = try NoteExport(store).write { () throws(StoreError) in
            written.withLock { $0 = [] }
        } to: { (bytes) throws(StoreError) in
            written.withLock { $0 += bytes }
        }
        let path = fixture.base.folder + "/export.jsonl"
        try Data(written.withLock { $0 }).write(to: URL(fileURLWithPath: path))
        return path
    }

    static let refused: [(name: String, row: ContentRow, message: String)] = [
        ("a note with a NUL", note("a\0b"), "cannot hold a NUL"),
        ("a note without a text", note(" \n"), "cannot be empty"),
        ("a note that is too long", note(String(repeating: "x", count: (1 << 20) + 1)), "at most 1048576 bytes"),
        (
            "a reason that is too long", redirect("a", nil, reason: String(repeating: "x", count: 1001)),
            "a thousand are the most"
        ),
        ("a reason with a NUL", redirect("a", "b", reason: "\0"), "has a NUL"),
        ("a prefix that stays where it is", redirect("a", "a", isPrefix: true), "onto itself"),
    ]

    @Test(arguments: refused)
    func whatNoCommandTakesIsRefused(_ case: (name: String, row: ContentRow, message: String)) throws {
        let path = try file([`case`.row])
        let refusal = fixture.refusal("note.import", ["file": .string(path)])
        #expect(refusal?.code.name == "import.line", "\(`case`.name)")
        #expect(refusal?.message.contains(`case`.message) == true, "\(refusal?.message ?? "-")")
        #expect(refusal?.message.contains("line 2") == true)
    }

    @Test func whatCommandsTakeComesIn() throws {
        let path = try file([
            Self.note("x"), Self.redirect("a", "b", reason: String(repeating: "x", count: 1000)),
        ])
        let answer = try fixture.perform("note.import", ["file": .string(path)])
        #expect(answer["notes"]?["added"]?.int64 == 1 && answer["redirects"]?["added"]?.int64 == 1)
        #expect(try fixture.perform("note.import", ["file": .string(path)])["changed"]?.boolean == false)
    }
}
