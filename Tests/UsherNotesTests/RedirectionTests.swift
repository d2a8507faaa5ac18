import StoreTestSupport
import Testing
public import UsherScene

@testable import UsherNotes
@testable import UsherStore

/// Where identifiers lead.
@Suite("Redirection")
struct RedirectionTests {
    let folder = TemporaryDirectory()
    /// 2026-03-14T09:00:00Z.
    static let day: Int64 = 1_773_478_800_000_000

    private func store(_ lines: [String]) throws -> Store {
        let store = try folder.open { $0.now = { Self.day } }
        for line in lines { try store.apply(line) }
        return store
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        /// `A > B`, `A* > B*`, `A x`.
        var redirects: [String]
        var id: String
        var leads: [String]
        var isDeleted: Bool
        var older: [String]
        var testDescription: String { name }

        init(
            _ name: String, _ redirects: [String], _ id: String, leads: [String], isDeleted: Bool = false,
            older: [String] = []
        ) {
            (self.name, self.redirects, self.id) = (name, redirects, id)
            (self.leads, self.isDeleted, self.older) = (leads, isDeleted, older)
        }
    }

    static let cases: [Case] = [
        .init("nothing is known of it", ["a > b"], "c", leads: []),
        .init("one hop", ["a > b"], "a", leads: ["b"]),
        .init("three hops, made in any order", ["b > c", "a > b", "c > d"], "a", leads: ["b", "c", "d"]),
        .init("the newest knows the others", ["a > b", "c > b", "b > d"], "d", leads: [], older: ["b", "a", "c"]),
        .init("one in the middle knows both sides", ["a > b", "b > c"], "b", leads: ["c"], older: ["a"]),
        .init("a prefix", ["https://a/* > https://b/*"], "https://a/x/y", leads: ["https://b/x/y"]),
        .init("the prefix itself", ["https://a/* > https://b/*"], "https://a/", leads: ["https://b/"]),
        .init("less than the prefix", ["https://a/* > https://b/*"], "https://a", leads: []),
        .init("the longest prefix wins", ["a/* > 1/*", "a/b/c/* > 3/*", "a/b/* > 2/*"], "a/b/x", leads: ["2/x"]),
        .init(
            "neighbours in the order hide no prefix", ["a/* > 1/*", "a/b* > 2*", "a/bb* > 3*", "a/bz* > 4*"], "a/bc",
            leads: ["2c"]),
        .init(
            "far neighbours hide none", ["a* > 1*", "ab1* > 2*", "ab11* > 3*", "ab12* > 4*", "ac* > 5*"], "ab2",
            leads: ["1b2"]),
        .init("the very identifier wins over any prefix", ["a/* > b/*", "a/x > c"], "a/x", leads: ["c"]),
        .init("what it begins with is moved on", ["a/* > b/*", "b/x > c"], "a/x", leads: ["b/x", "c"]),
        .init("a prefix within itself", ["a/* > a/new/*"], "a/x", leads: ["a/new/x"]),
        .init("which is done once", ["a/* > a/new/*"], "a/new/x", leads: [], older: ["a/x"]),
        .init(
            "and leaves it to a shorter one", ["a/b/* > a/b/new/*", "a/* > c/*"], "a/b/x",
            leads: ["a/b/new/x", "c/b/new/x"], older: []),
        .init("a prefix taken away", ["a/old/* > a/*"], "a/old/x", leads: ["a/x"]),
        .init("is found backwards once", ["a/old/* > a/*"], "a/x", leads: [], older: ["a/old/x"]),
        .init("prefixes backwards", ["a/* > c/*", "b/* > c/*", "b/x > z"], "c/x", leads: [], older: ["a/x"]),
        .init(
            "prefixes backwards, as far as they lead here", ["a/* > c/*", "b/* > c/*"], "c/x", leads: [],
            older: ["a/x", "b/x"]),
        .init("bytes: the letter and its accent apart", ["caf\u{E9} > new"], "cafe\u{301}", leads: []),
        .init("bytes: a prefix that ends before an accent", ["cafe* > tea*"], "cafe\u{301}", leads: ["tea\u{301}"]),
        .init("characters that share their first byte", ["x\u{E8}* > y*", "x* > z*"], "x\u{E9}", leads: ["z\u{E9}"]),
        .init("letter case", ["A > b"], "a", leads: []),
        .init("deleted", ["a x"], "a", leads: [], isDeleted: true),
        .init("moved, then deleted", ["a > b", "a x"], "a", leads: ["b"], isDeleted: true),
        .init("deleted below a prefix", ["a/* > b/*", "a/1 x"], "a/1", leads: ["b/1"], isDeleted: true),
        .init("its neighbour is not", ["a/* > b/*", "a/1 x"], "a/2", leads: ["b/2"]),
        .init("taken back", ["a > b", "a -"], "a", leads: []),
        .init("a deletion taken back by an old name", ["a > b", "a x", "a -"], "a", leads: ["b"]),
        .init("a prefix taken back", ["a/* > b/*", "a/* -"], "a/1", leads: []),
    ]

