internal import UsherText

/// Finds ways through a template's graph along an identifier, the preferred one first.
///
/// Every step taken can still reach the end, so that without recurring variables the first way is found
/// without turning back. Where a variable recurs, its texts must also agree; that is searched for within a bounded
/// number of steps. Nothing here recurs: the open choices lie on an explicit stack.
struct TemplateSearch {
    /// The text of one run.
    struct Capture {
        var run: TemplateRun
        var start: Int
        var end: Int
        /// Length of the text in characters of the value.
        var characters: Int
        /// How many texts its occurrence has before it.
        var index: Int
    }

    /// A place where the identifier may be read in another way, and how far its ways are tried.
    struct Choice {
        var node: Int
        var offset: Int
        var captures: Int
        /// For a run: the end last tried.
        var end: Int
        var characters: Int
    }

    let characters: EncodedCharacters
    private let occurrences: [TemplateVariable]
    private let nodes: [TemplateGraph.Node]
    private let reach: TemplateReach

    private(set) var captures: [Capture] = []
    private(set) var choices: [Choice] = []
    /// Steps left before the search gives up.
    private(set) var budget = 1 << 22
    /// Whether looking ahead costs as well: not on the first way, which must not fail for its length.
    var chargesLookingAhead: Bool
    private var node: Int
    private var offset = 0
    /// For each variable, the first whole text that was captured for it, and the first prefix.
    private var firstWhole: [Int?]
    private var firstPrefix: [Int?]

    init?(
        _ graph: TemplateGraph, over characters: EncodedCharacters, occurrences: [TemplateVariable], variables: Int
    ) {
        reach = TemplateReach(graph, over: characters)
        guard reach[graph.start, 0] else { return nil }
        self.characters = characters
        self.occurrences = occurrences
        nodes = graph.nodes
        node = graph.start
        firstWhole = Array(repeating: nil, count: variables)
        firstPrefix = firstWhole
        chargesLookingAhead = variables < occurrences.count
    }

    var isExhausted: Bool { budget <= 0 }

    mutating func spend(_ steps: Int) { budget -= steps }

    /// Goes on to the end; turns back to open choices above `floor` where texts of a variable disagree.
    mutating func advance(above floor: Int = 0) -> Bool {
        while !isExhausted {
            budget -= 1
            switch nodes[node] {
            case .accept:
                if isLastListWhole { return true }
                if !turn(above: floor) { return false }
            case .literal(let bytes, let next):
                offset += bytes.count
                node = next
            case .split(let first, let second):
                if reach[first, offset] {
                    if reach[second, offset] {
                        choices.append(
                            Choice(node: node, offset: offset, captures: captures.count, end: -1, characters: 0))
                    }
                    node = first
                } else {
                    node = second
                }
            case .run(let run, let next):
                let isRead =
                    switch expectation(for: run) {
                    case .nothing: false
                    case .text(let text): read(text, as: run, next: next)
                    case .anything: read(run, next: next, from: offset, end: offset, characters: 0)
                    }
                if !isRead, !turn(above: floor) { return false }
            }
        }
        return false
    }

    /// Takes the next way at the last open choice above `floor`; false when there is none.
    mutating func turn(above floor: Int = 0) -> Bool {
        while choices.count > floor, let choice = choices.popLast() {
            while captures.count > choice.captures { forgetCapture() }
            offset = choice.offset
            node = choice.node
            switch nodes[node] {
            case .split(_, let second):
                node = second
                return true
            case .run(let run, let next):
                let end = choice.end + characters.length(at: choice.end, in: run.alphabet)
                if read(run, next: next, from: offset, end: end, characters: choice.characters + 1) { return true }
            case .accept, .literal: break
            }
        }
        return false
    }

    /// Forgets the choices above `count`, so that the next turn is at the one below.
    mutating func keepChoices(_ count: Int) {
        choices.removeLast(choices.count - min(count, choices.count))
    }

