public import UsherScene

/// What a feature keeps in the store: its tables, and its part in what is done to a whole file.
///
/// The store knows no feature. A program gives it those that it has; a file may have tables of others, which stay as they are.
public struct StoreFeature: Sendable {
    // MARK: Tables

    /// The name of one of its tables: a file without it gets `tables`.
    package var mark: String
    /// Makes the newest tables.
    package var tables: String
    /// Statements of a trigger on `session`, by `NEW`: the session lost its window or process.
    package var whenSessionIsLost = ""
    /// Statements of a trigger on `session`, by `OLD`: the session is about to be deleted.
    package var whenSessionEnds = ""
    /// How a file of version 5 comes to have the tables.
    package var upgrade = Upgrade()

    /// Moves tables aside, makes the newest ones, and copies the rows.
    package struct Upgrade: Sendable {
        /// Full-text tables that are dropped first.
        package var textTables: [String] = []
        package var indexes: [String] = []
        /// Those that a file of version 5 has, the full-text tables that keep their texts included; each becomes `old_…`.
        package var tables: [String] = []
        /// Those of `tables` whose rows are copied as they are.
        package var unchanged: [String] = []
        /// Copies the rows of the others.
        package var copying = ""

        package init() {}
    }

    // MARK: Sessions and requests

    /// The tables with a column `session` whose rows need the process of a session: it stays when the session gets a window.
    package var tablesOfSessions: [String] = []
    /// Where an identifier leads. Called where there is a redirect or a tie.
    package var redirecting: Redirecting?

    /// - Parameter withOlder: whether the other identifiers that lead there are wanted, too.
    package typealias Redirecting =
        @Sendable (
            _ id: TargetContentIdentifier, Ties, _ withOlder: Bool, inout StoreState
        ) throws(StoreError) -> Redirection

    // MARK: Care

    /// Called when a store is opened.
    package var prepare: (@Sendable (inout StoreState) -> Void)?
    /// Deletes what is old; returns how many rows are worth to be mentioned.
    package var prune: (@Sendable (Store, _ now: Int64, Store.Retention) throws(StoreError) -> Int)?
    package var textIndexes: [TextIndex] = []
    /// What `usher doctor` asks, one after the other.
    package var questions: [Question] = []
    /// Gives orphaned rows another owner.
    package var adopt: (@Sendable (inout SQLiteConnection, inout StoreRepair.Outcome) throws(StoreError) -> Void)?
    /// The tables that are read around damaged pages.
    package var salvaged: [SalvagedTable] = []
    /// Statements that mend counters after rows were salvaged.
    package var recounting = ""

    package struct Question: Sendable {
        package typealias Answer = @Sendable (inout StoreState, _ limit: Int) throws(StoreError) -> [StoreFinding]

        let answer: Answer

        /// - Parameter answer: is told how many findings of one kind are reported one by one.
        package init(_ answer: @escaping Answer) { self.answer = answer }
    }

    package init(mark: String, tables: String) {
        self.mark = mark
        self.tables = tables
    }
}

/// A value that a feature keeps with the connection of a store.
package protocol StoreValue {
    associatedtype Value: Sendable
    static var initial: Value { get }
}

/// The values of features, by their keys.
package struct StoreValues: Sendable {
    private var values = ShortMap<ObjectIdentifier, any Sendable>()

    package subscript<Key: StoreValue>(key: Key.Type) -> Key.Value {
        get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.initial }
        set { values[ObjectIdentifier(key)] = newValue }
    }
}

// MARK: - Redirects

/// Which identifiers that activities and links have beside others lead to the content of these, beside what has moved.
public enum Ties: Sendable, Hashable {
    /// None: only moves are followed.
    case none
    /// Those of a request: identifiers with a scheme and UUIDs, and all others within an app (nil: none of the others).
    case within(app: String?)
}

extension StoreState {
    /// Bumped by every change of a redirect or a tie; 0 while there never was one. Below a microsecond.
    package mutating func redirectVersion() throws(StoreError) -> Int64 {
        try integer("SELECT redirects FROM store") ?? 0
    }

    /// Where an identifier leads, and what else leads there, as far as a feature knows it. Writes nothing.
    ///
    /// - Parameter withOlder: whether the other identifiers that lead there are wanted, too.
    package mutating func redirection(
        of id: TargetContentIdentifier, _ ties: Ties = .none, withOlder: Bool = true
    ) throws(StoreError) -> Redirection {
        guard let redirecting, try redirectVersion() > 0 else { return .none }
        return try redirecting(id, ties, withOlder, &self)
    }
}

extension Store {
    /// Where an identifier leads, and what else leads there.
    public func redirection(
        of id: TargetContentIdentifier, _ ties: Ties = .none
    ) throws(StoreError) -> Redirection {
        try read { (state) throws(StoreError) in try state.redirection(of: id, ties) }
    }
}