    @Test(arguments: cases)
    func leads(_ example: Case) throws {
        let store = try store(example.redirects)
        let redirection = try store.redirection(of: TargetContentIdentifier(example.id))
        #expect(redirection.hops.map(\.to.text) == example.leads)
        #expect(zip(redirection.hops.dropFirst(), redirection.hops).allSatisfy { $0.from == $1.to })
        #expect(redirection.isDeleted == example.isDeleted)
        #expect((redirection.tombstone != nil) == example.isDeleted)
        #expect(redirection.olderIdentifiers.map(\.text) == example.older)
    }

    @Test func notesSayWhichAndWhen() throws {
        let store = try store([])
        _ = try store.move("a", to: "b").get()
        _ = try store.move("b/", to: "c/", isPrefix: true, reason: "new host").get()
        _ = try store.delete(content: "c/x", reason: "retired").get()
        #expect(try store.redirection(of: "a").hops.map(\.note) == ["move 1, 2026-03-14"])
        let gone = try store.redirection(of: "b/x")
        #expect(gone.hops.map(\.note) == ["prefix move 2, 2026-03-14: new host"])
        #expect(gone.end == .deleted(note: "c/x was deleted on 2026-03-14: retired"))
        #expect(gone.tombstone == .init(identifier: "c/x", made: Self.day, reason: "retired"))
    }

    @Test func theSameAgainChangesNothing() throws {
        let store = try store(["a > b", "c x"])
        let version = try store.sessions().redirects
        #expect(try store.move("a", to: "b", reason: "again").get().isNew == false)
        #expect(try store.delete(content: "c", reason: "again").get().isNew == false)
        #expect(try store.sessions().redirects == version)
        #expect(try store.redirects(limit: 10).redirects.map(\.number) == [2, 1])
    }

    @Test func everyChangeIsNoticed() throws {
        let store = try store([])
        #expect(try store.sessions().redirects == 0)
        var versions: [Int64] = []
        for line in ["a > b", "c x", "p/* > q/*", "p/* -", "c -"] {
            try store.apply(line)
            versions.append(try store.sessions().redirects)
        }
        #expect(versions == [1, 2, 3, 4, 5])
        _ = try store.move("b", to: "a")
        #expect(try store.sessions().redirects == 5, "what was refused is no change")
    }

    @Test func anOlderIdentifierIsNotLookedForWithoutEnd() throws {
        let store = try store((0..<200).map { "old\($0) > new" })
        #expect(try store.redirection(of: "new").olderIdentifiers.count == 64)
        #expect(try store.redirection(of: "old199").aliases(of: "old199").prefix(2).map(\.text) == ["new", "old199"])
    }

    /// Another program wrote into the file.
    @Test func whatIsWrongInTheFileIsBounded() throws {
        let store = try store(["a > b"])
        try folder.sql("INSERT INTO redirect (source, destination, is_prefix, made) VALUES ('b', 'a', 0, 0)")
        #expect(try store.redirection(of: "a").end == .loop)
        try folder.sql(
            "INSERT INTO redirect (source, destination, is_prefix, made) VALUES ('x', 'xx', 1, 0), ('xx', 'x1', 1, 0)")
        let deep = try store.redirection(of: TargetContentIdentifier(String(repeating: "x", count: 100)))
        #expect(deep.hops.count <= Redirection.maximumHops + 1)
    }

    @Test func whatWouldBeTooLongStaysWhereItIs() throws {
        let store = try store([])
        _ = try store.move(
            "a/", to: TargetContentIdentifier("b/" + String(repeating: "b", count: 16_000)), isPrefix: true
        )
        .get()
        let id = TargetContentIdentifier("a/" + String(repeating: "a", count: 1000))
        #expect(try store.redirection(of: id).hops.isEmpty)
        #expect(try store.redirection(of: "a/a").hops.count == 1)
    }
}

extension TargetContentIdentifier: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self.init(value) }
}

extension Store {
    /// `A > B`, `A* > B*`, `A x` (deleted), `A -` and `A* -` (taken back).
    func apply(_ line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let isPrefix = words[0].hasSuffix("*")
        func id(_ word: String) -> TargetContentIdentifier {
            TargetContentIdentifier(word.hasSuffix("*") ? String(word.dropLast()) : word)
        }
        switch words[1] {
        case ">": _ = try move(id(words[0]), to: id(words[2]), isPrefix: isPrefix).get()
        case "x": _ = try delete(content: id(words[0])).get()
        default: _ = try restore(content: id(words[0]), isPrefix: isPrefix).get()
        }
    }
}
