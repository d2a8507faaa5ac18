/// Makes bad input of good samples: bytes changed, removed, repeated and cut off, with fragments of syntax and parts of other samples.
package struct SampleMutator: Sendable {
    package let samples: [[UInt8]]
    private let fragments: [[UInt8]]

    /// What no text in UTF-8 has: bytes of Latin-1, an overlong form, a surrogate.
    private static let badText: [[UInt8]] = [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80]]

    /// - Parameter fragments: what the readers of such samples look for.
    package init(_ samples: [[UInt8]], fragments: [String]) {
        self.samples = samples
        self.fragments = (fragments + ["\u{202E}", "\u{FEFF}", "\n", "\0", "é"]).map { Array($0.utf8) } + Self.badText
    }

    /// Any sample with one to four changes.
    package func mutation(_ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = samples.randomElement(using: &generator) ?? []
        for _ in 0...Int.random(in: 0..<4, using: &generator) {
            let position = Int.random(in: 0...bytes.count, using: &generator)
            let end = min(bytes.count, position + Int.random(in: 0..<16, using: &generator))
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: if position < bytes.count { bytes[position] = UInt8.random(in: 0...255, using: &generator) }
            case 1: bytes.removeSubrange(position..<end)
            case 2: bytes.insert(contentsOf: fragments.randomElement(using: &generator) ?? [], at: position)
            case 3: bytes.insert(contentsOf: Array(bytes[position..<end]), at: position)
            case 4: bytes.removeSubrange(position...)
            default:
                let other = samples.randomElement(using: &generator) ?? []
                bytes.insert(contentsOf: other.prefix(Int.random(in: 0...other.count, using: &generator)), at: position)
            }
        }
        return bytes
    }
}
