import StoreTestSupport
import TestSupport
import Testing
import UsherActivities
import UsherScene
import UsherSystem
import UsherText

@testable import UsherNotes
@testable import UsherStore

/// Where identifiers lead that activities and links have beside others.
@Suite("Ties")
struct TiesTests {
    let folder = TemporaryDirectory()

    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        /// `activity APP TARGET PERSISTENT WEBPAGE`, `page …`, `link …`, with `-` for what is not there, or a redirect.
        var lines: [String]
        var id: String
        var app: String?
        /// The kinds of the hops, and where each leads.
        var leads: [String]
        var older: [String]
        var testDescription: String { name }

        init(
            _ name: String, _ lines: [String], _ id: String, app: String? = "a", leads: [String], older: [String] = []
        ) {
            (self.name, self.lines, self.id, self.app) = (name, lines, id, app)
            (self.leads, self.older) = (leads, older)
        }
    }

    static let whole = ["activity a x:T p https://w"]

    static let cases: [Case] = [
        .init("a persistent identifier", whole, "p", leads: ["activity x:T"], older: ["https://w"]),
        .init("a web page", whole, "https://w", leads: ["activity x:T"], older: ["p"]),
        .init("the content itself", whole, "x:T", leads: [], older: ["https://w", "p"]),
        .init("something else", whole, "x:U", leads: []),
        .init("the first of two", ["activity a - p https://w"], "https://w", leads: ["activity p"]),
        .init("a link", ["link a x:T - https://w"], "https://w", leads: ["link x:T"]),
        .init("a link without an app", ["link - x:T p -"], "p", leads: ["link x:T"]),
        .init("both", ["link a x:T p -", "activity a x:T p -"], "p", leads: ["activity x:T"]),
        .init("a link with one identifier", ["link a - p -", "activity a x:T p -"], "p", leads: ["activity x:T"]),
        .init("an activity with one", ["activity a - p -", "activity a x:T p -"], "p", leads: []),
        .init(
            "several that agree", whole + whole + ["link a x:T p -"], "p", leads: ["activity x:T"], older: ["https://w"]
        ),
        .init("two contents", whole + ["activity a x:U p -"], "p", leads: []),
        .init("two contents of an activity and a link", whole + ["link a x:U p -"], "p", leads: []),
        .init("what is the content of another one", whole + ["activity a p - -"], "p", leads: []),
        .init("a page of a browser", ["page a x:T p https://w"], "https://w", leads: []),
        .init("a link to a page of a browser", ["pagelink a x:T - https://w"], "https://w", leads: []),
        // Without a scheme, within an app.
        .init("in another app", whole, "p", app: "b", leads: []),
        .init("in no app", whole, "p", app: nil, leads: []),
        .init("a page, in no app", whole, "https://w", app: nil, leads: ["activity x:T"]),
        .init("a page, in another app", whole, "https://w", app: "b", leads: ["activity x:T"]),
        .init(
            "the same in two apps", whole + ["activity b x:U p -"], "p", leads: ["activity x:T"], older: ["https://w"]),
        .init("a page in two apps", whole + ["activity b x:U - https://w"], "https://w", leads: []),
        .init(
            "a UUID", ["activity a x:T 9F0E5B0A-6D5C-4B7E-8A43-0F1B2C3D4E5F -"], "9F0E5B0A-6D5C-4B7E-8A43-0F1B2C3D4E5F",
            app: nil, leads: ["activity x:T"]),
        .init("content of another app", ["activity b T - https://w"], "https://w", leads: []),
        .init("content of an app", ["activity b T - https://w"], "https://w", app: nil, leads: ["activity T"]),
        // By bytes.
        .init("an accent", ["activity a x:T caf\u{E9} -"], "cafe\u{301}", leads: []),
        // With redirects.
        .init(
            "content that moved", whole + ["x:T > x:U"], "p", leads: ["activity x:T", "move x:U"], older: ["https://w"]),
        .init("moved onto it", whole + ["o > p"], "o", leads: ["move p", "activity x:T"], older: ["https://w"]),
        .init("its own move goes first", whole + ["p > q"], "p", leads: ["move q"]),
        .init(
            "a tie goes before a prefix", whole + ["https://* > http://*"], "https://w", leads: ["activity x:T"],
            older: ["p"]),
        .init(
            "found backwards", whole + ["https://* > http://*", "p > q"], "http://w", leads: []),
        .init(
            "contents that moved to one", whole + ["activity a x:U p -", "x:T > x:U"], "p", leads: ["activity x:U"],
            older: ["x:T", "https://w"]),
        .init(
            "content that moved to what it is tied to", whole + ["x:T > p"], "x:T", leads: ["move p"],
            older: ["https://w"]),
        .init("and that", whole + ["x:T > p"], "p", leads: [], older: ["x:T", "https://w"]),
        .init("and another", whole + ["x:T > p"], "https://w", leads: ["activity x:T", "move p"]),
    ]

    @Test(arguments: cases)
    func leads(_ example: Case) throws {
        let store = try folder.open()
        for line in example.lines { try store.tie(line) }
        let id = TargetContentIdentifier(example.id)
        let redirection = try store.redirection(of: id, .within(app: example.app))
        #expect(redirection.hops.map { "\($0.kind.rawValue) \($0.to.text)" } == example.leads)
        #expect(redirection.end == .content)
        #expect(redirection.olderIdentifiers.map(\.text).sorted() == example.older.sorted())
        // Moves alone know nothing of it.
        #expect(try store.redirection(of: id).hops.allSatisfy { !$0.isTie })
        #expect(
            try store.redirection(of: id).olderIdentifiers.allSatisfy {
                $0 == "x:T" || $0 == "o" || $0.text.hasPrefix("https")
            })
    }

    @Test(
        "contents that do not agree are named",
        arguments: [
            (whole, "p", []), (whole, "x:U", []), (whole + ["activity a x:U p -"], "p", ["x:T", "x:U"]),
            (whole + ["link a x:U p -"], "p", ["x:T", "x:U"]), (whole + ["activity a p - -"], "p", ["p", "x:T"]),
            (whole + ["activity b x:U p -"], "p", []), (whole + ["activity a x:U p -", "x:T > x:U"], "p", []),
            ((1...20).map { "activity a x:\($0) p -" }, "p", ["x:1"] + (10...17).map { "x:\($0)" }),
        ])
    func disagreement(_ lines: [String], _ id: String, _ contents: [String]) throws {
        let store = try folder.open()
        for line in lines { try store.tie(line) }
        #expect(try store.disagreement(on: TargetContentIdentifier(id), app: "a").map(\.text).sorted() == contents)
    }

    @Test("deleted content is deleted under each of its identifiers")
    func deleted() throws {
        let store = try folder.open()
        for line in Self.whole + ["x:T x"] { try store.tie(line) }
        for id in ["p", "https://w", "x:T"] {
            #expect(
                try store.redirection(of: TargetContentIdentifier(id), .within(app: "a")).tombstone?.identifier == "x:T"
            )
        }
    }

    @Test("changes of activities and links are noticed where they tie something")
    func versions() throws {
        let store = try folder.open()
        func version() throws -> Int64 { try store.sessions().redirects }
        try store.tie("activity a x:T - -")
        try store.tie("link a x:T - -")
        try store.tie("page a x:T - https://w")
        #expect(try version() == 0)
        var last: Int64 = 0
        func expectChange(_ body: () throws -> Void) throws {
            try body()
            let now = try version()
            #expect(now > last)
            last = now
        }
        try expectChange { try store.tie("activity a x:T p -") }
        try store.tie("activity a x:T p -")
        #expect(try version() == last, "nothing new")
        try expectChange { try store.tie("activity a - p -") }
        try expectChange { try store.tie("link a x:U p -") }
        try expectChange { try store.update("- q -") }
        let link = try #require(try store.links(limit: 1).first)
        try expectChange { _ = try store.remove(link: link.id) }
        try expectChange { _ = try store.undo() }
        try expectChange { try store.remove(note: link.note) }
        try expectChange { try store.forgetActivities() }
        #expect(try store.redirection(of: "p", .within(app: "a")) == .none)
        #expect(try folder.texts("SELECT identifier FROM tie") == ["q"])
    }

    @Test("the counts are those of all activities and links, whatever is done", arguments: [UInt64(3), 4, 5])
    func counts(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let store = try folder.open()
        let ids = ["x:T", "x:U", "p", "q", "https://w", "-"]
        for _ in 0..<200 {
            func word(_ words: [String]) -> String { words.randomElement(using: &generator) ?? "-" }
            let three = "\(word(ids)) \(word(ids)) \(word(ids))"
            let link = try store.links(limit: 20).randomElement(using: &generator)
            switch Int.random(in: 0..<12, using: &generator) {
            case 0...4:
                let what = word(["activity", "activity", "link", "link", "page", "pagelink"])
                try store.tie("\(what) \(word(["a", "b", "-"])) \(three)")
            case 5, 6: try store.update(three)
            case 7: if let link { _ = try store.remove(link: link.id) }
            case 8: if let link { try store.remove(note: link.note) }
            case 9, 10: _ = try store.undo()
            default: try store.forgetActivities()
            }
        }
        let columns = "identifier || ' ' || app || ' ' || content || ' ' || activities || ' ' || links"
        let kept = try folder.texts("SELECT \(columns) FROM tie ORDER BY 1")
        store.close()
        _ = try StoreRepair.run(directory: folder.path, features: [.notes, .activities, .ties])
        #expect(try folder.texts("SELECT \(columns) FROM tie ORDER BY 1") == kept)
        #expect(!kept.isEmpty)
    }

    @Test("a file of a version without ties gets them of what it has")
    func installed() throws {
        do {
            let store = try Store(directory: folder.path, access: .readWrite, features: [.notes, .activities])
            for line in Self.whole + ["link a x:U q -"] { try store.tie(line) }
        }
        for access in [Store.Access.readOnly, .readWrite] {
            let store = try folder.open(access)
            #expect(try store.redirection(of: "p", .within(app: "a")).hops.map(\.to) == ["x:T"])
            #expect(try store.redirection(of: "q", .within(app: "a")).hops.map(\.kind) == [.link])
        }
    }

    @Test("ties are found by the index, however many there are")
    func many() throws {
        let store = try folder.open()
        // One page beside very many contents, and one content of very many pages.
        let numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)"
        try folder.sql(
            """
            INSERT INTO tie \(numbers) SELECT 'https://all.example/', 'a', 'x:' || i, 0, 1 FROM n;
            INSERT INTO tie \(numbers) SELECT 'https://pages.example/' || i, 'a', 'x:one', 0, 1 FROM n;
            INSERT INTO tie \(numbers) SELECT 'https://items.example/', 'b', 'item-' || i, 0, 1 FROM n;
            INSERT INTO tie VALUES ('https://items.example/', 'b', 'x:last', 0, 1);
            INSERT INTO tie VALUES ('https://items.example/', 'c', 'mine', 0, 1);
            """)
        try store.tie("link a x:T - https://w")
        for query in [
            "identifier = 'x'", "identifier = 'x' AND app IN ('a', '')", "identifier = 'x' AND app NOT IN ('a', '')",
            "content = 'x' AND identifier <> content",
        ] {
            let plan = try store.read { (state) throws(StoreError) in
                try state.rows("EXPLAIN QUERY PLAN SELECT app FROM tie WHERE \(query)") { $0.text(3) }
            }
            #expect(plan.allSatisfy { $0.hasPrefix("SEARCH") }, "\(plan)")
        }
        #expect(try store.redirection(of: "https://all.example/", .within(app: nil)).hops.isEmpty)
        // No more is read than is compared.
        #expect(try store.disagreement(on: "https://all.example/", app: nil).count == 9)
        let one = try store.redirection(of: "x:one", .within(app: "a"))
        #expect(one.hops.isEmpty && one.olderIdentifiers.count == 64)
        // Contents of another app are passed over, but not all of them; those of the app are found first.
        for (app, expected) in [("a", []), ("c", ["mine"])] {
            let found = try store.redirection(of: "https://items.example/", .within(app: app)).hops
            #expect(found.map(\.to.text) == expected, "\(app)")
        }
        try store.tie("link a x:one - https://all.example/")
        #expect(try store.disagreement(on: "https://all.example/", app: "a").count == 9)
        #expect(try store.redirection(of: "https://w", .within(app: nil)).hops.count == 1)
    }
}

