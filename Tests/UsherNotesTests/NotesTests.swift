import StoreTestSupport
import Testing
import UsherScene
import UsherSystem
import UsherText

@testable import UsherNotes
@testable import UsherStore

/// What the store keeps of notes: states, texts, attachments, and the words that they are found by.
@Suite struct NotesTests {
    let folder = TemporaryDirectory()

    private func store() throws -> Store { try folder.open() }

    private func titles(_ notes: [Store.Note]) -> [String] { notes.map(\.title) }

    /// Consistent with the text that it indexes; FTS5 says so by an error.
    private func checkIndex() throws {
        for table in ["note_text", "link_text"] {
            try folder.sql("INSERT INTO \(table) (\(table), rank) VALUES ('integrity-check', 1)")
        }
    }

    @Test func aNewNoteIsTheOneInProgress() throws {
        let store = try store()
        let first = try store.make("First\nmore")
        let second = try store.make("  \n\tSecond \nmore")
        #expect(UUIDv7.isOne(first.id) && first.target == "usher-note:\(first.id)")
        #expect(first.state == .current && first.line == 1 && first.created == first.changed)
        #expect(second.title == "Second")
        #expect(try store.note(.current)?.id == second.id)
        #expect(try store.note(first.id)?.state == .aside)
        #expect(titles(try store.notes(limit: 10)) == ["Second", "First"])
        #expect(titles(try store.notes(.aside, limit: 10)) == ["First"])
        #expect(titles(try store.notes(.current, limit: 10)) == ["Second"])
    }

    @Test(arguments: Store.Note.State.allCases) func aStateIsChanged(_ wanted: Store.Note.State) throws {
        let store = try store()
        let first = try store.make("one")
        let second = try store.make("two")
        let changed = try store.write { (state) throws(StoreError) in try state.change(note: .id(first.id), to: wanted)
        }
        #expect(changed?.state == wanted)
        #expect(try store.note(second.id)?.state == (wanted == .current ? .aside : .current))
        #expect(try folder.number("SELECT count(*) FROM note WHERE state = 'current'") == 1)
    }

    @Test func theOneThatWasPutAsideLastComesFirst() throws {
        let store = try store()
        let notes = try (1...3).map { try store.make("note \($0)") }
        _ = try store.write { (state) throws(StoreError) in
            try state.change(note: .id(notes[0].id), to: .current)
        }
        let last = try store.write { (state) throws(StoreError) in try state.lastNoteAside() }
        #expect(last?.id == notes[2].id)
        #expect(titles(try store.notes(limit: 2)).first == "note 1")
    }

