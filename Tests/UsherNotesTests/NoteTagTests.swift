import StoreTestSupport
import Testing
import UsherScene
import UsherTarget

@testable import UsherNotes
@testable import UsherStore

struct NoteTagTests {
    let folder = TemporaryDirectory()

    @Test(arguments: [
        ("#a", ["a"]), ("x #Milk #milk #MILK", ["milk"]), ("#b #a\n#c\t#d", ["a", "b", "c", "d"]), ("x#no", []),
        ("(#no)", []), ("#", []), ("##a", []), ("# a", []), ("#1a #_a #-a", []), ("#a1_b-c/d.e", ["a1_b-c/d"]),
        ("#a#b", ["a"]), ("#Größe #GRÖSSE", ["grösse", "größe"]), ("#ΣΣΣ #σςσ", ["σσσ"]), ("#東京 地図", ["東京"]),
        ("\u{A0}#nbsp", ["nbsp"]), ("#cafe\u{301}", ["cafe\u{301}"]), ("#हिन्दी", ["हिन्दी"]), ("#a½", ["a"]),
        ("#I #ı #İ #i", ["i", "İ", "ı"]), ("#ǅ #ǆ #Ǆ", ["ǆ"]), ("#K", ["k"]), ("#a, #b; #c!", ["a", "b", "c"]),
        ("https://a.example/#fragment", []), ("", []),
    ])
    func ofATest(_ text: String, _ tags: [String]) {
        let found = NoteTag.all(in: text).map(\.text)
        #expect(found.map { Array($0.utf8) } == tags.map { Array($0.utf8) }, "\(found)")
    }

    @Test func aTagByItself() {
        #expect(NoteTag("#Milk") == NoteTag("milk") && NoteTag("milk")?.text == "milk")
        for text in ["", "#", "1", "a b", "##a", "a.b", "#a "] { #expect(NoteTag(text) == nil, "\(text)") }
    }

    @Test func notesAreListedAndCountedByTags() throws {
        let store = try folder.open()
        let first = try store.make("Buy #milk and #Eggs")
        let second = try store.make("More #MILK")
        _ = try store.make("milk # without")
        let tag = try #require(NoteTag("milk"))
        #expect(try store.notes(tag: tag, limit: 9).map(\.id) == [second.id, first.id])
        #expect(try store.notes(tag: tag, limit: 1).map(\.id) == [second.id])
        #expect(try store.notes(tag: tag, limit: 9, before: second).map(\.id) == [first.id])
        #expect(try store.notes(.current, tag: tag, limit: 9).isEmpty)
        #expect(try store.noteTags().map { "\($0.tag.text) \($0.notes)" } == ["eggs 1", "milk 2"])
        _ = try store.write { (state) throws(StoreError) in
            try state.edit(note: .id(second.id), text: "none", insteadOf: nil) { _ in 1 }
        }
        #expect(try store.noteTags().map { "\($0.tag.text) \($0.notes)" } == ["eggs 1", "milk 1"])
    }

    @Test func tagsAreFoundAmongTheWords() throws {
        let store = try folder.open()
        let both = try store.make("Horns and balloons #party #Work/Now")
        _ = try store.make("party without a tag, and balloons")
        let other = try store.make("#party alone")
        func search(_ text: String) throws -> [String] { try store.searchNotes(text, limit: 9).map(\.note.id) }
        #expect(try search("#PARTY") == [other.id, both.id])
        #expect(try search("#party ball") == [both.id])
        #expect(try search("#party #work/now") == [both.id])
        // As a whole: not the beginning of a tag.
        #expect(try search("#part").isEmpty)
        #expect(try search("#work").isEmpty)
        #expect(try store.searchNotes("#work/now", limit: 9).first?.snippet.hasSuffix("#party [#Work/Now]") == true)
        #expect(try store.searchNotes("#party", limit: 1).count == 1)
    }
}

/// Notes that are found by what they link to.
struct LinkWordsTests {
    let folder = TemporaryDirectory()

