import StoreTestSupport
import Synchronization
import Testing
import UsherScene
import UsherSystem
import UsherTarget
import UsherText

@testable import UsherNotes
@testable import UsherStore

/// What was removed comes back as it was, once, for a month.
struct UndoTests {
    private let folder = TemporaryDirectory()
    private static let day: Int64 = 86_400_000_000

    /// Everything about notes, links and redirects: what an undo has to give back.
    private struct Contents: Equatable {
        var notes: [Store.Note]
        var links: [Store.Link]
        var attachments: [[Store.Attachment]]
        var redirects: [Store.Redirect]
        var keys: Int64?

        init(_ store: Store, _ folder: TemporaryDirectory) throws {
            notes = try store.notes(limit: 100)
            links = try store.links(limit: 100)
            attachments = try notes.map { try store.attachments(of: $0) }
            redirects = try store.redirects(limit: 100).redirects
            keys = try folder.number("SELECT count(*) FROM link_key")
        }
    }

    private func change<Result: Sendable>(
        _ store: Store, _ body: @escaping @Sendable (inout StoreState) throws(StoreError) -> Result
    ) throws -> Result { try store.write(body) }

    /// The operation and the subject; else a word, or the name of the refusal.
    private func undo(_ store: Store) throws -> String {
        switch try store.undo() {
        case .done(let change, let isAside): "\(change.operation.rawValue) \(change.id)\(isAside ? " aside" : "")"
        case .nothing: "nothing"
        case .refused(let refusal): refusal.code.name
        }
    }

