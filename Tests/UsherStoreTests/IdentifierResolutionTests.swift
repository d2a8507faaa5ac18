import StoreTestSupport
import Testing
import UsherScene
import UsherText

@testable import UsherStore

/// Ids that are given short, of each kind.
struct IdentifierResolutionTests {
    private let folder = TemporaryDirectory()

    /// Three of which two are alike up to the tenth digit, and one that differs in its third.
    private static let ids = [
        "0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20", "0199d0f2-7abc-7c11-8f00-3a5d7e9b1c20",
        "0180d0f2-7a3b-7c11-8f00-3a5d7e9b1c20",
    ]

    /// A store that has the ids above, of one kind.
    private func store(with kind: IdentifierKind) throws -> Store {
        let store = try folder.open()
        for (index, id) in Self.ids.enumerated() {
            try store.write { (state) throws(StoreError) in
                let bytes = SQLiteValue(identifier: id) ?? .null
                switch kind {
                case .note:
                    try state.run(
                        "INSERT INTO note (id, text, state, line, created, changed) VALUES (?, '', 'done', 1, 0, 0)",
                        bytes)
                case .link:
                    try state.run(
                        "INSERT OR IGNORE INTO note (number, id, text, state, line, created, changed) VALUES (1, ?, '', 'done', 1, 0, 0)",
                        bytes)
                    try state.run("INSERT INTO link (id, note, created) VALUES (?, 1, 0)", bytes)
                case .activity:
                    try state.run(
                        """
                        INSERT INTO activity (id, app, type, state, needs_save, is_searchable, became, changed, document)
                        VALUES (?, 'a', 't', 'resigned', 0, 0, 0, 0, x'7b7d')
                        """, bytes)
                case .delivery:
                    try state.run(
                        """
                        INSERT INTO delivery (id, state, finished, bytes, accepted, attempts, source, sender_id)
                        VALUES (?, 'done', 0, 0, 0, 0, 'cli', ?)
                        """, .text(id), .text(index == 0 ? "0180" : "sender"))
                case .reminder:
                    try state.run(
                        "INSERT INTO reminder (id, text, on_signal, state, created) VALUES (?, '', 'home', 'waiting', 0)",
                        bytes)
                }
            }
        }
        return store
    }

    @Test(
        "a beginning that one id has means that id, whatever its case and hyphens", arguments: IdentifierKind.allCases)
    func unique(_ kind: IdentifierKind) throws {
        let store = try store(with: kind)
        for text in ["0199d0f2-7a3", "0199D0F27A3", "0199d0f27a3b7c118f003a5d7e9b1c20", Self.ids[0]] {
            #expect(try store.resolve(text, as: kind) == .one(Self.ids[0]), "\(text)")
        }
        #expect(try store.resolve("0180d", as: kind) == .one(Self.ids[2]))
        for text in ["0199e", "018", "current", "", "0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c21"] {
            #expect(try store.resolve(text, as: kind) == .none, "\(text)")
        }
        // The last one is found at the end of the index, too.
        #expect(try store.resolve("0199d0f2-7ab", as: kind) == .one(Self.ids[1]))
    }

    @Test("a beginning that several have names them", arguments: IdentifierKind.allCases)
    func several(_ kind: IdentifierKind) throws {
        let store = try store(with: kind)
        for text in ["0199", "0199d0f27a"] {
            #expect(
                try store.resolve(text, as: kind) == .several([Self.ids[0], Self.ids[1]], hasMore: false), "\(text)")
        }
    }

    @Test("a sender's id goes before the beginning of ours") func senders() throws {
        let store = try store(with: .delivery)
        #expect(try store.resolve("0180", as: .delivery) == .one(Self.ids[0]))
        #expect(try store.resolve("0180d", as: .delivery) == .one(Self.ids[2]))
        #expect(try store.delivery("0180")?.id == Self.ids[0])
    }

    @Test("the shortest beginning of an id means that id", arguments: IdentifierKind.allCases)
    func short(_ kind: IdentifierKind) throws {
        let store = try store(with: kind)
        let short = try store.shortIdentifiers(of: Self.ids, kind)
        #expect(short == ["0199d0f2-7a3", "0199d0f2-7ab", "0180"])
        for (short, id) in zip(short.prefix(2), Self.ids) {
            #expect(try store.resolve(short, as: kind) == .one(id))
            #expect(try store.resolve(String(short.dropLast()), as: kind) != .one(id))
        }
    }

    @Test("of very many, the first are named") func many() throws {
        let store = try folder.open()
        for index in 0..<30 {
            try store.write { (state) throws(StoreError) in
                var bytes = [UInt8](repeating: 0, count: 16)
                (bytes[0], bytes[1], bytes[15]) = (1, 0x99, UInt8(index))
                try state.run(
                    "INSERT INTO note (id, text, state, line, created, changed) VALUES (?, '', 'done', 1, 0, 0)",
                    .blob(bytes))
            }
        }
        guard case .several(let named, let hasMore) = try store.resolve("0199", as: .note) else {
            Issue.record("one is meant")
            return
        }
        #expect(named.count == IdentifierResolution.namedIDs && hasMore)
    }
}
