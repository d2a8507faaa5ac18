import Foundation
import StoreTestSupport
import TestSupport
import Testing
import UsherFeatures
import UsherPredicate
import UsherScene

@testable import UsherStore

/// A store that is only read makes nothing, whatever state the files are in.
@Suite struct ReadingTests {
    let folder = TemporaryDirectory()

    @Test func aMissingStoreIsAnEmptyOne() throws {
        let directory = folder.path + "/a/b"
        let store = try Store(directory: directory, access: .readOnly, features: .all)
        #expect(store.isEmptyStandIn)
        #expect(try store.sessions().sessions.isEmpty)
        #expect(try store.generation() == 0)
        #expect(try store.session(id: "x") == nil)
        #expect(try store.deliveries().isEmpty)
        #expect(try store.delivery("x") == nil)
        #expect(try store.unfinished().isEmpty)
        #expect(folder.files.isEmpty)
        // Until a writer makes it.
        let writer = try Store(directory: directory, access: .readWrite, features: .all)
        _ = try writer.connect([.main()])
        #expect(try store.sessions().sessions.count == 1)
        #expect(!store.isEmptyStandIn)
    }

    @Test func nothingCanBeChanged() throws {
        try folder.open().close()
        for directory in [folder.path, folder.path + "/missing"] {
            let store = try Store(directory: directory, access: .readOnly, features: .all)
            let changes: [() throws -> Void] = [
                { _ = try store.connect([.main()]) }, { _ = try store.change(session: "x", .init(used: true)) },
                { try store.end(session: "x") }, { _ = try store.claim(.sample(), .none, expecting: 0) },
                { _ = try store.begin(delivery: "x", attempt: 1, nonce: "n") },
                { try store.finish(delivery: "x", state: .done, record: "{}") },
                { try store.record(.sample(), state: .done, record: "{}") },
                { try store.accept([.sample()]) }, { try store.prune() },
            ]
            for (index, change) in changes.enumerated() {
                #expect(storeError(change)?.code == .storeReadOnly, "change \(index)")
            }
        }
    }

    @Test func aStoreThatNoProcessHasOpen() throws {
        do { _ = try folder.open().connect([.main()]) }
        #expect(folder.files == ["usher.db"])
        do {
            let store = try folder.open(.readOnly)
            #expect(try store.sessions().sessions.map(\.id) == ["main-1"])
            #expect(!store.isEmptyStandIn)
            #expect(folder.files == ["usher.db"])
            store.close()
        }
        #expect(folder.files == ["usher.db"])
    }

    @Test func aWriterThatComesLaterIsSeen() throws {
        do { _ = try folder.open().connect([.main()]) }
        let reader = try folder.open(.readOnly)
        #expect(try reader.generation() == 1)
        var writer: Store? = try folder.open()
        _ = try writer?.connect([.main()])
        #expect(try reader.generation() == 2)
        #expect(try reader.sessions().sessions.count == 2)
        _ = try writer?.connect([.main()])
        #expect(try reader.generation() == 3)
        writer = nil
        #expect(try reader.sessions().sessions.count == 3)
    }

    @Test func besideALiveWriter() throws {
        let writer = try folder.open()
        _ = try writer.connect([.main()])
        let files = folder.files
        let reader = try folder.open(.readOnly)
        for count in 1...5 {
            #expect(try reader.sessions().sessions.count == count)
            _ = try writer.connect([.main()])
        }
        #expect(folder.files == files)
    }

    @Test(arguments: [["", "-wal", "-shm"], ["", "-wal"]])
    func whatAKilledWriterLeft(endings: [String]) throws {
        let copy = TemporaryDirectory()
        do {
            let writer = try folder.open()
            _ = try writer.connect([.main(), .clown("a")])
            for ending in endings {
                try FileManager.default.copyItem(atPath: folder.database + ending, toPath: copy.database + ending)
            }
        }
        let files = copy.files
        do {
            let reader = try copy.open(.readOnly)
            #expect(try reader.sessions().sessions.map(\.id) == ["main-1", "clown-1"])
            #expect(copy.files == files)
        }
        #expect(copy.files == files)
        // And it is whole for the next writer.
        let writer = try copy.open()
        #expect(try writer.sessions().sessions.count == 2)
        try writer.check()
    }