    /// A store with two notes, of which the first has four links and two files.
    private func filled(_ configure: (inout StoreOptions) -> Void = { _ in }) throws -> (Store, [Store.Note], [String])
    {
        let store = try folder.open(.readWrite, configure)
        try store.compareAddresses(by: AddressSettings())
        let ids = [try store.sampleNote("Ask Crusty\n#clowns"), try store.sampleNote("Another")]
        var links: [String] = []
        for name in ["a", "b", "c", "d"] {
            let file = FileIdentity(device: 1, inode: UInt64(name.utf8.first ?? 0), birth: 3, size: 4)
            let new = Store.NewLink(
                note: .id(ids[0]), app: name == "b" ? nil : "example.clowntown",
                title: name == "c" ? nil : "Title \(name)",
                identifiers: [
                    .init(
                        .targetContentIdentifier, TargetContentIdentifier("http://Site.example/\(name)?utm_source=x")),
                    .init(.persistentIdentifier, TargetContentIdentifier("local \(name)")),
                ], document: name == "a" ? Array(#"{"activityType":"x","n":1.50}"#.utf8) : nil, file: file)
            links.append(try #require(try store.add(link: new).link).id)
        }
        let note = try #require(try store.note(ids[0]))
        try change(store) { (state) throws(StoreError) in
            try state.attach(Store.Attachment(path: "/b", digest: "sha256:00", size: 2), to: note)
            try state.attach(Store.Attachment(path: "/a"), to: note)
        }
        return (store, try ids.map { try #require(try store.note($0)) }, links)
    }

    private func check(_ store: Store) throws {
        for table in ["note_text", "link_text"] {
            try folder.sql("INSERT INTO \(table) (\(table), rank) VALUES ('integrity-check', 1)")
        }
        #expect(try folder.number("SELECT count(*) FROM pragma_foreign_key_check") == 0)
        try store.check()
    }

    @Test("a note comes back with its links, files, words and place in the list") func note() throws {
        let (store, notes, _) = try filled()
        let before = try Contents(store, folder)
        let id = notes[0].id
        _ = try change(store) { (state) throws(StoreError) in try state.delete(note: .id(id)) }
        #expect(try store.notes(limit: 10).count == 1 && store.links(limit: 10).isEmpty)
        #expect(try store.undoable(limit: 10).map(\.operation) == [.noteDelete])
        #expect(try undo(store) == "note delete \(id)")
        #expect(try Contents(store, folder) == before)
        #expect(try store.searchNotes("crusty", limit: 10).map(\.note.id) == [id])
        #expect(try store.searchNotes("title", limit: 10).map(\.note.id) == [id])
        #expect(try store.suggestions(for: [TargetContentIdentifier("https://site.example/a")]).map(\.note) == [id])
        #expect(try undo(store) == "nothing")
        try check(store)
    }

    @Test("a link comes back at its place, though others were made meanwhile", arguments: 0..<4)
    func link(_ place: Int) throws {
        let (store, notes, links) = try filled()
        let before = try Contents(store, folder)
        try store.remove(link: links[place])
        let new = try #require(try store.add(link: .clown("later", note: notes[0].id)).link)
        #expect(try undo(store) == "link remove \(links[place])")
        #expect(try store.links(note: notes[0].id, limit: 10).map(\.id) == [new.id] + links.reversed())
        try store.remove(link: new.id)
        #expect(try Contents(store, folder) == before)
        try check(store)
    }

    @Test("the newest goes first, each once") func order() throws {
        let (store, notes, links) = try filled()
        let before = try Contents(store, folder)
        let id = notes[0].id
        try store.remove(link: links[1])
        try store.remove(link: links[3])
        _ = try change(store) { (state) throws(StoreError) in try state.delete(note: .id(id)) }
        #expect(
            try store.undoable(limit: 10).map { "\($0.operation.rawValue) \($0.id)" }
                == ["note delete \(id)", "link remove \(links[3])", "link remove \(links[1])"])
        #expect(try store.undoable(limit: 2).count == 2)
        #expect(try undo(store) == "note delete \(id)")
        #expect(try store.links(limit: 10).map(\.id) == [links[2], links[0]])
        #expect(try undo(store) == "link remove \(links[3])")
        #expect(try undo(store) == "link remove \(links[1])")
        #expect(try Contents(store, folder) == before)
        #expect(try undo(store) == "nothing")
        // Nothing of it is left.
        for table in ["undo", "removed_note", "removed_attachment", "removed_link", "removed_link_identifier"] {
            #expect(try folder.number("SELECT count(*) FROM \(table)") == 0, "\(table)")
        }
    }

    @Test("links that one edit removed come back at once") func edit() throws {
        let (store, notes, links) = try filled()
        let before = try Contents(store, folder)
        let id = notes[0].id
        try change(store) { (state) throws(StoreError) in
            try state.removing(as: .noteEdit, of: id) { (state) throws(StoreError) in
                for link in [links[2], links[0]] { _ = try state.remove(link: link) }
            }
            // An edit that removes nothing is no change that can be taken back.
            try state.removing(as: .noteEdit, of: id) { (_) throws(StoreError) in }
        }
        try store.remove(link: links[1])
        #expect(try store.undoable(limit: 10).map(\.operation) == [.linkRemove, .noteEdit])
        #expect(try undo(store) == "link remove \(links[1])")
        #expect(try undo(store) == "note edit \(id)")
        #expect(try Contents(store, folder) == before)
    }

    @Test("what a transaction that fails has removed is not kept either") func failing() throws {
        let (store, notes, links) = try filled()
        let before = try Contents(store, folder)
        let id = notes[0].id
        #expect(throws: StoreError.self) {
            try change(store) { (state) throws(StoreError) in
                _ = try state.remove(link: links[0])
                _ = try state.delete(note: .id(id))
                throw .unreadable("a test", path: "")
            }
        }
        #expect(try Contents(store, folder) == before)
        #expect(try undo(store) == "nothing")
    }

    @Test("of the note in progress, that another one is in progress by now") func current() throws {
        let (store, notes, _) = try filled()
        #expect(notes[1].state == .current)
        let id = notes[1].id
        _ = try change(store) { (state) throws(StoreError) in try state.delete(note: .current) }
        let other = try store.sampleNote("In progress now")
        #expect(try undo(store) == "note delete \(id) aside")
        #expect(try store.note(id)?.state == .aside)
        #expect(try store.note(.current)?.id == other)
        _ = try change(store) { (state) throws(StoreError) in try state.delete(note: .current) }
        #expect(try undo(store) == "note delete \(other)")
        #expect(try store.note(.current)?.id == other)
    }

    @Test("moves, deletions and their taking back") func redirects() throws {
        let store = try folder.open()
        let (a, b, c) = (TargetContentIdentifier("u:a"), TargetContentIdentifier("u:b"), TargetContentIdentifier("u:c"))
        var states = [try Contents(store, folder)]
        func step(_ change: Result<Store.RedirectChange, Diagnostic>) throws {
            _ = try change.get()
            states.append(try Contents(store, folder))
        }
        try step(store.move(a, to: b, reason: "renamed"))
        try step(store.move(b, to: c, isPrefix: true))
        try step(store.delete(content: a, reason: "gone"))
        try step(store.restore(content: a))
        try step(store.restore(content: b, isPrefix: true))
        try step(store.restore(content: a))
        // What changes nothing cannot be taken back.
        try step(store.move(a, to: b, reason: "renamed"))
        try step(store.move(a, to: b))
        states.removeLast()
        let done = [
            "content moved u:a", "content restore u:a", "content restore u:b", "content restore u:a",
            "content deleted u:a",
            "content moved u:b", "content moved u:a",
        ]
        for expected in done {
            states.removeLast()
            let version = try folder.number("SELECT redirects FROM store") ?? 0
            #expect(try undo(store) == expected)
            #expect(try Contents(store, folder) == states.last)
            // Caches notice.
            #expect(try folder.number("SELECT redirects FROM store") ?? 0 > version)
        }
        #expect(try undo(store) == "nothing")
        #expect(states.count == 1)
    }

    @Test("a refused move leaves nothing to take back") func refused() throws {
        let store = try folder.open()
        let (a, b) = (TargetContentIdentifier("u:a"), TargetContentIdentifier("u:b"))
        _ = try store.move(a, to: b)
        guard case .failure = try store.move(b, to: a) else {
            Issue.record("a loop was made")
            return
        }
        #expect(try store.undoable(limit: 10).map(\.id) == ["u:a"])
    }

    @Test("what is in the way is said, and nothing is changed") func conflicts() throws {
        let (store, notes, links) = try filled()
        let (note, link) = (notes[0].id, links[3])
        // As an import does: the same ids are there again.
        try store.remove(link: link)
        let row = ContentRow.Link(
            id: link, note: note, app: nil, title: nil, created: 1, identifiers: [.init(kind: 1, identifier: "u:x")],
            document: nil)
        try change(store) { (state) throws(StoreError) in
            let number = try state.note(.id(note))?.number ?? 0
            try state.insert(row, SQLiteValue(identifier: link) ?? .null, note: number)
        }
        var before = try Contents(store, folder)
        #expect(try undo(store) == "undo.conflict")
        #expect(try Contents(store, folder) == before)
        #expect(try store.undoable(limit: 10).count == 1)
        // Where that is removed, too, it is what can be had back.
        try store.remove(link: link)
        #expect(try store.undoable(limit: 10).map(\.id) == [link])
        #expect(try undo(store) == "link remove \(link)")
        #expect(try store.link(id: link)?.target?.text == "u:x")

        _ = try change(store) { (state) throws(StoreError) in try state.delete(note: .id(note)) }
        let again = ContentRow.Note(
            id: note, text: "again", state: "done", line: 1, created: 1, changed: 1, attachments: [])
        _ = try change(store) { (state) throws(StoreError) in
            try state.insert(again, SQLiteValue(identifier: note) ?? .null)
        }
        before = try Contents(store, folder)
        #expect(try undo(store) == "undo.conflict")
        #expect(try Contents(store, folder) == before)
        _ = try change(store) { (state) throws(StoreError) in try state.delete(note: .id(note)) }
        #expect(try undo(store) == "note delete \(note)")
        #expect(try store.note(note)?.text == "again")

        let (a, b) = (TargetContentIdentifier("u:a"), TargetContentIdentifier("u:b"))
        _ = try store.move(a, to: b)
        try folder.sql("DELETE FROM redirect")
        #expect(try undo(store) == "undo.conflict")
    }

    @Test("a month later it is too late, and the rows are forgotten") func retention() throws {
        let clock = Clock(100 * Self.day)
        let (store, notes, links) = try filled { $0.now = { clock.now } }
        try store.remove(link: links[0])
        clock.now += 10 * Self.day
        let id = notes[1].id
        _ = try change(store) { (state) throws(StoreError) in try state.delete(note: .id(id)) }
        clock.now += 20 * Self.day
        #expect(try store.undoable(limit: 10).count == 2)
        clock.now += 1
        #expect(try store.undoable(limit: 10).map(\.operation) == [.noteDelete])
        try store.prune(now: clock.now)
        #expect(try folder.number("SELECT count(*) FROM undo") == 1)
        #expect(try folder.number("SELECT count(*) FROM removed_link") == 0)
        #expect(try folder.number("SELECT count(*) FROM removed_link_identifier") == 0)
        clock.now += 10 * Self.day
        #expect(try undo(store) == "nothing")
        try store.prune(now: clock.now)
        #expect(try folder.number("SELECT count(*) FROM removed_note") == 0)
    }

    @Test("a store of a version before undo takes changes back, too") func migration() throws {
        try folder.makeStore(version: 5).execute(
            """
            INSERT INTO note (number, id, text, state, line, created, changed)
            VALUES (7, x'0199d0f27a3b7c118f003a5d7e9b1c20', 'old', 'aside', 1, 1, 2);
            INSERT INTO note_text (rowid, text) VALUES (7, 'old');
            INSERT INTO link (number, id, note, title, created) VALUES (9, x'0199d0f27a3b7c118f003a5d7e9b1c21', 7, 't', 3);
            INSERT INTO link_text (rowid, title) VALUES (9, 't');
            INSERT INTO link_identifier VALUES (9, 1, 'u:x');
            """)
        let store = try folder.open()
        let before = try Contents(store, folder)
        #expect(before.notes.map(\.text) == ["old"] && before.links.count == 1)
        _ = try change(store) { (state) throws(StoreError) in
            try state.delete(note: .id("0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20"))
        }
        #expect(try undo(store).hasPrefix("note delete"))
        #expect(try Contents(store, folder) == before)
        try check(store)
    }
}
