extension [UInt8] {
    /// Appends a number in decimal digits.
    public mutating func appendDecimal(_ number: Int64) {
        if number < 0 { append(0x2D) }
        appendDecimal(number.magnitude)
    }

    /// Appends a number in decimal digits.
    public mutating func appendDecimal(_ number: UInt64) {
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var first = digits.count
        var rest = number
        repeat {
            first -= 1
            digits[first] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        append(addingCapacity: digits.count) { text in
            for i in first..<digits.count { text.append(digits[i]) }
        }
    }
}
