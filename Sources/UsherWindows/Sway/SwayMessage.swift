/// A message of the i3 IPC protocol: `i3-ipc`, the length and the type in this machine's byte order, and a JSON text
/// (sway-ipc(7), "MESSAGES AND REPLIES").
struct SwayMessage: Sendable {
    enum Kind: UInt32, Sendable {
        case runCommand = 0
        case subscribe = 2
        case tree = 4
        case version = 7
        case seats = 101
    }

    static let magic = Array("i3-ipc".utf8)
    static let headerLength = 14
    /// A longer reply is refused: a tree of five hundred windows has half a megabyte.
    static let longest = 32 * 1024 * 1024

    /// As received: of a reply that of its request, of an event with the highest bit set.
    var type: UInt32
    var body: [UInt8]

    static let windowEvent: UInt32 = 0x8000_0003

    var isEvent: Bool { type & 0x8000_0000 != 0 }

    static func encode(_ kind: Kind, _ text: String = "") -> [UInt8] {
        var bytes = magic
        for number in [UInt32(text.utf8.count), kind.rawValue] {
            unsafe withUnsafeBytes(of: number) { raw in unsafe bytes.append(contentsOf: raw) }
        }
        bytes += text.utf8
        return bytes
    }
}
