// Text is written into memory that is there already: a check for each piece, none for each byte.

extension OutputSpan<UInt8> {
    /// Appends bytes; there must be room for them.
    @inlinable @inline(__always)
    public mutating func append(copying bytes: Span<UInt8>) {
        precondition(bytes.count <= freeCapacity)
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let from = source.baseAddress else { return }
            unsafe withUnsafeMutableBufferPointer { target, count in
                guard let to = target.baseAddress else { return }
                unsafe (to + count).update(from: from, count: source.count)
                count += source.count
            }
        }
    }

    /// Appends a literal; there must be room for it.
    @inlinable @inline(__always)
    public mutating func append(_ literal: StaticString) {
        let size = literal.utf8CodeUnitCount
        precondition(size <= freeCapacity)
        unsafe withUnsafeMutableBufferPointer { target, count in
            guard let to = target.baseAddress else { return }
            unsafe (to + count).update(from: literal.utf8Start, count: size)
            count += size
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
