/// A place in a file: line and column from 1, columns in Unicode scalars.
struct SourcePosition: Hashable, Comparable, Sendable {
    var line: Int
    var column: Int

    static func < (one: Self, other: Self) -> Bool {
        (one.line, one.column) < (other.line, other.column)
    }
}

/// From a place up to, not including, another.
struct SourceRegion: Hashable, Sendable {
    var begin: SourcePosition
    var end: SourcePosition

    /// The number of characters, where the region stays on one line; else 1.
    var length: Int { begin.line == end.line ? max(1, end.column - begin.column) : 1 }
}
