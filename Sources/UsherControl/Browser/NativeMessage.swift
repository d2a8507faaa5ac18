/// The framing of native messaging: four bytes of length in the machine's order, then JSON.
///
/// Browsers allow a host to be sent 64 MiB (Chromium), and take 1 MiB from it (Chromium and Firefox).
struct NativeMessage: Sendable {
    /// The longest message that is taken from a browser; the extension keeps well below.
    static let inputLimit = 8 << 20
    /// The longest message that a browser takes.
    static let outputLimit = 1 << 20

    /// A browser that announces more than is taken: what follows cannot be told apart any more.
    struct TooLong: Error, Sendable {
        var count: Int
    }

    private var bytes: [UInt8] = []
    private var start = 0

    mutating func append(_ more: ArraySlice<UInt8>) {
        if start > 0 {
            bytes.removeSubrange(..<start)
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// The next whole message as a line, its end included; nil while there is none.
    mutating func nextLine() throws(TooLong) -> [UInt8]? {
        guard bytes.count - start >= 4 else { return nil }
        let length = bytes[start..<start + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length <= NativeMessage.inputLimit else { throw TooLong(count: length) }
        guard bytes.count - start - 4 >= length else { return nil }
        // Between tokens a line's end is a space; within them JSON has none.
        var line = bytes[start + 4..<start + 4 + length].map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
        line.append(0x0A)
        start += 4 + length
        return line
    }

    /// A message for a browser; nil where it would take none as long as this.
    static func framed(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count <= outputLimit else { return nil }
        let length = UInt32(text.count)
        return (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + text
    }
}