    // MARK: Texts

    /// Reads the shortest text from `start` that ends at `end` or later and leads on.
    private mutating func read(
        _ run: TemplateRun, next: Int, from start: Int, end: Int, characters count: Int
    ) -> Bool {
        guard let found = self.end(of: run, next: next, end: end, characters: count) else { return false }
        let length = characters.length(at: found.end, in: run.alphabet)
        let hasMore =
            length > 0
            && self.end(of: run, next: next, end: found.end + length, characters: found.characters + 1) != nil
        if hasMore {
            choices.append(
                Choice(
                    node: node, offset: start, captures: captures.count, end: found.end,
                    characters: found.characters))
        }
        capture(run, from: start, to: found.end, characters: found.characters, next: next)
        return true
    }

    private mutating func end(
        of run: TemplateRun, next: Int, end: Int, characters count: Int
    ) -> (end: Int, characters: Int)? {
        var (end, count) = (end, count)
        while count <= run.maximum {
            if count >= run.minimum, reach[next, end] { return (end, count) }
            let length = characters.length(at: end, in: run.alphabet)
            guard length > 0 else { return nil }
            end += length
            count += 1
            if chargesLookingAhead { budget -= 1 }
        }
        return nil
    }

    /// Reads a text that is known, where it stands here and leads on.
    private mutating func read(_ text: ArraySlice<UInt8>, as run: TemplateRun, next: Int) -> Bool {
        let bytes = characters.bytes
        let end = offset + text.count
        budget -= text.count
        guard end <= bytes.count, reach[next, end], bytes[offset..<end].elementsEqual(text) else { return false }
        var (position, count) = (offset, 0)
        while position < end {
            let length = characters.length(at: position, in: run.alphabet)
            guard length > 0 else { return false }
            position += length
            count += 1
        }
        guard position == end, count >= run.minimum, count <= run.maximum else { return false }
        capture(run, from: offset, to: end, characters: count, next: next)
        return true
    }

    private mutating func capture(_ run: TemplateRun, from start: Int, to end: Int, characters: Int, next: Int) {
        let last = captures.last
        let index = last?.run.occurrence == run.occurrence ? (last?.index ?? 0) + 1 : 0
        remember(run, at: captures.count)
        captures.append(Capture(run: run, start: start, end: end, characters: characters, index: index))
        offset = end
        node = next
    }

    private mutating func forgetCapture() {
        guard let capture = captures.popLast() else { return }
        forget(capture.run, at: captures.count)
    }
}

// MARK: - Recurrence

/// What earlier texts of a variable say about a later one.
extension TemplateSearch {
    private enum Expectation {
        case anything
        case nothing
        case text(ArraySlice<UInt8>)
    }

    /// What a run may read, given what was captured for its variable before.
    ///
    /// A text is expected only where it is the only one possible; whatever else disagrees shows when the values found
    /// are expanded.
    private func expectation(for run: TemplateRun) -> Expectation {
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
            PercentEncoding.decodedText(text), keepingReserved: run.alphabet.keepsReserved, limit: limit, to: &expected)
        return .text(expected[...])
    }

    /// Whether the list that was read last, if any, has as many members as where it was read first.
    private var isLastListWhole: Bool {
        guard let last = captures.last, last.run.role == .member,
            let first = firstWhole[occurrences[last.run.occurrence].index], captures[first].run.role == .member,
            captures[first].run.occurrence != last.run.occurrence
        else { return true }
        return captures[first + last.index + 1].run.occurrence != captures[first].run.occurrence
    }

    private mutating func remember(_ run: TemplateRun, at index: Int) {
        let variable = occurrences[run.occurrence]
        if case .prefix = variable.modifier {
            if firstPrefix[variable.index] == nil { firstPrefix[variable.index] = index }
        } else if firstWhole[variable.index] == nil {
            firstWhole[variable.index] = index
        }
    }

    private mutating func forget(_ run: TemplateRun, at index: Int) {
        let variable = occurrences[run.occurrence].index
        if firstPrefix[variable] == index { firstPrefix[variable] = nil }
        if firstWhole[variable] == index { firstWhole[variable] = nil }
    }
}

