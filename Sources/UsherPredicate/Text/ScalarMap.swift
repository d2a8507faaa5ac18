internal import UsherText

/// A sorted map from some scalars to short sequences of scalars.
struct ScalarMap: Sendable {
    private var keys: [UInt32] = []
    private var starts: [Int] = []
    private var values: [UInt32] = []

    /// Reads `distance=scalar scalar;…`, hexadecimal.
    init(packed: String) {
        var number: UInt32 = 0
        var key: UInt32 = 0
        for byte in packed.utf8 {
            switch byte {
            case UInt8(ascii: "="):
                key += number
                keys.append(key)
                starts.append(values.count)
                number = 0
            case UInt8(ascii: " "), UInt8(ascii: ";"):
                values.append(number)
                number = 0
            default:
                number = number << 4 | UInt32(Hexadecimal.value(of: byte) ?? 0)
            }
        }
        starts.append(values.count)
    }

    /// Appends what `scalar` maps to, or `scalar` itself.
    func append(_ scalar: UInt32, to output: inout [UInt32]) {
        let index = keys.firstIndexNotBelow(scalar)
        guard index < keys.count, keys[index] == scalar else {
            output.append(scalar)
            return
        }
        for position in starts[index]..<starts[index + 1] { output.append(values[position]) }
    }
}

/// Runs of neighbouring scalars with a value each; 0 outside of the runs.
struct ScalarRuns: Sendable {
    private var ends: [UInt32] = []
    private var values: [UInt8] = []

    /// Reads `gap length value;…`, hexadecimal.
    init(packed: String) {
        var numbers: [UInt32] = []
        var number: UInt32 = 0
        var position: UInt32 = 0
        for byte in packed.utf8 {
            switch byte {
            case UInt8(ascii: " "):
                numbers.append(number)
                number = 0
            case UInt8(ascii: ";"):
                // Gaps are runs too, of value 0, so that one search answers.
                ends.append(position + numbers[0])
                values.append(0)
                position += numbers[0] + numbers[1]
                ends.append(position)
                values.append(UInt8(truncatingIfNeeded: number))
                numbers.removeAll(keepingCapacity: true)
                number = 0
            default:
                number = number << 4 | UInt32(Hexadecimal.value(of: byte) ?? 0)
            }
        }
    }

    subscript(scalar: UInt32) -> UInt8 {
        let index = ends.firstIndexNotBelow(scalar + 1)
        return index < values.count ? values[index] : 0
    }
}

extension [UInt32] {
    /// Index of the first element not below `value`; the array is sorted.
    fileprivate func firstIndexNotBelow(_ value: UInt32) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
