/// A number's text taken apart: digits, and the power of ten they are multiplied with.
struct JSONNumberParts {
    private var isNegative = false
    /// Significant digits without leading and trailing zeros, as offsets into the text: the first, and the last plus 1.
    private var firstDigit = 0
    private var endOfDigits = 0
    /// Digits from the first to the last significant one, not counting the point.
    private var digitCount = 0
    /// The power of ten of the last significant digit; clamped, see `exponentLimit`.
    private var exponent = 0

    /// Exponents beyond it change nothing: the value is over every range or rounds to zero.
    private static let exponentLimit = 1 << 40

    /// The power of ten of the first significant digit, or nil for zero.
    var decimalMagnitude: Int? { digitCount == 0 ? nil : exponent + digitCount - 1 }

    /// Takes apart a text that is a JSON number.
    init(_ text: Span<UInt8>) {
        var written = 0
        var point: Int?
        var writtenExponent = 0
        var negativeExponent = false
        var positionOfFirst = 0
        var positionOfLast = 0
        var inExponent = false
        for i in text.indices {
            let byte = text[i]
            switch byte {
            case 0x2D: if inExponent { negativeExponent = true } else { isNegative = true }
            case 0x2E: point = written
            case 0x45, 0x65: inExponent = true
            case 0x30...0x39 where inExponent:
                writtenExponent = min(writtenExponent * 10 + Int(byte - 0x30), Self.exponentLimit)
            case 0x30...0x39:
                if byte != 0x30 {
                    if endOfDigits == 0 {
                        firstDigit = i
                        positionOfFirst = written
                    }
                    endOfDigits = i + 1
                    positionOfLast = written
                }
                written += 1
            default: break
            }
        }
        guard endOfDigits > 0 else { return }
        digitCount = positionOfLast - positionOfFirst + 1
        exponent = (point ?? written) - 1 - positionOfLast + (negativeExponent ? -writtenExponent : writtenExponent)
    }

    /// The value where it is a whole number that fits; `9.0` and `1E0` are whole.
    func integer(_ text: Span<UInt8>) -> Int64? {
        guard digitCount > 0 else { return 0 }
        guard exponent >= 0, digitCount + exponent <= 19 else { return nil }
        var value: Int64 = 0
        // Negative all the way: the range is one larger on that side.
        for i in firstDigit..<endOfDigits where text[i] != 0x2E {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (difference, underflow) = product.subtractingReportingOverflow(Int64(text[i] - 0x30))
            guard !overflow, !underflow else { return nil }
            value = difference
        }
        for _ in 0..<exponent {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            value = product
        }
        guard !isNegative else { return value }
        let (negated, overflow) = value.multipliedReportingOverflow(by: -1)
        return overflow ? nil : negated
    }
}