extension Store {
    /// See `TiesTests.Case.lines`.
    func tie(_ line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let isPage = words[0].hasPrefix("page")
        switch words[0] {
        case "activity", "page":
            // A new one: the same again would be the same activity.
            var content = content(words.dropFirst(2).joined(separator: " "))
            if isPage { content.type = ActivationRequest.browsingActivity }
            let session = "s-" + words[1]
            if try self.session(id: session) == nil { _ = try connect([.clown("x", id: session, app: words[1])]) }
            _ = try becomeCurrent(content, app: words[1], session: session)
        case "link", "pagelink":
            let identifiers = zip(LinkIdentifier.Kind.allCases, words.dropFirst(2)).filter { $1 != "-" }.map {
                LinkIdentifier($0, TargetContentIdentifier($1))
            }
            guard !identifiers.isEmpty else { return }
            let document = #"{"activityType":"\#(ActivationRequest.browsingActivity)"}"#
            _ = try add(
                link: NewLink(
                    note: .id(try sampleNote("a note")), app: words[1] == "-" ? nil : words[1],
                    identifiers: identifiers, document: isPage ? Array(document.utf8) : nil))
        default: try apply(line)
        }
    }

    private func content(_ identifiers: String) -> ActivityContent {
        let identifiers = identifiers.split(separator: " ").map { $0 == "-" ? nil : String($0) }
        var content = ActivityContent(type: "t", document: Array(UUIDv7.next().utf8))
        (content.target, content.persistent, content.webpage) = (identifiers[0], identifiers[1], identifiers[2])
        return content
    }

    /// Gives the newest activity other identifiers.
    func update(_ identifiers: String) throws {
        guard let activity = try activities(.init(includesResigned: true, limit: 1)).first else { return }
        _ = try update(activity, to: content(identifiers))
    }

    func remove(note id: String) throws {
        _ = try write { (state) throws(StoreError) in try state.delete(note: .id(id)) }
    }

    /// Deletes all activities but those that are current.
    func forgetActivities() throws {
        var retention = Retention.default
        (retention.historyCount, retention.historyDays) = (0, 0)
        _ = try prune(now: .max / 2, keeping: retention)
    }
}
