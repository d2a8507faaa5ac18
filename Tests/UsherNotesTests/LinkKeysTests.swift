import StoreTestSupport
import Testing
import UsherScene
import UsherSystem
import UsherTarget
import UsherText

@testable import UsherNotes
@testable import UsherStore

/// What links are found by besides their identifiers: canonical addresses, and identifiers together with their app.
struct LinkKeysTests {
    private let folder = TemporaryDirectory()

    private func found(_ id: String, app: String? = nil, in store: Store) throws -> [Store.NoteMatch] {
        try store.suggestions(for: [TargetContentIdentifier(id)], app: app)
    }

    private func add(_ id: String, app: String? = nil, to note: String, of store: Store) throws {
        _ = try store.add(
            link: Store.NewLink(
                note: .id(note), app: app, identifiers: [.init(.targetContentIdentifier, TargetContentIdentifier(id))]))
    }

    @Test func anAddressIsFoundInEverySpelling() throws {
        let store = try folder.open()
        let note = try store.sampleNote("a page")
        try add("http://a.example/x?utm_source=1&q=2", to: note, of: store)
        #expect(try found("http://a.example/x?utm_source=1&q=2", in: store).map(\.rules) == [[]])
        #expect(try found("https://a.example/x?q=2", in: store).map(\.rules) == [["scheme", "tracking:utm_source"]])
        #expect(
            try found("https://A.example/x?q=2#y", in: store).map(\.rules) == [
                ["scheme", "host", "tracking:utm_source", "fragment"]
            ])
        #expect(try found("https://a.example/x?q=3", in: store).isEmpty)
        #expect(
            try store.links(target: TargetContentIdentifier("https://a.example/x?q=2#z"), limit: 9).map(\.note)
                == [note])
    }

    /// A canonical form that has another one itself: its port is the default one of https.
    @Test func aCanonicalFormIsNotTakenForItself() throws {
        let store = try folder.open()
        let note = try store.sampleNote("a page")
        try add("https://a.example:443/", to: note, of: store)
        #expect(try found("http://a.example:443/", in: store).isEmpty)
        #expect(try found("https://a.example/", in: store).count == 1)
    }

    @Test(arguments: [true, false]) func newerSettings(isRenewed: Bool) throws {
        let old = try folder.open()
        let note = try old.sampleNote("two pages")
        try add("https://a.example/?ref=1#part", to: note, of: old)
        #expect(try found("https://a.example/?ref=2", in: old).isEmpty)
        old.close()
        // A store for reading keeps its keys, and finds the same.
        let store = try folder.open(isRenewed ? .readWrite : .readOnly)
        try store.compareAddresses(
            by: AddressSettings(rules: ["a.example": AddressRule(drop: ["ref"], fragment: .keep)]))
        #expect(try found("https://a.example/?ref=2#part", in: store).map(\.rules) == [["drop:ref"]])
        #expect(try found("https://a.example/?ref=2#other", in: store).isEmpty)
        try store.compareAddresses(by: AddressSettings())
        #expect(try found("https://a.example/?ref=2", in: store).isEmpty)
        #expect(try found("https://a.example/?ref=1", in: store).map(\.rules) == [["fragment"]])
        store.close()
        let count = try folder.number("SELECT count(*) FROM link_key")
        #expect(count == 1)
    }

    @Test func keysOfAnOlderStoreAreMade() throws {
        var store = try folder.open()
        let note = try store.sampleNote("many pages")
        for number in 0..<3 { try add("http://a.example/\(number)", to: note, of: store) }
        try add("7", app: "one.app", to: note, of: store)
        let keys = try folder.number("SELECT count(*) FROM link_key")
        #expect(keys == 4)
        try store.write { (state) throws(StoreError) in
            try state.run("DELETE FROM link_key")
            try state.run("UPDATE store SET addresses = NULL")
        }
        #expect(try found("https://a.example/1", in: store).count == 1)
        #expect(try found("7", app: "one.app", in: store).count == 1)
        #expect(try found("7", app: "other.app", in: store).isEmpty)
        store.close()
        store = try folder.open()
        try store.compareAddresses(by: AddressSettings())
        #expect(try folder.number("SELECT count(*) FROM link_key") == 4)
        #expect(try found("https://a.example/1", in: store).count == 1)
    }

    @Test func keysGoWithTheirLinks() throws {
        let store = try folder.open()
        let note = try store.sampleNote("a page")
        try add("http://a.example/", to: note, of: store)
        let link = try #require(try store.links(limit: 1).first)
        try store.remove(link: link.id)
        #expect(try folder.number("SELECT count(*) FROM link_key") == 0)
        #expect(try found("https://a.example/", in: store).isEmpty)
    }

    @Test func anIdentifierBelongsToItsApp() throws {
        let store = try folder.open()
        let (one, other, none) = (
            try store.sampleNote("one"), try store.sampleNote("other"), try store.sampleNote("none")
        )
        try add("42", app: "one.app", to: one, of: store)
        try add("42", app: "other.app", to: other, of: store)
        try add("42", to: none, of: store)
        // A link that names no app may be any app's.
        #expect(Set(try found("42", app: "one.app", in: store).map(\.note)) == [one, none])
        #expect(Set(try found("42", app: "other.app", in: store).map(\.note)) == [other, none])
        #expect(try found("42", app: "third.app", in: store).map(\.note) == [none])
        #expect(try found("42", in: store).count == 3)
        let target = TargetContentIdentifier("42")
        #expect(try store.links(target: target, app: "one.app", limit: 9).map(\.note) == [none, one])
        #expect(try store.links(target: target, limit: 9).count == 3)
        // The same in one note is two links.
        try add("42", app: "other.app", to: one, of: store)
        #expect(try store.links(note: one, limit: 9).count == 2)
    }

    @Test(arguments: ["clown:42", "7A3B4C11-0000-1000-8000-00805F9B34FB", "https://a.example/42"])
    func aGlobalIdentifierIsTheSameEverywhere(id: String) throws {
        let store = try folder.open()
        let note = try store.sampleNote("global")
        try add(id, app: "one.app", to: note, of: store)
        #expect(try found(id, app: "other.app", in: store).map(\.note) == [note])
    }

    @Test func moreLinksThanAreRenewedAtOnce() throws {
        let store = try folder.open()
        let note = try store.sampleNote("very many pages")
        try store.write { (state) throws(StoreError) in
            let number = try state.integer(
                "SELECT number FROM note WHERE id = ?", SQLiteValue(identifier: note) ?? .null)
            for place in 1...5001 {
                try state.run(
                    "INSERT INTO link (number, id, note, created) VALUES (?, ?, ?, 0)", .integer(Int64(place)),
                    SQLiteValue(identifier: UUIDv7.next()) ?? .null, .integer(number ?? 0))
                try state.run(
                    "INSERT INTO link_identifier (link, kind, identifier) VALUES (?, 1, ?)", .integer(Int64(place)),
                    .text("http://a.example/\(place)"))
            }
        }
        try store.compareAddresses(by: AddressSettings(rules: ["b.example": AddressRule()]))
        #expect(try folder.number("SELECT count(*) FROM link_key") == 5001)
        #expect(try found("https://a.example/5001", in: store).count == 1)
    }
}
