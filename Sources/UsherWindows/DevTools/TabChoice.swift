/// Which tab shows an address, by the addresses of tabs.
struct TabChoice {
    var page: DevToolsSnapshot.Page
    /// Not only up to the fragment.
    var isExact: Bool

    /// Of several the one in front.
    init?(showing address: String, in pages: [DevToolsSnapshot.Page]) {
        let wanted = Address(address)
        let same = pages.filter { Address($0.address).base == wanted.base }
        let exact = same.filter { Address($0.address) == wanted }
        guard let page = Self.best(exact) ?? Self.best(same) else { return nil }
        (self.page, isExact) = (page, !exact.isEmpty)
    }

    private static func best(_ pages: [DevToolsSnapshot.Page]) -> DevToolsSnapshot.Page? {
        pages.first { $0.sight?.isVisible == true } ?? pages.first
    }

    static func isWeb(_ address: String) -> Bool {
        let base = Address(address).base
        return base.starts(with: "http://".utf8) || base.starts(with: "https://".utf8)
    }

    /// As the URL standard writes an address, as far as people write it otherwise.
    private struct Address: Equatable {
        var base: [UInt8]
        private var fragment: [UInt8]

        init(_ text: String) {
            let bytes = Array(text.utf8)
            let hash = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
            var fragment = Array(bytes[min(hash + 1, bytes.count)...])
            base = Self.plain(bytes[..<hash])
            // The path of an application.
            if let first = fragment.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "!") {
                base += [UInt8(ascii: "#")] + fragment
                fragment = []
            }
            self.fragment = fragment
        }

        private static func plain(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
                return Array(bytes)
            }
            let rest = bytes[(colon + 3)...]
            let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
            let scheme = bytes[..<colon].map(lower)
            var host = rest[..<end].map(lower)
            let port = scheme.elementsEqual("http".utf8) ? ":80" : scheme.elementsEqual("https".utf8) ? ":443" : ""
            if !port.isEmpty, host.suffix(port.utf8.count).elementsEqual(port.utf8) {
                host.removeLast(port.utf8.count)
            }
            let path = Array(rest[end...])
            let hasPath = path.first == UInt8(ascii: "/")
            return scheme + Array("://".utf8) + host + (hasPath ? [] : [UInt8(ascii: "/")]) + path
        }

        private static func lower(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
    }
}
