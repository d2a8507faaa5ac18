/// A line and a column, both from 1, as editors count them.
public struct JSONPosition: Hashable, Sendable {
    public var line: Int
    /// Unicode scalars from the start of the line.
    public var column: Int

    /// Finds the place of a byte; O(offset).
    ///
    /// - Parameters:
    ///   - offset: bytes from the start of `bytes`; anything past the end is the end.
    public init(of offset: Int, in bytes: ArraySlice<UInt8>) {
        line = 1
        column = 1
        for byte in bytes.prefix(max(offset, 0)) {
            if byte == 0x0A {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
    }
}
