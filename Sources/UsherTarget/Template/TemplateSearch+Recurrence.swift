/// What earlier texts of a variable say about a later one.
extension TemplateSearch {
    enum Expectation {
        case anything
        case nothing
        case text(ArraySlice<UInt8>)
    }

    /// What a run may read, given what was captured for its variable before.
    ///
    /// A text is expected only where it is the only one possible; whatever else disagrees shows when the values found
    /// are expanded.
    func expectation(for run: TemplateRun) -> Expectation {
        let variable = occurrences[run.occurrence]
        if let last = captures.last, last.run.occurrence != run.occurrence, !isLastListWhole { return .nothing }
        switch run.role {
        case .key, .value: return .anything
        case .string:
            if let first = firstWhole[variable.index], captures[first].run.role == .string {
                return expectation(for: run, from: captures[first])
            }
            if let first = firstPrefix[variable.index] {
                let capture = captures[first]
                let isSame =
                    occurrences[capture.run.occurrence].modifier == variable.modifier
                    && capture.run.alphabet == run.alphabet
                if isSame { return .text(characters.bytes[capture.start..<capture.end]) }
            }
            return .anything
        case .member:
            guard let first = firstWhole[variable.index], captures[first].run.role == .member,
                captures[first].run.occurrence != run.occurrence
            else { return .anything }
            let last = captures.last
            let index = last?.run.occurrence == run.occurrence ? first + (last?.index ?? 0) + 1 : first
            guard captures[index].run.occurrence == captures[first].run.occurrence else { return .nothing }
            return expectation(for: run, from: captures[index])
        }
    }

    private func expectation(for run: TemplateRun, from earlier: Capture) -> Expectation {
        let text = characters.bytes[earlier.start..<earlier.end]
        let modifier = occurrences[run.occurrence].modifier
        var limit = Int.max
        if case .prefix(let length) = modifier { limit = length }
        if limit == .max, earlier.run.alphabet == run.alphabet { return .text(text) }
        // A triplet that may have been copied leaves open what the value is.
        if earlier.run.alphabet.keepsReserved, text.contains(ASCII.percent) { return .anything }
        var expected: [UInt8] = []
        PercentEncoding.append(
            PercentEncoding.decode(text), keepingReserved: run.alphabet.keepsReserved, limit: limit, to: &expected)
        return .text(expected[...])
    }

    /// Whether the list that was read last, if any, has as many members as where it was read first.
    var isLastListWhole: Bool {
        guard let last = captures.last, last.run.role == .member,
            let first = firstWhole[occurrences[last.run.occurrence].index], captures[first].run.role == .member,
            captures[first].run.occurrence != last.run.occurrence
        else { return true }
        return captures[first + last.index + 1].run.occurrence != captures[first].run.occurrence
    }

    mutating func remember(_ run: TemplateRun, at index: Int) {
        let variable = occurrences[run.occurrence]
        if case .prefix = variable.modifier {
            if firstPrefix[variable.index] == nil { firstPrefix[variable.index] = index }
        } else if firstWhole[variable.index] == nil {
            firstWhole[variable.index] = index
        }
    }

    mutating func forget(_ run: TemplateRun, at index: Int) {
        let variable = occurrences[run.occurrence].index
        if firstPrefix[variable] == index { firstPrefix[variable] = nil }
        if firstWhole[variable] == index { firstWhole[variable] = nil }
    }
}
