internal import UsherText

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
