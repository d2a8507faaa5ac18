import Foundation
import Synchronization
import TestSupport
package import Testing
package import UsherPredicate
package import UsherScene
package import UsherStore
import UsherSystem
import UsherText

/// A folder for one test, removed with it.
package final class TemporaryDirectory: Sendable {
    private let folder = TemporaryFolder()
    private let features: [StoreFeature]

    package init(features: [StoreFeature]) { self.features = features }

    package var path: String { folder.path }

    package var database: String { path + "/usher.db" }

    package var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

    package func open(_ access: Store.Access = .readWrite, _ configure: (inout StoreOptions) -> Void = { _ in }) throws
        -> Store
    {
        var options = StoreOptions(features)
        configure(&options)
        return try Store(directory: path, access: access, options: options)
    }

    /// Makes an empty store as a released version left it. Returns a connection to it.
    package func makeStore(version: Int) throws -> SQLiteConnection {
        _ = FileManager.default.createFile(atPath: database, contents: nil)
        var connection = try SQLiteConnection(path: database, mode: .readWrite, busyTimeout: 1000)
        try Schema(features).migrate(&connection, to: version)
        try connection.execute("PRAGMA journal_mode = WAL")
        return connection
    }

    /// SQL behind the store's back.
    package func sql(_ script: String, file: String? = nil) throws {
        let path = file ?? database
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        let connection = try SQLiteConnection(path: path, mode: .readWrite, busyTimeout: 1000)
        try connection.execute(script)
    }

    /// The totals are the sums over all rows.
    package func expectTotals(_ store: Store, _ location: Testing.SourceLocation = #_sourceLocation) throws {
        let totals = store.totals
        let (open, kept) = ("FROM delivery WHERE finished IS NULL", "FROM delivery WHERE finished IS NOT NULL")
        #expect(try number("SELECT coalesce(sum(bytes), 0) \(open)") == totals.openBytes, sourceLocation: location)
        #expect(try number("SELECT coalesce(sum(bytes), 0) \(kept)") == totals.keptBytes, sourceLocation: location)
        #expect(try number("SELECT count(*) \(open)") == totals.openCount, sourceLocation: location)
        #expect(try number("SELECT count(*) \(kept)") == totals.keptCount, sourceLocation: location)
        let duplicates = try number("SELECT count(*) \(kept) AND state = 'duplicate'")
        #expect(duplicates == totals.duplicateCount, sourceLocation: location)
        let invalid = try number("SELECT count(*) \(kept) AND reason = 'invalid'")
        #expect(invalid == totals.invalidCount, sourceLocation: location)
        let invalidBytes = try number("SELECT coalesce(sum(bytes), 0) \(kept) AND reason = 'invalid'")
        #expect(invalidBytes == totals.invalidBytes, sourceLocation: location)
    }

    /// Takes out of a new store what version 17 did not have; its totals are not kept.
    package func makeVersion17() throws {
        let triggers = ["inserted AFTER INSERT", "updated AFTER UPDATE", "deleted AFTER DELETE"].map {
            "CREATE TRIGGER delivery_\($0) ON delivery BEGIN SELECT 1; END;"
        }
        try sql(
            """
            DROP TRIGGER delivery_updated;
            DROP TRIGGER delivery_deleted;
            ALTER TABLE totals DROP COLUMN invalid_count;
            ALTER TABLE totals DROP COLUMN invalid_bytes;
            \(triggers.joined())
            ALTER TABLE store DROP COLUMN shortcuts;
            ALTER TABLE store DROP COLUMN conditions;
            ALTER TABLE delivery DROP COLUMN input;
            ALTER TABLE delivery DROP COLUMN schedule;
            ALTER TABLE delivery DROP COLUMN scheduled;
            DROP TABLE shortcut;
            DROP TABLE notification;
            CREATE TABLE notification (
                number INTEGER PRIMARY KEY,
                delivery TEXT NOT NULL UNIQUE REFERENCES delivery (id) ON DELETE CASCADE,
                app TEXT NOT NULL,
                collapse TEXT,
                server TEXT NOT NULL,
                shown_as INTEGER NOT NULL,
                state TEXT NOT NULL CHECK (state IN
                    ('shown', 'pressed', 'expired', 'dismissed', 'closed', 'undefined', 'replaced', 'lost')),
                shown INTEGER NOT NULL,
                ended INTEGER,
                response TEXT
            ) STRICT;
            CREATE INDEX notification_shown_as ON notification (shown_as, server);
            CREATE INDEX notification_open ON notification (collapse, app) WHERE ended IS NULL;
            PRAGMA user_version = 17;
            """)
    }

    /// Makes an empty store of version 18 or a later one. Returns a connection to it.
    package func makeVersion(_ version: Int) throws -> SQLiteConnection {
        try open().close()
        try makeVersion17()
        var connection = try SQLiteConnection(path: database, mode: .readWrite, busyTimeout: 1000)
        try Schema(features).migrate(&connection, to: version)
        return connection
    }

    /// The first column of every row.
    package func texts(_ query: String) throws -> [String] {
        var connection = try SQLiteConnection(path: database, mode: .readWrite, busyTimeout: 1000)
        let rows = try connection.prepare(query)
        var found: [String] = []
        while try rows.step() { found.append(rows.text(0)) }
        return found
    }

    package func number(_ query: String) throws -> Int64? {
        var connection = try SQLiteConnection(path: database, mode: .readWrite, busyTimeout: 1000)
        return try connection.integer(query)
    }
}

