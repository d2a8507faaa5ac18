internal import UsherSystem
internal import UsherText

/// A client of a WebSocket on loopback (RFC 6455): text only, nothing negotiated. Every wait is bounded.
struct WebSocket: ~Copyable {
    private var socket: DevToolsSocket
    /// The process at the other end.
    let peer: PeerSocket
    /// The parts of a message that is not whole yet; nil where none has begun.
    private var parts: [UInt8]?
    /// How long a write may take.
    private static let patience = 2000

    /// - Parameter end: every wait ends once this can be read.
    init(
        _ address: DevToolsAddress, path: String, until deadline: Deadline, or end: Int32 = -1
    ) throws(DevToolsProblem) {
        var opened = try DevToolsSocket(address, until: deadline, or: end)
        let key = WebSocketKey()
        // Without an Origin: that is for pages, and browsers refuse those.
        let request =
            "GET \(path) HTTP/1.1\r\nHost: \(address)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Key: \(key.text)\r\nSec-WebSocket-Version: 13\r\n\r\n"
        try opened.send(Array(request.utf8), until: deadline)
        let head = try DevToolsHead(of: &opened, until: deadline)
        guard head.status == 101, head.has("upgrade", "websocket"),
            head.fields["sec-websocket-accept"] == key.answer
        else { throw .garbled("no WebSocket (status \(head.status))") }
        // Only after the response it is certain that a process has accepted the connection. No frame was sent before.
        peer = try PeerSocket(of: opened)
        socket = opened
    }

    func send(_ text: [UInt8]) throws(DevToolsProblem) { try send(WebSocketFrame(kind: .text, body: text)) }

    /// The next message; nil at the deadline.
    mutating func receive(until deadline: Deadline?) throws(DevToolsProblem) -> [UInt8]? {
        while true {
            while let (frame, length) = try WebSocketFrame.first(of: socket.received) {
                socket.consume(length)
                if let message = try handle(frame) { return message }
            }
            // A deadline that each frame moves is none.
            if let deadline, deadline.isOver { return nil }
            guard try socket.receive(until: deadline) else { return nil }
        }
    }

    /// A whole message, where this ends one.
    private mutating func handle(_ frame: WebSocketFrame) throws(DevToolsProblem) -> [UInt8]? {
        switch frame.kind {
        case .ping:
            try send(WebSocketFrame(kind: .pong, body: frame.body))
            return nil
        case .pong: return nil
        case .close:
            try? send(WebSocketFrame(kind: .close, body: Array(frame.body.prefix(2))))
            throw .ended
        case .binary: throw .garbled("a message that is no text")
        case .text:
            guard parts == nil else { throw .garbled("a message within another") }
            if frame.isLast { return frame.body }
            parts = frame.body
            return nil
        case .continuation:
            guard let before = parts else { throw .garbled("a part of no message") }
            guard before.count + frame.body.count <= WebSocketFrame.longest else {
                throw .garbled("a message of more than \(WebSocketFrame.longest) bytes")
            }
            parts?.append(contentsOf: frame.body)
            guard frame.isLast else { return nil }
            defer { parts = nil }
            return parts
        }
    }

    private func send(_ frame: WebSocketFrame) throws(DevToolsProblem) {
        try socket.send(frame.masked(), until: Deadline(inMilliseconds: Self.patience))
    }
}

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

/// The key of a handshake, and what has to be answered to it (RFC 6455, 4.1 and 4.2.2).
struct WebSocketKey {
    let text: String

    init() { text = Base64.encode((0..<16).map { _ in UInt8.random(in: 0...255) }) }

    init(_ text: String) { self.text = text }

    var answer: String { Base64.encode(Self.digest(Array((text + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))) }

    /// SHA-1 (RFC 3174), which protects nothing here: it shows that the other side speaks the protocol.
    private static func digest(_ message: [UInt8]) -> [UInt8] {
        var bytes = message + [0x80]
        while bytes.count % 64 != 56 { bytes.append(0) }
        let bits = UInt64(message.count) * 8
        for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * place))) }
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        for start in stride(from: 0, to: bytes.count, by: 64) {
            var words = (0..<16).map { word in
                bytes[(start + word * 4)..<(start + word * 4 + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            }
            for place in 16..<80 {
                words.append(rotated(words[place - 3] ^ words[place - 8] ^ words[place - 14] ^ words[place - 16], 1))
            }
            var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
            for (place, word) in words.enumerated() {
                let (mixed, constant): (UInt32, UInt32) =
                    switch place {
                    case ..<20: ((b & c) | (~b & d), 0x5A82_7999)
                    case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                    case ..<60: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
                    default: (b ^ c ^ d, 0xCA62_C1D6)
                    }
                let next = rotated(a, 5) &+ mixed &+ e &+ constant &+ word
                (a, b, c, d, e) = (next, a, rotated(b, 30), c, d)
            }
            for (place, word) in [a, b, c, d, e].enumerated() { state[place] &+= word }
        }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) } }
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
}