    @Test func anOlderStoreIsReadAsItWouldBe() throws {
        do { _ = try folder.open().connect([.main()]) }
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        let reader = try folder.open(.readOnly) {
            $0.addStep("UPDATE session SET title = 'migrated'")
        }
        #expect(try reader.session(id: "main-1")?.title == "migrated")
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == before)
        #expect(folder.files == ["usher.db"])
    }

    @Test func throughALinkToTheFile() throws {
        let real = TemporaryDirectory()
        let writer = try real.open()
        _ = try writer.connect([.main()])
        try FileManager.default.createSymbolicLink(atPath: folder.database, withDestinationPath: real.database)
        let reader = try folder.open(.readOnly)
        #expect(try reader.sessions().sessions.count == 1)
        _ = try writer.connect([.main()])
        #expect(try reader.sessions().sessions.count == 2)
        #expect(folder.files == ["usher.db"])
    }

    @Test func aReaderNeverSeesHalfOfAWriting() async throws {
        let path = folder.path
        _ = try folder.open().connect([.main(), .main()])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // Comes and goes: every time its log is copied into the file and removed.
                for round in 0..<150 {
                    let writer = try Store(directory: path, access: .readWrite, features: .all)
                    let delivery = Store.NewDelivery.sample("d-\(round)")
                    try writer.record(delivery, state: .done, record: "{}")
                    _ = try writer.connect([.main(id: "main-1"), .main(id: "main-2")])
                }
            }
            group.addTask {
                let reader = try Store(directory: path, access: .readOnly, features: .all)
                for _ in 0..<400 {
                    let sessions = try reader.sessions()
                    #expect(sessions.sessions.count == 2)
                    #expect(sessions.sessions.allSatisfy { $0.generation == sessions.generation })
                }
            }
            try await group.waitForAll()
        }
    }

    static let refusesNonsense = (try? ScenePredicate(parsing: "SELF ==")) == nil

    @Test(.enabled(if: refusesNonsense)) func aConditionThatDoesNotParseIsNeverTrue() throws {
        let store = try folder.open()
        _ = try store.connect([.clown("a"), .clown("b")])
        try folder.sql(
            "UPDATE condition SET text = 'SELF ==' WHERE id = (SELECT can FROM session WHERE id = 'clown-1')")
        let other = try folder.open()
        let read = try other.sessions()
        #expect(read.sessions.map(\.id) == ["clown-1", "clown-2"])
        #expect(read.sessions[0].conditions.canActivate.predicate == .never)
        #expect(read.sessions[0].conditions.canActivate.origin == .configuration)
        #expect(read.sessions[1].conditions.canActivate.predicate != .never)
        #expect(read.unreadable.map(\.session) == ["clown-1", "clown-1"])
        #expect(read.unreadable.first?.text == "SELF ==")
        // A change of something else leaves the text for a version that can read it.
        _ = try other.change(session: "clown-1", .init(used: true))
        #expect(
            try folder.number(
                "SELECT count(*) FROM condition JOIN session ON can = condition.id WHERE text = 'SELF =='") == 1)
    }

    /// By hand, so that texts are stored which this version cannot parse, in another spelling than its own, or no UTF-8.
    @Test("any sessions are read as they stand in the file", arguments: 0..<6 as Range<UInt64>)
    func equalsRows(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        _ = try folder.open().connect([.main()])
        try folder.sql("DELETE FROM session; DELETE FROM condition;")
        let target = "https://clowntown.example/clowns/"
        let texts = [
            #"SELF == ""#, #"SELF == """#, #"SELF == "a\n""#, "SELF == '\(target)c'", "TRUEPREDICATE", "FALSEPREDICATE",
            "SELF LIKE \"\(target)*\"", "SELF ==", "SELF == \"caf\u{e9}\"", "SELF == \"cafe\u{301}\"",
            "SELF == \"\u{0}\"", "SELF == \"a\" OR SELF == \"b\"", "SELF != \"a\"",
        ]
        var conditions: [Int64: String] = [:]
        var row: Int64 = 1
        for place in 0..<60 {
            row += Int64.random(in: 1...(place % 10 == 0 ? 1_000 : 2), using: &random)
            let text = texts.indices.contains(place) ? texts[place] : "SELF == \"\(target)\(place)\""
            conditions[row] = text
            try folder.sql("INSERT INTO condition (id, text) VALUES (\(row), CAST(x'\(hexadecimal(text))' AS TEXT))")
        }
        let rows = conditions.keys.sorted()
        var expected: [String: (can: Int64, prefers: Int64, target: String?, app: String)] = [:]
        for number in 0..<80 {
            let can = rows.randomElement(using: &random) ?? 0
            let prefers = Bool.random(using: &random) ? can : rows.randomElement(using: &random) ?? 0
            let own = [nil, "", target + "\(number)", "caf\u{e9}"].randomElement(using: &random) ?? nil
            let app = ["example.a", "example.b"].randomElement(using: &random) ?? ""
            expected["s-\(number)"] = (can, prefers, own, app)
            try folder.sql(
                """
                INSERT INTO session (id, app, scene, role, target, can, can_origin, prefers, prefers_origin, state, created,
                    generation, changed)
                VALUES ('s-\(number)', '\(app)', 'clown', 'windowApplication',
                    \(own.map { "CAST(x'\(hexadecimal($0))' AS TEXT)" } ?? "NULL"), \(can), 1, \(prefers), 2,
                    'disconnected', \(number), 0, 0)
                """)
        }
        func check(_ session: SceneSession, _ hint: String) throws {
            let row = try #require(expected[session.id], "\(hint)")
            let can = conditions[row.can].flatMap { try? ScenePredicate(parsing: $0) } ?? .never
            let prefers = conditions[row.prefers].flatMap { try? ScenePredicate(parsing: $0) } ?? .never
            #expect(session.app == row.app)
            #expect(session.target == row.target.map { TargetContentIdentifier($0) }, "\(hint)")
            #expect(session.conditions.canActivate.predicate == can, "\(hint)")
            #expect(session.conditions.prefersToActivate.predicate == prefers, "\(hint)")
            #expect(session.conditions.canActivate.predicate.terms(for: target) == can.terms(for: target), "\(hint)")
        }
        let store = try folder.open(.readOnly)
        // Alone, of one app, and all of them, each order by turns: what was read before is not read again.
        for step in 0..<6 {
            switch (step + Int(seed)) % 3 {
            case 0:
                for number in [3, 77, 41] {
                    try check(try #require(try store.session(id: "s-\(number)")), "seed \(seed), one, step \(step)")
                }
            case 1:
                let read = try store.sessions(app: "example.a").sessions
                #expect(read.count == expected.values.filter { $0.app == "example.a" }.count)
                for session in read { try check(session, "seed \(seed), of an app, step \(step)") }
            default:
                let read = try store.sessions()
                #expect(read.sessions.count == expected.count)
                for session in read.sessions { try check(session, "seed \(seed), all, step \(step)") }
                let unreadable = conditions.filter { (try? ScenePredicate(parsing: $0.value)) == nil }
                let uses = read.sessions.flatMap { session in
                    [expected[session.id]?.can, expected[session.id]?.prefers].compactMap {
                        $0.flatMap { unreadable[$0] }
                    }
                    .map { "\(session.id) \($0)" }
                }
                #expect(read.unreadable.map { "\($0.session) \($0.text)" } == uses)
            }
        }
    }

    private func hexadecimal(_ text: String) -> String {
        text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
