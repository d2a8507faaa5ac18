import UsherScene
internal import UsherText

/// A value and its region.
struct Placed<Value: Sendable>: Sendable {
    var value: Value
    var region: SourceRegion
}

extension TableReader {
    /// A string; where it must not be empty, one that is not.
    mutating func string(_ key: String, of table: CheckedTable, mayBeEmpty: Bool = false) -> Placed<String>? {
        guard let member = table.members[key], case .string(let text) = member.value.content else { return nil }
        if text.isEmpty, !mayBeEmpty {
            report(.invalidValue, at: member.value.region, "`\(key)` must not be empty")
            return nil
        }
        return Placed(value: text, region: member.value.region)
    }

    func boolean(_ key: String, of table: CheckedTable) -> Placed<Bool>? {
        guard let member = table.members[key], case .boolean(let value) = member.value.content else { return nil }
        return Placed(value: value, region: member.value.region)
    }

    mutating func integer(_ key: String, of table: CheckedTable, in range: ClosedRange<Int>) -> Placed<Int>? {
        guard let member = table.members[key], case .integer(let value) = member.value.content else { return nil }
        guard let value = Int(exactly: value), range.contains(value) else {
            report(
                .invalidValue, at: member.value.region,
                "`\(key)` must be from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return Placed(value: value, region: member.value.region)
    }

    /// An integer or a floating-point number.
    mutating func number(_ key: String, of table: CheckedTable, in range: ClosedRange<Double>) -> Placed<Double>? {
        guard let member = table.members[key] else { return nil }
        let value: Double
        switch member.value.content {
        case .integer(let integer): value = Double(integer)
        case .float(let float): value = float
        default: return nil
        }
        // Not a number is in no range.
        guard range.contains(value) else {
            report(
                .invalidValue, at: member.value.region,
                "`\(key)` must be from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
            return nil
        }
        return Placed(value: value, region: member.value.region)
    }

    /// The elements of a list of strings.
    mutating func strings(_ key: String, of table: CheckedTable) -> [Placed<String>]? {
        guard let member = table.members[key], case .array(let elements) = member.value.content else { return nil }
        var strings: [Placed<String>] = []
        for element in elements {
            if case .string(let text) = element.content {
                strings.append(Placed(value: text, region: element.region))
            } else {
                report(
                    .wrongType, at: element.region, "`\(key)` is a list of strings, found \(element.kind)",
                    help: "put it in quotes")
            }
        }
        return strings
    }

    func members(_ key: String, of table: CheckedTable) -> [TOMLMember]? {
        guard let member = table.members[key], case .table(let members) = member.value.content else { return nil }
        return members
    }

    /// The tables of a list of tables, each with its region.
    mutating func tables(_ key: String, of table: CheckedTable) -> [Placed<[TOMLMember]>] {
        guard let member = table.members[key], case .array(let elements) = member.value.content else { return [] }
        var tables: [Placed<[TOMLMember]>] = []
        for element in elements {
            if case .table(let members) = element.content {
                tables.append(Placed(value: members, region: element.region))
            } else {
                report(.wrongType, at: element.region, "`\(key)` is a list of tables, found \(element.kind)")
            }
        }
        return tables
    }

    /// One of the names of an enumeration.
    mutating func choice<Value: RawRepresentable & CaseIterable & Sendable>(
        _ key: String, of table: CheckedTable, as type: Value.Type
    ) -> Value? where Value.RawValue == String {
        guard let text = string(key, of: table) else { return nil }
        if let value = Value(rawValue: text.value) { return value }
        let names = Value.allCases.map(\.rawValue)
        report(
            .invalidValue, at: text.region, "`\(key)` cannot be \(TOMLText.quoted(text.value))",
            help: TableReader.choices(names, nearest: text.value))
        return nil
    }

    static func choices(_ names: [String], nearest word: String) -> String {
        if let meant = Suggestion.closest(to: word, among: names) { return "did you mean \(TOMLText.quoted(meant))?" }
        return "it can be " + names.map(TOMLText.quoted).joined(separator: ", ")
    }

    /// Milliseconds, written as seconds.
    mutating func seconds(_ key: String, of table: CheckedTable) -> Int? {
        guard let member = table.members[key] else { return nil }
        let seconds: Double? =
            switch member.value.content {
            case .integer(let value): Double(value)
            case .float(let value): value
            default: nil
            }
        guard let seconds, (0.001...3600).contains(seconds) else {
            report(
                .invalidValue, at: member.value.region, "`\(key)` is a number of seconds from 0.001 to 3600",
                help: "write it so: \(key) = 1.5")
            return nil
        }
        return Int((seconds * 1000).rounded())
    }

    /// Milliseconds: an integer, or a string with `ms`, `s` or `m`.
    mutating func duration(_ key: String, of table: CheckedTable) -> Int? {
        guard let member = table.members[key] else { return nil }
        let milliseconds: Int? =
            switch member.value.content {
            case .integer(let value): Int(exactly: value)
            case .string(let text): TableReader.milliseconds(text)
            default: nil
            }
        guard let milliseconds, (1...3_600_000).contains(milliseconds) else {
            report(
                .invalidValue, at: member.value.region, "`\(key)` is a duration from 1 ms to 1 hour",
                help: "write it as \"5s\", \"500ms\" or \"2m\", or as an integer of milliseconds")
            return nil
        }
        return milliseconds
    }

    private static func milliseconds(_ text: String) -> Int? {
        for (unit, factor) in [("ms", 1), ("s", 1000), ("m", 60_000)] where text.hasSuffix(unit) {
            let digits = text.dropLast(unit.utf8.count)
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits)
            else { return nil }
            let (product, overflow) = number.multipliedReportingOverflow(by: factor)
            return overflow ? nil : product
        }
        return nil
    }

    /// The region of a part of a string's value, given by its UTF-8 bytes.
    func region(ofBytes offset: Int, count: Int, inStringAt region: SourceRegion) -> SourceRegion {
        let begin = file.position(ofValueOffset: offset, inStringAt: region.begin)
        let end = file.position(ofValueOffset: offset + max(1, count), inStringAt: region.begin)
        return SourceRegion(begin: begin, end: max(begin, end))
    }
}
