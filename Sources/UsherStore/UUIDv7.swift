import Synchronization

/// Makes time-ordered identifiers: each greater than every one this process made before.
///
/// RFC 9562, 5.7, with the twelve bits after the version as a counter (6.2, method 1): it starts in its lower half each
/// millisecond and runs into the next one when it is used up, or when the clock goes back.
public enum UUIDv7 {
    private static let generator = Mutex(Generator())

    /// 36 characters, lower case.
    public static func next() -> String {
        generator.withLock { generator in
            var random = SystemRandomNumberGenerator()
            return generator.next(milliseconds: UInt64(clamping: SystemClock.microseconds() / 1000), using: &random)
        }
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
        let digits = Array("0123456789abcdef".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(36)
        for (index, half) in [high, low].enumerated() {
            for position in 0..<16 {
                if (index == 0 && (position == 8 || position == 12)) || (index == 1 && (position == 0 || position == 4))
                {
                    bytes.append(UInt8(ascii: "-"))
                }
                bytes.append(digits[Int(truncatingIfNeeded: half >> UInt64(60 - position * 4)) & 15])
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
