/// Says of the bytes that have come whether a JSON text can begin with them: RFC 8259 as a machine that takes one byte
/// after the other.
///
/// A string may go on over the end of a line here, so that one line break in it is one mistake. Names, ranges of numbers
/// and UTF-8 are not judged.
struct JSONGrammar: Sendable {
    enum State: UInt8, Sendable {
        case value, firstElement, name, firstName, colon, separator
        case string, escape, hexadecimal, literal, number
        case end, invalid
    }

    private(set) var state = State.value
    /// Whether a string had a byte in it that must be escaped.
    private(set) var hasControls = false

    /// The open containers: true for an object.
    private var containers: [Bool] = []
    private var isInName = false
    /// What must come of a literal, or how many digits of an escape.
    private var rest: Substring.UTF8View = ""[...].utf8
    private var digitsLeft = 0
    private var number = Number.minus

    /// Beyond that a text is no JSON: the stack is bounded.
    private static let maximumDepth = 1 << 20

    /// Whether an object or an array can begin now.
    var takesContainer: Bool { state == .value || state == .firstElement }

    var isInString: Bool { state == .string || state == .escape || state == .hexadecimal }

    mutating func take(_ byte: UInt8) {
        switch state {
        case .invalid: return
        case .string:
            switch byte {
            case 0x22: state = isInName ? .colon : afterValue
            case 0x5C: state = .escape
            case ..<0x20: hasControls = true
            default: break
            }
        case .escape:
            switch byte {
            case 0x75: (state, digitsLeft) = (.hexadecimal, 4)
            case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: state = .string
            default: state = .invalid
            }
        case .hexadecimal:
            switch byte {
            case 0x30...0x39, 0x41...0x46, 0x61...0x66:
                digitsLeft -= 1
                if digitsLeft == 0 { state = .string }
            default: state = .invalid
            }
        case .literal:
            guard rest.popFirst() == byte else {
                state = .invalid
                return
            }
            if rest.isEmpty { state = afterValue }
        case .number:
            if let next = number.after(byte) {
                number = next
            } else {
                state = number.isWhole ? afterValue : .invalid
                takeBetween(byte)
            }
        default: takeBetween(byte)
        }
    }

    /// Takes a byte that is in no string, literal or number.
    private mutating func takeBetween(_ byte: UInt8) {
        if JSONTextScan.isBlank(byte) { return }
        switch (state, byte) {
        case (.value, _), (.firstElement, _): beginValue(byte)
        case (.name, 0x22), (.firstName, 0x22): (state, isInName) = (.string, true)
        case (.firstName, 0x7D): close()
        case (.colon, 0x3A): state = .value
        case (.separator, 0x2C): state = containers.last == true ? .name : .value
        case (.separator, 0x7D) where containers.last == true, (.separator, 0x5D) where containers.last == false:
            close()
        default: state = .invalid
        }
    }

    private mutating func beginValue(_ byte: UInt8) {
        switch byte {
        case 0x7B: open(isObject: true)
        case 0x5B: open(isObject: false)
        case 0x22: (state, isInName) = (.string, false)
        case 0x74: (state, rest) = (.literal, "rue"[...].utf8)
        case 0x66: (state, rest) = (.literal, "alse"[...].utf8)
        case 0x6E: (state, rest) = (.literal, "ull"[...].utf8)
        case 0x2D: (state, number) = (.number, .minus)
        case 0x30: (state, number) = (.number, .zero)
        case 0x31...0x39: (state, number) = (.number, .integer)
        case 0x5D where state == .firstElement: close()
        default: state = .invalid
        }
    }

    private mutating func open(isObject: Bool) {
        guard containers.count < JSONGrammar.maximumDepth else {
            state = .invalid
            return
        }
        containers.append(isObject)
        state = isObject ? .firstName : .firstElement
    }

    private mutating func close() {
        containers.removeLast()
        state = afterValue
    }

    private var afterValue: State { containers.isEmpty ? .end : .separator }

    /// How far a number is (RFC 8259, section 6).
    private enum Number: Sendable {
        case minus, zero, integer, point, fraction, exponent, sign, power

        /// nil where it does not go on with this byte.
        func after(_ byte: UInt8) -> Number? {
            switch (self, byte) {
            case (.minus, 0x30): .zero
            case (.minus, 0x31...0x39), (.integer, 0x30...0x39): .integer
            case (.zero, 0x2E), (.integer, 0x2E): .point
            case (.point, 0x30...0x39), (.fraction, 0x30...0x39): .fraction
            case (.zero, 0x45), (.zero, 0x65), (.integer, 0x45), (.integer, 0x65): .exponent
            case (.fraction, 0x45), (.fraction, 0x65): .exponent
            case (.exponent, 0x2B), (.exponent, 0x2D): .sign
            case (.exponent, 0x30...0x39), (.sign, 0x30...0x39), (.power, 0x30...0x39): .power
            default: nil
            }
        }

        var isWhole: Bool {
            switch self {
            case .zero, .integer, .fraction, .power: true
            case .minus, .point, .exponent, .sign: false
            }
        }
    }
}
