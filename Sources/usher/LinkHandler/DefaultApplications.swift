internal import UsherText

/// The group `[Default Applications]` of a `mimeapps.list`, changed line by line (MIME Application Associations 1.0.1).
///
/// Lines that are not changed keep their bytes: comments, blanks, line ends, and what is not UTF-8.
struct DefaultApplications: Sendable, Hashable {
    /// The lines with their ends; only the last one may have none.
    private var lines: [[UInt8]]

    private static let group = Array("[Default Applications]".utf8)

    init(_ bytes: [UInt8]) {
        lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) + [0x0A] }
        // What follows the last line end is a line only where it has bytes.
        let last = lines.removeLast().dropLast()
        if !last.isEmpty { lines.append(Array(last)) }
    }

    var bytes: [UInt8] { Array(lines.joined()) }

    /// The desktop entries that are to open a kind of content, the preferred one first.
    func entries(for type: String) -> [String] {
        places(of: type).first.map { Self.entries(in: lines[$0]) } ?? []
    }

    /// Makes one desktop entry the only one for a kind of content.
    mutating func set(_ type: String, to entry: String) {
        let places = places(of: type)
        for place in places { lines[place] = Array("\(type)=\(entry)".utf8) + Self.end(of: lines[place]) }
        guard places.isEmpty else { return }
        insert(Array("\(type)=\(entry)".utf8))
    }

    /// Takes a desktop entry out of the list of a kind of content. Where no entry is left, those in `former` take its
    /// place; without these, the line is removed.
    mutating func remove(_ entry: String, from type: String, former: [String]) {
        for place in places(of: type).reversed() {
            let entries = Self.entries(in: lines[place])
            guard entries.contains(where: { Self.isSame($0, entry) }) else { continue }
            var left = entries.filter { !Self.isSame($0, entry) }
            if left.isEmpty { left = former }
            if left.isEmpty {
                lines.remove(at: place)
            } else {
                lines[place] = Array("\(type)=\(left.joined(separator: ";"))".utf8) + Self.end(of: lines[place])
            }
        }
    }

    /// Removes the group's header where nothing but blank lines follows it in the group.
    mutating func removeEmptyGroup() {
        guard let header = lines.firstIndex(where: { Self.trimmed($0).elementsEqual(Self.group) }) else { return }
        let rest = lines[(header + 1)...].prefix { !Self.isHeader($0) }
        if rest.allSatisfy({ Self.trimmed($0).isEmpty }) { lines.remove(at: header) }
    }

    var hasGroup: Bool { lines.contains { Self.trimmed($0).elementsEqual(Self.group) } }

    // MARK: Lines

    private func places(of type: String) -> [Int] {
        var isInside = false
        return lines.indices.filter { index in
            let line = Self.trimmed(lines[index])
            if Self.isHeader(lines[index]) { isInside = line.elementsEqual(Self.group) }
            guard isInside, let equals = line.firstIndex(of: UInt8(ascii: "=")) else { return false }
            return Self.trimmed(line[..<equals]).elementsEqual(type.utf8)
        }
    }

    /// After the last line of the group that has text; with a header where there is no group.
    private mutating func insert(_ line: [UInt8]) {
        if !hasGroup {
            endLastLine()
            lines.append(Self.group + Self.end(of: lines.first ?? [0x0A]))
        }
        guard let header = lines.firstIndex(where: { Self.trimmed($0).elementsEqual(Self.group) }) else { return }
        var place = header
        for index in (header + 1)..<lines.endIndex {
            if Self.isHeader(lines[index]) { break }
            if !Self.trimmed(lines[index]).isEmpty { place = index }
        }
        if place == lines.endIndex - 1 { endLastLine() }
        lines.insert(line + Self.end(of: lines[header]), at: place + 1)
    }

    private mutating func endLastLine() {
        guard let last = lines.last, last.last != 0x0A else { return }
        lines[lines.endIndex - 1] += Self.end(of: lines[0])
    }

    private static func entries(in line: [UInt8]) -> [String] {
        guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { return [] }
        return line[(equals + 1)...].split(separator: UInt8(ascii: ";"))
            .map { String(decoding: trimmed($0), as: UTF8.self) }.filter { !$0.isEmpty }
    }

    private static func isHeader(_ line: [UInt8]) -> Bool { trimmed(line).first == UInt8(ascii: "[") }

    private static func isSame(_ one: String, _ other: String) -> Bool { one.hasSameBytes(as: other) }

    private static func end(of line: [UInt8]) -> [UInt8] {
        line.count >= 2 && line[line.count - 2] == 0x0D && line.last == 0x0A ? [0x0D, 0x0A] : [0x0A]
    }

    private static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ line: Bytes) -> Bytes.SubSequence {
        line.trimmed(" \t\r\n")
    }
}
