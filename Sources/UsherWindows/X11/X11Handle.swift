/// A window of an X server: `x11:0x1400007`.
struct X11Handle: Sendable, Hashable {
    private static let prefix = "x11:0x"

    let window: UInt32

    init(_ window: UInt32) { self.window = window }

    init?(_ text: String) {
        guard text.utf8.starts(with: Self.prefix.utf8) else { return nil }
        let digits = Substring(text.utf8.dropFirst(Self.prefix.utf8.count))
        guard digits.utf8.first != UInt8(ascii: "+"), let window = UInt32(digits, radix: 16), window != 0 else {
            return nil
        }
        self.window = window
    }

    var text: String { Self.prefix + String(window, radix: 16) }
}
