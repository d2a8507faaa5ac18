import Foundation
import StoreTestSupport
import Testing
import UsherScene

@testable import UsherNotes
@testable import UsherStore

/// Notes that speak of content, found by the identifiers of what is looked at.
struct SuggestionsTests {
    private let folder = TemporaryDirectory()

    @Test func byEveryIdentifier() throws {
        let store = try folder.open()
        let note = try store.sampleNote("Ask Crusty\nabout the pie")
        _ = try store.add(
            link: Store.NewLink(
                note: .id(note), title: "Crusty",
                identifiers: [
                    .init(.targetContentIdentifier, .clown("crusty")),
                    .init(.webpageURL, TargetContentIdentifier("https://clowntown.example/crusty.html")),
                ]))
        for identifiers in [
            [TargetContentIdentifier.clown("crusty")],
            [TargetContentIdentifier("https://clowntown.example/crusty.html")],
            [.clown("bozo"), .clown("crusty"), TargetContentIdentifier("https://clowntown.example/crusty.html")],
        ] {
            let found = try store.suggestions(for: identifiers)
            #expect(found.map(\.note) == [note], "\(identifiers)")
            #expect(found.first?.text == "Ask Crusty\nabout the pie")
            #expect(found.first?.via == [])
        }
        for other in ["https://clowntown.example/clowns/Crusty", "https://clowntown.example/clowns/crusty/", ""] {
            #expect(try store.suggestions(for: [TargetContentIdentifier(other)]).isEmpty, "\(other)")
        }
    }

    @Test func aNoteIsSuggestedOnce() throws {
        let store = try folder.open()
        let notes = [try store.sampleNote("old"), try store.sampleNote("new")]
        for note in notes {
            _ = try store.add(link: .clown("crusty", note: note))
            _ = try store.add(link: .clown("bozo", note: note))
        }
        let found = try store.suggestions(for: [.clown("bozo"), .clown("crusty")])
        #expect(found.map(\.note) == notes.reversed())
        #expect(found.map(\.identifier) == [.clown("bozo"), .clown("bozo")])
        #expect(try store.suggestions(for: [.clown("bozo")], limit: 1).count == 1)
    }

    /// The look-up is by index alone, however many links there are, and leaves the file alone.
    @Test func amongVeryMany() throws {
        let store = try folder.open()
        try store.fill(links: 20_000)
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.database + "-wal"))
        #expect(try store.suggestions(for: [.clown("19999")]).map(\.text) == ["Note 5000 about clowns"])
        #expect(try store.suggestions(for: [.clown("20001")]).isEmpty)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database + "-wal")) == before)
        // The page that a note's links share.
        let page = TargetContentIdentifier("https://clowntown.example/pages/77")
        #expect(try store.suggestions(for: [page]).map(\.link.title) == ["Clown 308"])
        #expect(try store.links(target: page, limit: 10).count == 4)
    }
}