    private func search(_ store: Store, _ text: String) throws -> [String] {
        try store.searchNotes(text, limit: 9).map { "\($0.note.text) \($0.snippet)" }
    }

    private func add(_ store: Store, _ note: Store.Note, _ target: String, title: String? = nil) throws -> String {
        let identifiers = [Store.LinkIdentifier(.targetContentIdentifier, TargetContentIdentifier(target))]
        return try #require(
            try store.add(link: .init(note: .id(note.id), title: title, identifiers: identifiers)).link?.id)
    }

    private func check() throws {
        try folder.sql("INSERT INTO link_text (link_text, rank) VALUES ('integrity-check', 1)")
    }

    @Test func byTheWordsOfAnAddress() throws {
        let store = try folder.open()
        let note = try store.make("the note")
        let link = try add(store, note, "https://wiki.example/Caf%C3%A9%20au%2Flait/Golden_Gate?q=7", title: "A bridge")
        _ = try add(store, note, "zotero://select/ABC")
        for text in ["wiki", "cafe", "golden gate", "gate", "bridge wiki", "zotero", "select abc"] {
            #expect(try search(store, text).count == 1, "\(text)")
        }
        for text in ["https", "20", "elsewhere"] { #expect(try search(store, text).isEmpty, "\(text)") }
        #expect(try store.searchNotes("gate", limit: 9).first?.isByLink == true)
        let isRenamed = try store.write { (state) throws(StoreError) in try state.rename(link: link, to: "A tower") }
        #expect(isRenamed)
        #expect(try search(store, "bridge").isEmpty)
        #expect(try search(store, "tower gate").count == 1)
        try check()
        try store.remove(link: link)
        #expect(try search(store, "gate").isEmpty)
        _ = try store.write { (state) throws(StoreError) in try state.delete(note: .id(note.id)) }
        #expect(try search(store, "zotero").isEmpty)
        try check()
    }

    @Test func wordsInSeveralPlaces() throws {
        let store = try folder.open()
        let note = try store.make("Ask about balloons")
        _ = try add(store, note, "https://clowntown.example/clowns/crusty", title: "He")
        _ = try add(store, note, "https://circus.example/horn")
        _ = try store.make("balloons alone")
        #expect(try search(store, "balloons crusty").count == 1)
        #expect(try search(store, "crusty horn balloons he").count == 1)
        #expect(try search(store, "balloons bozo").isEmpty)
        #expect(try store.searchNotes("balloons", limit: 9).count == 2)
    }

    @Test func signsAndScriptsWithoutBlanks() throws {
        let store = try folder.open()
        let note = try store.make("the note")
        _ = try add(store, note, "https://wiki.example/%E6%9D%B1%E4%BA%AC%E9%83%BD")
        #expect(try search(store, "京都") == ["the note wiki.example/東[京都]"])
    }

    @Test func linksOfAnOlderStoreAreFound() throws {
        do {
            let connection = try folder.makeStore(version: 5)
            try connection.execute(
                """
                INSERT INTO note VALUES (1, x'00112233445566778899aabbccddeeff', 'old', 'aside', 1, 1, 1);
                INSERT INTO note_text (rowid, text) VALUES (1, 'old');
                INSERT INTO link (number, id, note, title, created)
                VALUES (1, x'10112233445566778899aabbccddeeff', 1, 'A title', 1);
                INSERT INTO link_text (rowid, title) VALUES (1, 'A title');
                INSERT INTO link_identifier VALUES (1, 1, 'https://wiki.example/Golden%20Gate/caf%C3%A9');
                """)
        }
        // Read as it is, in a copy.
        let reader = try folder.open(.readOnly)
        #expect(try search(reader, "gate title").count == 1)
        reader.close()
        let store = try folder.open()
        #expect(try search(store, "gate").count == 1)
        try store.compareAddresses(by: AddressSettings())
        #expect(try search(store, "cafe gate").count == 1)
        try check()
    }
}
