// Text is written into memory that is there already: a check for each piece, none for each byte.

extension OutputSpan<UInt8> {
    /// Appends bytes; there must be room for them.
    @inlinable @inline(__always)
    public mutating func append(copying bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append($0) }
    }

    /// Appends a literal; there must be room for it.
    @inlinable @inline(__always)
    public mutating func append(_ literal: StaticString) {
        unsafe append(UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    @inlinable @inline(__always)
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        precondition(bytes.count <= freeCapacity)
        unsafe withUnsafeMutableBufferPointer { target, count in
            guard let to = target.baseAddress, let from = bytes.baseAddress else { return }
            unsafe (to + count).update(from: from, count: bytes.count)
            count += bytes.count
        }
    }

    /// Appends a number in decimal digits: at most 20 bytes.
    public mutating func appendDecimal(_ number: Int64) {
        if number < 0 { append(UInt8(ascii: "-")) }
        appendDecimal(number.magnitude)
    }

    /// Appends a number in decimal digits: at most 20 bytes.
    public mutating func appendDecimal(_ number: UInt64) {
        var unit: UInt64 = 1
        while number / unit >= 10 { unit *= 10 }
        while unit > 0 {
            append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / unit % 10))
            unit /= 10
        }
    }
}