extension StoreOptions {
    /// A version after the newest.
    package mutating func addStep(_ sql: String) {
        schema.steps.append(Schema.Step(from: schema.version, to: schema.version + 1, sql: sql))
    }
}

extension Store.NewSession {
    package static func main(id: String? = nil, state: SceneSession.State = .connected) -> Store.NewSession {
        Store.NewSession(id: id, app: "example.clowntown", scene: "main", state: state)
    }

    package static func clown(
        _ name: String, id: String? = nil, app: String = "example.clowntown", state: SceneSession.State = .connected
    ) -> Store.NewSession {
        let target = "https://clowntown.example/clowns/\(name)"
        return Store.NewSession(
            id: id, app: app, scene: "clown", target: TargetContentIdentifier(target),
            conditions: ActivationConditions(
                canActivate: .init(equals(target), origin: .configuration),
                prefersToActivate: .init(equals(target), origin: .configuration)),
            state: state)
    }
}

package func equals(_ target: String) -> ScenePredicate {
    (try? ScenePredicate(parsing: "SELF == \"\(target)\"")) ?? .never
}

extension Store.NewDelivery {
    package static func sample(
        _ id: String = UUIDv7.next(), sender: String? = nil, source: String = "stdin", format: String? = "apns",
        accepted: Int64 = 1_000_000_000
    ) -> Store.NewDelivery {
        Store.NewDelivery(
            id: id, senderID: sender, source: source, format: format, accepted: accepted,
            input: Array(#"{"aps":{"alert":"hi"}}"#.utf8), app: "example.clowntown",
            target: "https://clowntown.example/clowns/crusty")
    }
}

extension Store.DecisionText {
    package static let launch = Store.DecisionText(
        action: .launch, reason: .opens, app: "example.clowntown", scene: "clown",
        resolved: "https://clowntown.example/clowns/crusty", evidence: .init([1, 2]), configuration: "sha256:00")
}

/// The error that `body` throws, where it throws one of the store.
package func storeError(_ body: () throws -> Void) -> StoreError? {
    do {
        try body()
        return nil
    } catch { return error as? StoreError }
}

/// A clock that a test sets.
package final class Clock: Sendable {
    private let time: Mutex<Int64>

    package init(_ time: Int64) { self.time = Mutex(time) }

    package var now: Int64 {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }
}
