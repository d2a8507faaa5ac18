/// Eight bytes of a text, tested together. With it the scanners skip runs of ordinary bytes quickly.
///
/// A test gives a mask. Its lowest set bit is the top bit of the first byte that passes; the bits above that one may be
/// wrong, since a borrow propagates upwards. Masks of several tests may be joined with `|`.
@frozen
public struct ByteWord: Sendable {
    /// The first byte is the lowest.
    public let bits: UInt64

    @usableFromInline static let ones: UInt64 = 0x0101_0101_0101_0101
    @usableFromInline static let tops: UInt64 = 0x8080_8080_8080_8080

    /// - Parameters:
    ///   - offset: at least eight bytes must follow it.
    @inlinable @inline(__always)
    public init(_ bytes: Span<UInt8>, at offset: Int) {
        bits = UInt64(littleEndian: unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Marks the bytes that equal one.
    @inlinable @inline(__always)
    public func mask(of byte: UInt8) -> UInt64 {
        let difference = bits ^ Self.ones &* UInt64(byte)
        return (difference &- Self.ones) & ~difference & Self.tops
    }

    /// Marks the bytes below U+0020.
    @inlinable @inline(__always)
    public var maskOfControls: UInt64 { (bits &- Self.ones &* 0x20) & ~bits & Self.tops }

    /// Marks the bytes outside ASCII.
    @inlinable @inline(__always)
    public var maskOfNonASCII: UInt64 { bits & Self.tops }

    /// Marks what is special in a JSON string: quotes, backslashes, controls, and what is outside of ASCII.
    @inlinable @inline(__always)
    public var maskOfSpecial: UInt64 {
        let quotes = (bits ^ Self.ones &* 0x22) &- Self.ones
        let backslashes = (bits ^ Self.ones &* 0x5C) &- Self.ones
        let controls = bits &- Self.ones &* 0x20
        return (bits | quotes | backslashes | controls) & Self.tops
    }

    /// The same, and DEL.
    @inlinable @inline(__always)
    public var maskOfEscaped: UInt64 { maskOfSpecial | (bits &+ Self.ones) & Self.tops }

    /// Which of the eight a mask marks first.
    @inlinable @inline(__always)
    public static func first(_ mask: UInt64) -> Int { mask.trailingZeroBitCount &>> 3 }
}

extension ByteWord {
    /// Where a byte is next, or the end of the text.
    @inlinable
    public static func firstOffset(of byte: UInt8, in bytes: Span<UInt8>, from start: Int) -> Int {
        var i = start
        // Most texts are long: four words at a time.
        while bytes.count &- i >= 32 {
            let found =
                ByteWord(bytes, at: i).mask(of: byte) | ByteWord(bytes, at: i &+ 8).mask(of: byte)
                | ByteWord(bytes, at: i &+ 16).mask(of: byte) | ByteWord(bytes, at: i &+ 24).mask(of: byte)
            if found != 0 { break }
            i &+= 32
        }
        while bytes.count &- i >= 8 {
            let found = ByteWord(bytes, at: i).mask(of: byte)
            if found != 0 { return i &+ first(found) }
            i &+= 8
        }
        while i < bytes.count, bytes[i] != byte { i &+= 1 }
        return i
    }

    /// Says whether a text has nothing but the characters from the blank to the tilde.
    @inlinable
    public static func isPrintableASCII(_ bytes: Span<UInt8>) -> Bool {
        var i = 0
        while bytes.count &- i >= 8 {
            let word = ByteWord(bytes, at: i)
            guard word.maskOfControls | word.maskOfNonASCII | word.mask(of: 0x7F) == 0 else { return false }
            i &+= 8
        }
        while i < bytes.count, bytes[i] &- 0x20 < 0x5F { i &+= 1 }
        return i >= bytes.count
    }

    /// Says whether two texts are the same bytes.
    @inlinable
    public static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        let count = left.count
        guard count == right.count else { return false }
        guard count >= 8 else {
            for i in 0..<count where left[i] != right[i] { return false }
            return true
        }
        // The last eight overlap those before, so that no bytes remain.
        let last = count &- 8
        var i = 0
        while i < last {
            guard ByteWord(left, at: i).bits == ByteWord(right, at: i).bits else { return false }
            i &+= 8
        }
        return ByteWord(left, at: last).bits == ByteWord(right, at: last).bits
    }
}
