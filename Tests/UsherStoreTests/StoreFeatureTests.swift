import StoreTestSupport
import Testing
import UsherFeatures
import UsherScene
import UsherStore

/// Files of programs with other features.
@Suite struct StoreFeatureTests {
    private let whole = TemporaryDirectory()
    private let bare = TemporaryDirectory(features: [])
    private let moved = TargetContentIdentifier("x:1")

    @Test("a store without features does everything that is about sessions and deliveries")
    func bareStore() throws {
        let store = try bare.open()
        _ = try store.connect([.main(id: "main-1")])
        _ = try store.change(session: "main-1", .init(state: .disconnected))
        #expect(try store.redirection(of: moved) == .none)
        #expect(store.examine() == [])
        _ = try store.prune()
        #expect(
            try bare.number("SELECT count(*) FROM sqlite_schema WHERE name IN ('note', 'activity', 'reminder')") == 0)
    }

    @Test("rows of features that a program does not have stay as they are")
    func fewerFeatures() throws {
        try whole.open().close()
        try whole.sql(
            """
            INSERT INTO note (id, text, state, line, created, changed) VALUES (randomblob(16), 'x', 'aside', 1, 1, 1);
            INSERT INTO redirect (source, destination, is_prefix, made) VALUES ('x:1', 'x:2', 0, 1);
            UPDATE store SET redirects = 1;
            """)
        do {
            let store = try Store(directory: whole.path, access: .readWrite, features: [])
            _ = try store.connect([.main()])
            #expect(try store.redirection(of: moved) == .none)
            _ = try store.prune()
        }
        #expect(try whole.open(.readOnly).redirection(of: moved).hops.map(\.to.text) == ["x:2"])
        #expect(try whole.number("SELECT count(*) FROM note") == 1)
    }

    @Test("a file gets the tables of features that it lacks, for reading in a copy", arguments: [true, false])
    func moreFeatures(isRead: Bool) throws {
        do {
            let store = try bare.open()
            _ = try store.connect([.main(id: "main-1")])
        }
        if isRead {
            let store = try Store(directory: bare.path, access: .readOnly, features: .all)
            #expect(try store.sessions().sessions.count == 1)
            #expect(store.examine() == [])
            #expect(try bare.number("SELECT count(*) FROM sqlite_schema WHERE name = 'note'") == 0)
            return
        }
        let store = try Store(directory: bare.path, access: .readWrite, features: .all)
        _ = try whole.open()
        #expect(try names(bare) == names(whole))
        // Triggers of its own do what the others do.
        try bare.sql(
            """
            INSERT INTO activity (id, app, session, type, state, needs_save, is_searchable, became, changed, document)
            VALUES (randomblob(16), 'a', 'main-1', 't', 'current', 0, 0, 1, 1, x'7b7d')
            """)
        _ = try store.change(session: "main-1", .init(state: .disconnected))
        #expect(try bare.texts("SELECT state FROM activity") == ["kept"])
        _ = try store.end(session: "main-1")
        #expect(try bare.texts("SELECT state FROM activity") == ["resigned"])
    }

    /// The names of tables and indexes.
    private func names(_ folder: TemporaryDirectory) throws -> [String] {
        try folder.texts("SELECT name FROM sqlite_schema WHERE type <> 'trigger' ORDER BY name")
    }

    @Test("a file of version 5 is left alone by a program without the features that it has tables of")
    func olderFile() throws {
        _ = try whole.makeStore(version: 5)
        let error = storeError { _ = try Store(directory: whole.path, access: .readWrite, features: []) }
        #expect(error?.code == .storeNewer)
        #expect(try whole.number("PRAGMA user_version") == 5)
        _ = try whole.open()
    }
}
