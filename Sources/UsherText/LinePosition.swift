/// A position in a text: line and column, both from 1. Columns count Unicode scalars.
public struct LinePosition: Hashable, Sendable {
    public var line: Int
    public var column: Int

    public init(line: Int = 1, column: Int = 1) {
        self.line = line
        self.column = column
    }

    @inlinable @inline(__always)
    public mutating func move(over byte: UInt8) {
        if byte == 0x0A {
            line += 1
            column = 1
        } else if byte & 0xC0 != 0x80 {
            column += 1
        }
    }

    /// The position behind these bytes, if they begin here.
    public func moved(over bytes: ArraySlice<UInt8>) -> LinePosition {
        var position = self
        for byte in bytes { position.move(over: byte) }
        return position
    }
}
