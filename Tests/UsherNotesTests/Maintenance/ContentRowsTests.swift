import Foundation
import StoreTestSupport
import Testing
import UsherScene
import UsherSystem
import UsherText

@testable import UsherNotes
@testable import UsherStore

/// What is exported and imported, without the form that it has in a file.
@Suite struct ContentRowsTests {
    let folder = TemporaryDirectory()

    @Test("notes, links and redirects are kept for ever")
    func age() throws {
        let store = try folder.open()
        try store.take(ContentSamples.rows(notes: 4))
        _ = try store.prune(now: .max / 2)
        #expect(try folder.number("SELECT count(*) FROM note") == 4)
        #expect(try folder.number("SELECT count(*) FROM redirect") == 3)
    }

    @Test func everythingComesBackAsItWas() throws {
        let rows = ContentSamples.rows(notes: 60)
        let store = try folder.open()
        let imported = try store.take(rows)
        #expect(imported.notes.added == 60 && imported.links.added == 120 && imported.redirects.added == 3)
        #expect(try store.allRows() == rows)
        #expect(store.examine().isEmpty)
        // A daemon that keeps where identifiers lead finds out.
        #expect(try folder.number("SELECT redirects FROM store") ?? 0 > 0)

        let other = TemporaryDirectory()
        let second = try other.open()
        try second.take(try store.allRows())
        #expect(try second.allRows() == rows)
        #expect(try other.open(.readOnly).allRows() == rows)
        #expect(try other.number("SELECT count(*) FROM note_text WHERE note_text MATCH 'etude'") == 10)
        #expect(try other.number("SELECT count(*) FROM link_text WHERE link_text MATCH 'quoted'") ?? 0 > 5)
    }

    @Test func oneMoreTimeChangesNothing() throws {
        let rows = ContentSamples.rows(notes: 12)
        let store = try folder.open()
        try store.take(rows)
        let version = try folder.number("SELECT redirects FROM store")
        let imported = try store.take(rows)
        #expect(imported.changes == 0)
        #expect(imported.notes.same == 12 && imported.links.same == 24 && imported.redirects.same == 3)
        #expect(try folder.number("SELECT redirects FROM store") == version)
        #expect(try store.allRows() == rows)
    }

    @Test func anImportedNoteInProgressIsPutAside() throws {
        let store = try folder.open()
        try store.take([.note(ContentSamples.note(1, state: "current"))])
        let rows = ContentSamples.rows(notes: 3)
        let imported = try store.take(rows)
        #expect(imported.hasPutAside)
        #expect(try folder.number("SELECT count(*) FROM note WHERE state = 'current'") == 1)
        // It was put aside because of the other: that is no difference.
        #expect(try store.take(rows).changes == 0)
    }

    @Test(arguments: Store.ImportChoice.allCases)
    func anIdWithOtherContentIsDecidedUpon(_ choice: Store.ImportChoice) throws {
        let rows = ContentSamples.rows(notes: 4)
        let store = try folder.open()
        try store.take(rows)
        let changed = rows.map { row in
            switch row {
            case .note(var note) where note.text.hasPrefix("note 1 "):
                // Canonically the same text; not the same bytes.
                note.text = "cafe\u{301} rewritten"
                note.attachments = [Store.Attachment(path: "/x", digest: nil, size: nil, added: 1)]
                return ContentRow.note(note)
            case .link(var link) where link.identifiers[0].identifier.hasSuffix("/6"):
                link.title = "another title"
                link.identifiers = [.init(kind: 3, identifier: "https://clowntown.example/web")]
                return .link(link)
            case .redirect(var redirect) where redirect.number == 3:
                redirect.destination = "a:7"
                return .redirect(redirect)
            default: return row
            }
        }
        let new = ContentRow.note(ContentSamples.note(100))
        if choice == .refuse {
            let error = try #require(storeError { try store.take([new] + changed, onConflict: choice) })
            #expect(error.code == .importConflict)
            #expect(error.message.hasPrefix("line 4: note "))
            #expect(error.message.hasSuffix("is in the store already, with another text"))
            #expect(try store.allRows() == rows)
        } else {
            let imported = try store.take(changed, onConflict: choice)
            let counts = [imported.notes, imported.links, imported.redirects]
            #expect(counts.map(\.kept) == (choice == .keep ? [1, 1, 1] : [0, 0, 0]))
            #expect(counts.map(\.replaced) == (choice == .keep ? [0, 0, 0] : [1, 1, 1]))
            #expect(try store.allRows() == (choice == .keep ? rows : changed))
        }
        #expect(store.examine().isEmpty)
    }

