/// A window of sway: `sway:12`, by the number that the compositor gives only once in its life.
struct SwayHandle: Sendable, Hashable {
    private static let prefix = "sway:"

    let container: Int64

    init(_ container: Int64) { self.container = container }

    init?(_ text: String) {
        guard text.utf8.starts(with: Self.prefix.utf8) else { return nil }
        let digits = text.utf8.dropFirst(Self.prefix.utf8.count)
        guard digits.first != UInt8(ascii: "0"), digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let container = Int64(Substring(digits))
        else { return nil }
        self.container = container
    }

    var text: String { Self.prefix + String(container) }
}
