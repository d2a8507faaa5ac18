internal import Glibc

/// What proves to an X server that its client may use it: one entry of an authority file (Xau(3), `xauth list`).
struct X11Authority {
    static let method = "MIT-MAGIC-COOKIE-1"

    private static let local: UInt16 = 256
    private static let wild: UInt16 = 65535
    /// A larger file is none.
    private static let longestFile = 1 << 20

    var cookie: [UInt8]

    /// From the file that the environment names: XAUTHORITY, else `.Xauthority` at home. nil where it has no entry for this
    /// server; a server may let its user in without.
    init?(environment: [String: String], for display: X11Display, peer: [UInt8]) {
        guard let path = environment["XAUTHORITY"] ?? environment["HOME"].map({ $0 + "/.Xauthority" }),
            let bytes = Self.contents(of: path), let cookie = Self.cookie(in: bytes, for: display, peer: peer)
        else { return nil }
        self.cookie = cookie
    }

    /// `peer` is the address of a server that is reached by TCP; by loopback it has the entry of a local one.
    static func cookie(in bytes: [UInt8], for display: X11Display, peer: [UInt8]) -> [UInt8]? {
        let host = hostName()
        let isHere = display.isLocal || peer.first == 127 || peer == [UInt8](repeating: 0, count: 15) + [1]
        var rest = bytes[...]
        while let family = number(&rest), let address = field(&rest), let server = field(&rest),
            let name = field(&rest), let cookie = field(&rest)
        {
            guard server.isEmpty || server.elementsEqual(String(display.number).utf8), name.elementsEqual(method.utf8)
            else { continue }
            let fits =
                family == wild
                || (isHere ? family == local && address.elementsEqual(host) : address.elementsEqual(peer))
            if fits { return Array(cookie) }
        }
        return nil
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> UInt16? {
        guard rest.count >= 2, let high = rest.popFirst(), let low = rest.popFirst() else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }

    private static func field(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let count = number(&rest), rest.count >= Int(count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    private static func hostName() -> [UInt8] {
        var name = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return [] }
        return name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    }

    private static func contents(of path: String) -> [UInt8]? {
        guard !path.utf8.contains(0) else { return nil }
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while bytes.count < longestFile {
            let count = unsafe read(file, &part, part.count)
            guard count > 0 else { break }
            bytes += part.prefix(count)
        }
        return bytes
    }
}
