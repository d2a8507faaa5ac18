/// A numeric IPv4 or IPv6 address (RFC 791, RFC 4291).
///
/// An IPv4 address that is mapped into IPv6 (`::ffff:192.0.2.1`) is the IPv4 address.
public struct InternetAddress: Sendable, Hashable, CustomStringConvertible {
    /// Eight groups of 16 bits; IPv4 in the last two, behind the prefix of mapped addresses.
    fileprivate var groups: [UInt16]

    fileprivate init(groups: [UInt16]) { self.groups = groups }

    /// Nil where the text is not exactly one address. A zone (`%eth0`) is none of an address.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 45 else { return nil }
        guard let groups = bytes.contains(UInt8(ascii: ":")) ? Self.version6(bytes[...]) : Self.mapped(bytes[...])
        else { return nil }
        self.groups = groups
    }

    var isVersion4: Bool { groups[..<6] == [0, 0, 0, 0, 0, 0xFFFF] }

    /// What one client has: an IPv4 address, or the /64 network of an IPv6 address, within which a client can have any
    /// number of addresses.
    public var clientNetwork: String {
        isVersion4 ? description : InternetAddress(groups: groups[..<4] + [0, 0, 0, 0]).description + "/64"
    }

    /// As RFC 5952 writes it.
    public var description: String {
        if isVersion4 { return Self.decimal(groups[6...]) }
        // The longest run of at least two zeros becomes "::", the first of several.
        var best = 0..<0
        var start = 0
        while start < 8 {
            let end = groups[start...].firstIndex { $0 != 0 } ?? 8
            if end - start > max(best.count, 1) { best = start..<end }
            start = max(end, start + 1)
        }
        func text(_ range: Range<Int>) -> String {
            groups[range].map { String($0, radix: 16) }.joined(separator: ":")
        }
        return best.isEmpty ? text(0..<8) : text(0..<best.lowerBound) + "::" + text(best.upperBound..<8)
    }

    private static func decimal(_ groups: ArraySlice<UInt16>) -> String {
        groups.flatMap { [$0 >> 8, $0 & 0xFF] }.map(String.init).joined(separator: ".")
    }

    // MARK: Reading

    private static func mapped(_ text: ArraySlice<UInt8>) -> [UInt16]? {
        version4(text).map { [0, 0, 0, 0, 0, 0xFFFF] + $0 }
    }

    /// The two groups of an IPv4 address: four decimal numbers without leading zeros.
    private static func version4(_ text: ArraySlice<UInt8>) -> [UInt16]? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var numbers: [UInt16] = []
        for part in parts {
            guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
            var number: UInt16 = 0
            for digit in part {
                guard (0x30...0x39).contains(digit) else { return nil }
                number = number * 10 + UInt16(digit - 0x30)
            }
            guard number <= 255 else { return nil }
            numbers.append(number)
        }
        return [numbers[0] << 8 | numbers[1], numbers[2] << 8 | numbers[3]]
    }

    /// Groups around at most one `::`, the last two perhaps as an IPv4 address. RFC 4291, 2.2.
    private static func version6(_ text: ArraySlice<UInt8>) -> [UInt16]? {
        let colon = UInt8(ascii: ":")
        guard let gap = text.indices.dropLast().first(where: { text[$0] == colon && text[$0 + 1] == colon }) else {
            let groups = list(text, mayEndWithVersion4: true)
            return groups?.count == 8 ? groups : nil
        }
        guard let before = list(text[..<gap], mayEndWithVersion4: false),
            let after = list(text[(gap + 2)...], mayEndWithVersion4: true), before.count + after.count <= 7
        else { return nil }
        return before + Array(repeating: 0, count: 8 - before.count - after.count) + after
    }

    private static func list(_ text: ArraySlice<UInt8>, mayEndWithVersion4: Bool) -> [UInt16]? {
        if text.isEmpty { return [] }
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count <= 8 else { return nil }
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if part.contains(UInt8(ascii: ".")) {
                guard mayEndWithVersion4, index == parts.count - 1, let last = version4(part) else { return nil }
                groups += last
            } else {
                guard (1...4).contains(part.count), part.first != UInt8(ascii: "+"),
                    let group = UInt16(String(decoding: part, as: UTF8.self), radix: 16)
                else { return nil }
                groups.append(group)
            }
        }
        return groups
    }
}

/// An address, or all addresses that begin with the same bits: `10.0.0.0/8` (RFC 4632).
public struct AddressRange: Sendable, Hashable, CustomStringConvertible {
    private let base: InternetAddress
    /// How many bits are the same, of 128.
    private let length: Int

    /// Nil where the text is no address, with or without a length. Bits beyond the length are dropped.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = InternetAddress(parts[0]) else { return nil }
        let offset = address.isVersion4 && !parts[0].utf8.contains(UInt8(ascii: ":")) ? 96 : 0
        var length = 128
        if parts.count > 1 {
            let digits = parts[1].utf8
            guard (1...3).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(parts[1]), number + offset <= 128
            else { return nil }
            length = number + offset
        }
        self.length = length
        base = AddressRange.masked(address, length)
    }

    public func contains(_ address: InternetAddress) -> Bool { AddressRange.masked(address, length) == base }

    /// Whether it is all of IPv4, or all of IPv6.
    public var isEverything: Bool { length == 0 || length == 96 && base.isVersion4 }

    public var description: String {
        let length = base.isVersion4 && length >= 96 ? length - 96 : length
        return "\(base)/\(length)"
    }

    private static func masked(_ address: InternetAddress, _ length: Int) -> InternetAddress {
        InternetAddress(
            groups: address.groups.enumerated().map { index, group in
                let bits = min(max(length - index * 16, 0), 16)
                return bits == 0 ? 0 : group & (0xFFFF << UInt16(16 - bits))
            })
    }
}
