/// A place in a configuration file: `apps/clown-town.toml:23:11`.
public struct SourceLocation: Hashable, Sendable, CustomStringConvertible {
    /// Relative to the configuration folder.
    public var path: String
    /// From 1.
    public var line: Int
    /// From 1, in characters as an editor counts them.
    public var column: Int

    public init(path: String, line: Int, column: Int) {
        self.path = path
        self.line = line
        self.column = column
    }

    public var description: String { "\(path):\(line):\(column)" }
}

/// A value and the place it was written at.
public struct Located<Value: Sendable>: Sendable {
    public var value: Value
    public var location: SourceLocation

    public init(_ value: Value, at location: SourceLocation) {
        self.value = value
        self.location = location
    }
}

extension Located: Equatable where Value: Equatable {}
extension Located: Hashable where Value: Hashable {}