    @Test func onlySomeNotesWithTheirLinks() throws {
        let rows = ContentSamples.rows(notes: 5)
        let store = try folder.open()
        try store.take(rows)
        guard case .note(let chosen) = rows[2] else { return }
        let found = try store.allRows(notes: [chosen.id, UUIDv7.next(), chosen.id, "nonsense"])
        #expect(found.count == 3)
        #expect(found.first == rows[2])
    }

    // MARK: What is refused

    static let refusals: [(name: String, rows: [ContentRow], message: String)] = [
        (
            "a link without its note", [.link(ContentSamples.link(1, of: "01890000-0000-7000-8000-000000000000"))],
            "which is neither in the file before it nor in the store"
        ),
        (
            "an id of another kind",
            [
                .note(
                    {
                        var note = ContentSamples.note(1)
                        note.id = "4"
                        return note
                    }())
            ],
            "line 2: 4 is not an id of Usher's (a UUID of version 7)"
        ),
        (
            "a loop",
            [
                .redirect(.init(number: 1, source: "a", destination: "b", isPrefix: false, made: 1, reason: nil)),
                .redirect(.init(number: 2, source: "b", destination: "a", isPrefix: false, made: 1, reason: nil)),
            ], "a → b → a"
        ),
        (
            "a chain of 33 hops",
            (0..<33).map {
                .redirect(
                    .init(
                        number: $0 + 1, source: "c\($0)", destination: "c\($0 + 1)", isPrefix: false, made: 1,
                        reason: nil))
            }, "33 hops"
        ),
    ]

    @Test(arguments: refusals)
    func nothingIsLeftOfWhatIsRefused(_ refusal: (name: String, rows: [ContentRow], message: String)) throws {
        let store = try folder.open()
        let before = ContentSamples.rows(notes: 2)
        try store.take(before)
        let error = storeError { try store.take([.note(ContentSamples.note(50))] + refusal.rows) }
        let message = refusal.message.replacing("line 2", with: "line 3")
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "no error")")
        #expect(try store.allRows() == before)
        #expect(store.examine().isEmpty)
    }

    @Test func aNumberThatIsTakenGivesWay() throws {
        let store = try folder.open()
        try store.take([
            .redirect(.init(number: 3, source: "x", destination: "y", isPrefix: false, made: 1, reason: nil))
        ])
        try store.take([
            .redirect(.init(number: 3, source: "v", destination: "w", isPrefix: false, made: 1, reason: nil))
        ])
        #expect(try folder.number("SELECT number FROM redirect WHERE source = 'x'") == 3)
        #expect(try folder.number("SELECT number FROM redirect WHERE source = 'v'") == 4)
    }

    /// Redirects that are made later have numbers that an export can hold, too.
    @Test func aNumberThatLeavesNoneBehindItGivesWay() throws {
        let store = try folder.open()
        let most: Int64 = 1 << 53
        try store.take([
            .redirect(.init(number: most, source: "x", destination: "y", isPrefix: false, made: 1, reason: nil))
        ])
        _ = try store.move(TargetContentIdentifier("v"), to: TargetContentIdentifier("w"))
        let numbers = try store.allRows().compactMap { row in
            if case .redirect(let redirect) = row { redirect.number } else { nil }
        }
        #expect(numbers == [1, 2])
    }
}
