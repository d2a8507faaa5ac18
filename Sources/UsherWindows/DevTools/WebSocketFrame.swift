/// A frame of a WebSocket (RFC 6455, 5.2).
struct WebSocketFrame: Equatable {
    enum Kind: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue >= 8 }
    }

    var kind: Kind
    var isLast = true
    var body: [UInt8]

    /// The longest message that is taken: a thousand tabs are a tenth of it.
    static let longest = 16 << 20

    /// As a client sends it: masked.
    func masked(with mask: [UInt8] = (0..<4).map { _ in UInt8.random(in: 0...255) }) -> [UInt8] {
        var bytes: [UInt8] = [(isLast ? 0x80 : 0) | kind.rawValue]
        switch body.count {
        case ..<126: bytes.append(0x80 | UInt8(body.count))
        case ..<65_536:
            bytes.append(0x80 | 126)
            for shift in [8, 0] { bytes.append(UInt8(truncatingIfNeeded: body.count >> shift)) }
        default:
            bytes.append(0x80 | 127)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: body.count >> shift))
            }
        }
        bytes += mask
        for (place, byte) in body.enumerated() { bytes.append(byte ^ mask[place & 3]) }
        return bytes
    }

    /// The first frame of what a server sent, and how many bytes it has; nil where it is not whole yet.
    static func first(of bytes: ArraySlice<UInt8>) throws(DevToolsProblem) -> (frame: WebSocketFrame, length: Int)? {
        guard bytes.count >= 2 else { return nil }
        let (one, two) = (bytes[bytes.startIndex], bytes[bytes.startIndex + 1])
        guard one & 0x70 == 0, let kind = Kind(rawValue: one & 0x0F) else { throw .garbled("an unknown kind of frame") }
        guard two & 0x80 == 0 else { throw .garbled("a masked frame of a server") }
        let isLast = one & 0x80 != 0
        var (length, head) = (Int(two), 2)
        if length >= 126 {
            guard !kind.isControl else { throw .garbled("a long control frame") }
            head = length == 126 ? 4 : 10
            guard bytes.count >= head else { return nil }
            var wide: UInt64 = 0
            for byte in bytes.dropFirst(2).prefix(head - 2) { wide = wide << 8 | UInt64(byte) }
            guard wide <= UInt64(longest) else { throw .garbled("a frame of \(wide) bytes") }
            length = Int(wide)
        }
        guard isLast || !kind.isControl else { throw .garbled("a control frame in parts") }
        guard bytes.count >= head + length else { return nil }
        let body = Array(bytes.dropFirst(head).prefix(length))
        return (WebSocketFrame(kind: kind, isLast: isLast, body: body), head + length)
    }
}