    @Test(arguments: [
        ("current", true), ("usher-note:017f22e2-79b0-7cc3-98c4-dc0c0c07398f", true),
        ("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", true), ("017F22E2-79B0-7CC3-98C4-DC0C0C07398F", false),
        ("Current", false), ("usher-note:", false), ("usher-note:current", false), ("", false), ("7", false),
    ])
    func names(_ text: String, _ isOne: Bool) { #expect((Store.NoteName(text) != nil) == isOne) }

    @Test func pagesHaveEachNoteOnce() throws {
        let store = try folder.open { $0.now = { 1_000_000 } }
        for number in 0..<25 { _ = try store.make("note \(number)") }
        var seen: [String] = []
        var last: Store.Note?
        while true {
            let page = try store.notes(limit: 4, before: last)
            seen += titles(page)
            guard let end = page.last else { break }
            last = end
        }
        #expect(seen == (0..<25).reversed().map { "note \($0)" })
        var aside: [String] = []
        last = nil
        while let page = Optional(try store.notes(.aside, limit: 7, before: last)), let end = page.last {
            aside += titles(page)
            last = end
        }
        #expect(aside == (0..<24).reversed().map { "note \($0)" })
    }

    @Test func aTextIsNotOverwrittenUnseen() throws {
        let store = try store()
        let note = try store.make("one\ntwo")
        func edit(_ text: String, insteadOf old: String?) throws -> Store.NoteEdit {
            try store.write { (state) throws(StoreError) in
                try state.edit(note: .id(note.id), text: text, insteadOf: old) { _ in 7 }
            }
        }
        guard case .done(let changed) = try edit("one\nthree", insteadOf: "one\ntwo") else {
            Issue.record("the text was not taken")
            return
        }
        #expect(changed.text == "one\nthree" && changed.line == 7)
        guard case .changedMeanwhile(let kept) = try edit("one\nfour", insteadOf: "one\ntwo") else {
            Issue.record("a text was lost")
            return
        }
        #expect(kept.text == "one\nthree")
        // Both wrote the same.
        guard case .done = try edit("one\nthree", insteadOf: "one\ntwo") else {
            Issue.record("nothing would be lost")
            return
        }
        #expect(try store.searchNotes("two", limit: 9).isEmpty)
        #expect(try store.searchNotes("three", limit: 9).count == 1)
        try checkIndex()
    }

    @Test func aNoteTakesItsLinksAndAttachmentsAlong() throws {
        let store = try store()
        let note = try store.make("Golden Gate")
        _ = try store.make("another")
        try store.link(note, "A bridge")
        try store.link(note, nil)
        _ = try store.write { (state) throws(StoreError) in
            try state.attach(Store.Attachment(path: "/tmp/bridge.png", digest: "sha256:00", size: 3), to: note)
            try state.attach(Store.Attachment(digest: "sha256:01"), to: note)
            // Attached again: the newer one counts.
            try state.attach(Store.Attachment(path: "/tmp/bridge.png", digest: "sha256:02", size: 4), to: note)
            try state.attach(Store.Attachment(digest: "sha256:01"), to: note)
        }
        #expect(try store.attachments(of: note).map(\.digest) == ["sha256:02", "sha256:01"])
        #expect(try store.linkCount(of: note) == 2)
        #expect(try store.searchNotes("bridge", limit: 9).map(\.note.id) == [note.id])
        let gone = try store.write { (state) throws(StoreError) in try state.delete(note: .id(note.id)) }
        #expect(gone?.id == note.id)
        #expect(try store.note(note.id) == nil)
        #expect(try store.searchNotes("bridge", limit: 9).isEmpty)
        for table in ["attachment", "link", "link_identifier"] {
            #expect(try folder.number("SELECT count(*) FROM \(table)") == 0, "\(table)")
        }
        try checkIndex()
    }

    @Test(arguments: [
        ("creme", "Buy crème brûlée"), ("CRÈME BRU", "Buy crème brûlée"), ("süd", "Straße nach Süden"),
        ("straße", "Straße nach Süden"), ("東", "東京の地図 map"), ("地図 MAP", "東京の地図 map"), ("golden gate", "by its link"),
        ("100%", "100% sure_thing"), ("sure_", "100% sure_thing"), ("!!", "so!! what"), ("NEAR(", "near (by)"),
        ("it's", "it's \"quoted\""), ("\"quoted", "it's \"quoted\""),
    ])
    func words(_ query: String, _ expected: String) throws {
        let store = try store()
        for text in [
            "Buy crème brûlée", "Straße nach Süden", "東京の地図 map", "100% sure_thing", "so!! what", "near (by)",
            "it's \"quoted\"", "nothing of the sort",
        ] { _ = try store.make(text) }
        try store.link(try store.make("by its link"), "The Golden Gate Bridge")
        let found = try store.searchNotes(query, limit: 9)
        #expect(found.map(\.note.text) == [expected])
        #expect(found.first?.isByLink == (expected == "by its link"))
        #expect(found.first?.snippet.contains("[") == true, "\(found)")
    }

    @Test(arguments: [
        "", " ", "\"", "*", "^", "a OR", "a AND NOT", "NOT", "text:zebra", "{text}: zebra", "zebra NEAR/2 x", "%", "_",
        "\\", "'); DROP TABLE note; --", "zebra crossing", "\u{0}", "🦓🦓", "(((((((", "東東",
    ])
    func nothingIsSyntax(_ query: String) throws {
        let store = try store()
        _ = try store.make("apple pie")
        #expect(try store.searchNotes(query, limit: 9).isEmpty)
    }

    @Test func manyWordsAndLongOnesAreTaken() throws {
        let store = try store()
        _ = try store.make(String(repeating: "word ", count: 20_000))
        #expect(try store.searchNotes(String(repeating: "word ", count: 20_000), limit: 9).count == 1)
        #expect(try store.searchNotes(String(repeating: "w", count: 200_000), limit: 9).isEmpty)
        #expect(try store.searchNotes(String(repeating: "東", count: 200_000), limit: 9).isEmpty)
    }

    @Test func theBestComeFirstAndSnippetsAreShort() throws {
        let store = try store()
        _ = try store.make("zebra " + String(repeating: "other words ", count: 500))
        let short = try store.make("a zebra\nand a zebra")
        let found = try store.searchNotes("zeb", limit: 9)
        #expect(found.first?.note.id == short.id && found.count == 2)
        #expect(found.first?.snippet == "a [zebra] and a [zebra]")
        #expect(found.allSatisfy { $0.snippet.utf8.count < 300 })
        #expect(try store.searchNotes("zeb", limit: 1).count == 1)
    }

    @Test func whatWasTakenBackIsNotFound() throws {
        let store = try store()
        let note = try store.make("before")
        let error = storeError {
            try store.write { (state) throws(StoreError) in
                _ = try state.newNote("never")
                _ = try state.edit(note: .id(note.id), text: "after", insteadOf: nil) { _ in 1 }
                throw StoreError.closed(path: "test")
            }
        }
        #expect(error != nil)
        #expect(try store.searchNotes("never", limit: 9).isEmpty)
        #expect(try store.searchNotes("before", limit: 9).count == 1)
        #expect(try store.note(.current)?.id == note.id)
        try checkIndex()
    }
}

extension Store {
    func make(_ text: String) throws(StoreError) -> Note {
        try write { (state) throws(StoreError) in try state.newNote(text) }
    }

    /// A link as the store keeps it.
    func link(_ note: Note, _ title: String?) throws(StoreError) {
        try write { (state) throws(StoreError) in
            let number = try state.integer(
                "INSERT INTO link (id, note, title, created) VALUES (?, ?, ?, 1) RETURNING number",
                SQLiteValue(identifier: UUIDv7.next()) ?? .null, .integer(note.number), SQLiteValue(title))
            try state.run(
                "INSERT INTO link_text (rowid, title) VALUES (?, ?)", .integer(number ?? 0), SQLiteValue(title))
            try state.run(
                "INSERT INTO link_identifier VALUES (?, 1, ?)", .integer(number ?? 0), .text("https://a.example/x"))
        }
    }
}