/// The variables that a template was expanded with to give an identifier.
public struct TemplateMatch: Sendable, Hashable {
    /// The variables that are plain strings, percent-decoded, by name.
    public var variables: [String: String]
    /// Every defined variable, by name; a variable that is absent from the identifier is absent here.
    public var values: [String: TemplateValue]
    /// Names of variables for which other values give the same identifier, in the template's order.
    ///
    /// Not empty when there is any such variable; complete unless there are dozens of ways to read the identifier.
    public var ambiguousVariables: [String]

    /// Whether other values of the same kinds give the same identifier, so that the ones here are a choice.
    public var isAmbiguous: Bool { !ambiguousVariables.isEmpty }

    public init(values: [String: TemplateValue], ambiguousVariables: [String] = []) {
        self.values = values
        self.ambiguousVariables = ambiguousVariables
        variables = [:]
        for (name, value) in values {
            if case .string(let text) = value { variables[name] = text }
        }
    }
}

/// The characters of one value, or of one part of a value, in an identifier.
struct TemplateRun: Sendable {
    /// What the text is in its variable's value.
    enum Role: Sendable {
        case string
        case member
        case key
        case value
    }

    /// Which characters may stand in the text.
    struct Alphabet: Sendable, Hashable {
        var keepsReserved: Bool
        /// Reserved characters that end the text all the same.
        var ends: [UInt8] = []

        static let unreserved = Self(keepsReserved: false)
        static let reserved = Self(keepsReserved: true)

        /// Names of members end at the first character that could end them: otherwise they would be ambiguous.
        static func key(of operator: TemplateOperator) -> Self {
            guard `operator`.isNamed || `operator`.keepsReserved else { return .unreserved }
            return Self(keepsReserved: true, ends: [ASCII.equals, `operator`.separator])
        }
    }

    /// Which occurrence of a variable in the template the text belongs to.
    var occurrence: Int
    var role: Role
    var alphabet: Alphabet
    /// How few and how many characters of the value, counted before encoding.
    var minimum: Int
    var maximum: Int
}

/// How long the character is that stands encoded at each offset of an identifier.
///
/// Zero where no expansion could have put one: a raw character that is always encoded, a triplet in lower case or
/// of a character that never is, bytes that are not UTF-8.
struct EncodedCharacters {
    let bytes: [UInt8]
    private var unreserved: [UInt8]
    private var reserved: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        unreserved = Array(repeating: 0, count: bytes.count)
        reserved = unreserved
        for index in bytes.indices {
            let byte = bytes[index]
            if PercentEncoding.isUnreserved(byte) {
                unreserved[index] = 1
                reserved[index] = 1
            } else if PercentEncoding.isReserved(byte) {
                reserved[index] = 1
            } else if byte == ASCII.percent {
                let count = PercentEncoding.tripletsOfCharacter(in: bytes, at: index)
                guard count > 0, let lead = PercentEncoding.triplet(in: bytes, at: index) else { continue }
                reserved[index] = UInt8(3 * count)
                let isEncodedAgain = count > 1 || lead < 0x80 && !PercentEncoding.isUnreserved(lead)
                if isEncodedAgain, PercentEncoding.isUpperCase(bytes[index..<index + 3 * count]) {
                    unreserved[index] = UInt8(3 * count)
                }
            }
        }
    }

    func length(at index: Int, in alphabet: TemplateRun.Alphabet) -> Int {
        guard index < bytes.count else { return 0 }
        guard alphabet.keepsReserved else { return Int(unreserved[index]) }
        return alphabet.ends.contains(bytes[index]) ? 0 : Int(reserved[index])
    }
}
