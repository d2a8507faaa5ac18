import Glibc
import Synchronization

/// Makes time-ordered identifiers: each greater than every one this process made before.
///
/// RFC 9562, 5.7, with the twelve bits after the version as a counter (6.2, method 1): it starts in its lower half each
/// millisecond and runs into the next one when it is used up, or when the clock goes back.
public enum UUIDv7 {
    private struct State: Sendable {
        var generator = Generator()
        var random = RandomWords()
    }

    private static let state = Mutex(State())

    /// 36 characters, lower case.
    public static func next() -> String {
        state.withLock { state in
            let now = UInt64(clamping: SystemClock.microseconds() / 1000)
            return state.generator.next(milliseconds: now, using: &state.random)
        }
    }

    /// Whether a text has the form of ours; a sender's own may have it, too.
    public static func isOne(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 36, bytes[14] == UInt8(ascii: "7"), [0x38, 0x39, 0x61, 0x62].contains(bytes[19]) else {
            return false
        }
        return bytes.indices.allSatisfy { place in
            switch place {
            case 8, 13, 18, 23: bytes[place] == UInt8(ascii: "-")
            default: (0x30...0x39).contains(bytes[place]) || (0x61...0x66).contains(bytes[place])
            }
        }
    }

    /// The sixteen bytes of an identifier of ours, as the store keeps them; nil for any other text.
    package static func bytes(of text: String) -> [UInt8]? {
        guard isOne(text) else { return nil }
        var digits = 0
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        var byte: UInt8 = 0
        for digit in text.utf8 where digit != UInt8(ascii: "-") {
            byte = byte << 4 | (digit < 0x3a ? digit &- 0x30 : digit &- 0x57)
            digits += 1
            if digits % 2 == 0 { bytes.append(byte) }
        }
        return bytes
    }

    /// The text of an identifier from its sixteen bytes, whatever they are; nil for more or fewer.
    package static func text(of bytes: [UInt8]) -> String? {
        guard bytes.count == 16 else { return nil }
        let high = bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let low = bytes[8...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return text(high, low)
    }

    /// The same as a value over a clock and a source of randomness.
    struct Generator: Sendable {
        private var milliseconds: UInt64 = 0
        private var counter: UInt16 = 0

        mutating func next(milliseconds now: UInt64, using random: inout some RandomNumberGenerator) -> String {
            if now > milliseconds {
                milliseconds = now
                counter = UInt16.random(in: 0..<0x800, using: &random)
            } else if counter < 0xfff {
                counter += 1
            } else {
                milliseconds &+= 1
                counter = UInt16.random(in: 0..<0x800, using: &random)
            }
            let high = (milliseconds << 16) | 0x7000 | UInt64(counter)
            let low = (random.next() & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000
            return UUIDv7.text(high, low)
        }
    }

    private static func text(_ high: UInt64, _ low: UInt64) -> String {
        unsafe String(unsafeUninitializedCapacity: 36) { text in
            var place = 0
            func put(_ half: UInt64, _ digits: Range<UInt64>) {
                for digit in digits {
                    let value = UInt8(truncatingIfNeeded: half >> (60 &- digit &* 4)) & 15
                    unsafe text[place] = value < 10 ? 0x30 &+ value : 0x57 &+ value
                    place &+= 1
                }
            }
            func putHyphen() {
                unsafe text[place] = UInt8(ascii: "-")
                place &+= 1
            }
            put(high, 0..<8)
            putHyphen()
            put(high, 8..<12)
            putHyphen()
            put(high, 12..<16)
            putHyphen()
            put(low, 0..<4)
            putHyphen()
            put(low, 4..<16)
            return place
        }
    }
}

/// The system's randomness, asked for many words at once.
private struct RandomWords: RandomNumberGenerator, Sendable {
    private var words: InlineArray<32, UInt64> = .init(repeating: 0)
    private var left = 0

    mutating func next() -> UInt64 {
        if left == 0 { refill() }
        left -= 1
        let word = words[left]
        words[left] = 0
        return word
    }

    private mutating func refill() {
        left = words.count
        var span = words.mutableSpan
        let result = unsafe span.withUnsafeMutableBytes { unsafe getentropy($0.baseAddress!, $0.count) }
        if result == 0 { return }
        var system = SystemRandomNumberGenerator()
        for i in words.indices { words[i] = system.next() }
    }
}
