import StoreTestSupport
import Testing
import UsherScene
import UsherSystem
import UsherText

@testable import UsherNotes
@testable import UsherStore

/// Links of notes to content: kept exactly as they were given, found by every identifier, gone without a trace.
struct LinksTests {
    private let folder = TemporaryDirectory()

    @Test func aLinkIsKeptAsItWasGiven() throws {
        let store = try folder.open()
        let note = try store.sampleNote("Ask Crusty")
        // Two identifiers that differ only after Unicode normalisation are two.
        let composed = TargetContentIdentifier("clown:\u{E9}")
        let decomposed = TargetContentIdentifier("clown:e\u{301}")
        let document = Array(#"{"activityType":"example.clowntown.view","unknown":[1,2.50]}"#.utf8)
        let added = try store.add(
            link: Store.NewLink(
                note: .id(note), app: "example.clowntown", title: "Crusty",
                identifiers: [
                    .init(.webpageURL, TargetContentIdentifier("https://clowntown.example/")),
                    .init(.persistentIdentifier, decomposed), .init(.targetContentIdentifier, composed),
                ], document: document))
        let made = try #require(added.link)
        #expect(added.word == "added")
        let link = try #require(try store.link(id: made.id))
        #expect(link == made)
        #expect(UUIDv7.isOne(link.id))
        #expect(link.note == note)
        #expect(link.identifiers.map(\.kind) == [.targetContentIdentifier, .persistentIdentifier, .webpageURL])
        #expect(link.identifiers.map(\.identifier)[..<2] == [composed, decomposed])
        #expect(link.target == composed)
        #expect(link.resolved == composed)
        #expect(link.webpage?.text == "https://clowntown.example/")
        #expect(link.document == document)
        // After years of other programs: read by a process of its own.
        #expect(try folder.open(.readOnly).link(id: link.id) == link)
    }

    @Test func theSameContentTwiceInOneNote() throws {
        let store = try folder.open()
        let (one, other) = (try store.sampleNote("one"), try store.sampleNote("other"))
        let first = try store.add(link: .clown("crusty", note: one))
        let again = try store.add(link: .clown("crusty", note: one, title: "Another title"))
        #expect(again.word == "known")
        #expect(again.link == first.link)
        #expect(try store.add(link: .clown("bozo", note: one)).word == "added")
        #expect(try store.add(link: .clown("crusty", note: other)).word == "added")
        #expect(try store.links(limit: 10).count == 3)
        #expect(try store.links(note: one, limit: 10).count == 2)
    }

    @Test func withoutANote() throws {
        let store = try folder.open()
        for note in [UUIDv7.next(), "", "current"] {
            #expect(try store.add(link: .clown("crusty", note: note)).word == "no note")
        }
        #expect(try store.links(limit: 10).isEmpty)
        #expect(try store.link(id: "nothing of ours") == nil)
    }

    @Test func pages() throws {
        let store = try folder.open()
        let note = try store.sampleNote("many")
        for number in 1...7 { _ = try store.add(link: .clown("\(number)", note: note)) }
        var titles: [String?] = []
        var last: String?
        repeat {
            let page = try store.links(limit: 3, before: last)
            titles += page.map(\.title)
            last = page.last?.id
        } while last != nil
        #expect(titles == ["7", "6", "5", "4", "3", "2", "1"])
        #expect(try store.links(target: .clown("4"), limit: 3).map(\.title) == ["4"])
        #expect(try store.links(note: UUIDv7.next(), limit: 3).isEmpty)
        #expect(try store.links(limit: 3, before: UUIDv7.next()).isEmpty)
    }

    @Test func removedWithItsWords() throws {
        let store = try folder.open()
        let note = try store.sampleNote("short-lived")
        let link = try #require(try store.add(link: .clown("crusty", note: note, title: "Crusty Krusty")).link)
        _ = try store.add(link: .clown("bozo", note: note, title: nil))
        #expect(try folder.number("SELECT count(*) FROM link_text WHERE link_text MATCH 'krusty'") == 1)
        #expect(try store.remove(link: link.id) == link)
        #expect(try store.remove(link: link.id) == nil)
        #expect(try folder.number("SELECT count(*) FROM link_text WHERE link_text MATCH 'krusty'") == 0)
        #expect(try folder.number("SELECT count(*) FROM link_identifier") == 1)
        _ = try store.write { (state) throws(StoreError) in try state.delete(note: .id(note)) }
        #expect(try folder.number("SELECT count(*) FROM link") == 0)
        #expect(try folder.number("SELECT count(*) FROM link_text WHERE link_text MATCH 'bozo'") == 0)
        // The index agrees with the table, as far as FTS5 itself can tell.
        try folder.sql("INSERT INTO link_text (link_text, rank) VALUES ('integrity-check', 1)")
    }
}
