/// A version as numbers with dots between them, such as `2.10.1`: compared number by number, missing ones being 0.
///
/// Numbers may have any length: nothing overflows.
public struct DottedVersion: Sendable {
    /// Without leading zeros and without zeros at the end.
    private let numbers: [[UInt8]]

    /// nil where the text is anything else.
    public init?(_ text: String) {
        var numbers: [[UInt8]] = []
        for part in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard !part.isEmpty, part.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            numbers.append(Array(part.drop { $0 == 0x30 }))
        }
        while numbers.last?.isEmpty == true { numbers.removeLast() }
        self.numbers = numbers
    }
}

extension DottedVersion: Comparable {
    public static func < (one: Self, other: Self) -> Bool {
        for (left, right) in zip(one.numbers, other.numbers) where left != right {
            return left.count == right.count ? left.lexicographicallyPrecedes(right) : left.count < right.count
        }
        return one.numbers.count < other.numbers.count
    }
}
