/// A pattern of an association file: `*` is any text, `?` one character, `$(name)` one of a variable's values.
///
/// It covers a whole path, query, fragment or value. The patterns of a form are compared with texts in that form.
public struct LinkPattern: Sendable {
    /// As it stands in the file.
    public let text: String
    /// How many bytes it spells out.
    public let literalLength: Int
    /// What every text must begin with.
    let prefix: [UInt8]
    /// Behind `prefix`.
    let elements: [Element]

    enum Element: Sendable {
        case step(Step)
        case variable(LinkVariable)
    }

    /// What needs no choice among values.
    enum Step: Sendable, Hashable {
        case literal([UInt8])
        case anyCharacter
        case anyText
        /// A byte of ASCII.
        case member(ASCIISet)
    }

    /// - Throws: what is wrong with its variables.
    public init(_ text: String, form: LinkForm = LinkForm(), variables: LinkVariables = .predefined)
        throws(LinkPatternError)
    {
        self.text = text
        var elements: [Element] = []
        var literal: [UInt8] = []
        let bytes = Array(text.utf8)
        var index = 0

        func flush() {
            elements += LinkPattern.steps(literal, form: form).map(Element.step)
            literal = []
        }

        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "$"), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "(")
            else {
                literal.append(bytes[index])
                index += 1
                continue
            }
            guard let end = bytes[index...].firstIndex(of: UInt8(ascii: ")")) else {
                throw LinkPatternError(.unclosedVariable, offset: index, length: bytes.count - index)
            }
            let name = String(decoding: bytes[(index + 2)..<end], as: UTF8.self)
            flush()
            switch variables.value(of: name, in: form) {
            case .set(let set): elements.append(.step(.member(set)))
            case .variable(let variable): elements.append(.variable(variable))
            case nil: throw LinkPatternError(.unknownVariable(name), offset: index, length: end + 1 - index)
            }
            index = end + 1
        }
        flush()
        // Two stars side by side are one.
        var simple: [Element] = []
        for element in elements {
            if case .step(.anyText) = element, case .step(.anyText)? = simple.last { continue }
            simple.append(element)
        }
        literalLength = simple.reduce(0) { sum, element in
            if case .step(.literal(let bytes)) = element { sum + bytes.count } else { sum }
        }
        if case .step(.literal(let bytes))? = simple.first {
            prefix = bytes
            simple.removeFirst()
        } else {
            prefix = []
        }
        self.elements = simple
    }

    /// The steps of a text without variables.
    static func steps(_ bytes: [UInt8], form: LinkForm) -> [Step] {
        var steps: [Step] = []
        var literal: [UInt8] = []
        func flush() {
            guard !literal.isEmpty else { return }
            steps.append(.literal(form.apply(to: literal, isPattern: true)))
            literal = []
        }
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "*"):
                flush()
                if steps.last != .anyText { steps.append(.anyText) }
            case UInt8(ascii: "?"):
                flush()
                steps.append(.anyCharacter)
            default: literal.append(byte)
            }
        }
        flush()
        return steps
    }

    /// How many steps it takes at the most, for each byte of a text.
    public var size: Int {
        elements.reduce(1) { sum, element in
            if case .variable(let variable) = element { sum + variable.size } else { sum + 1 }
        }
    }

    var matchesEverything: Bool {
        guard prefix.isEmpty, elements.count == 1, case .step(.anyText) = elements[0] else { return false }
        return true
    }
}

/// Why a text is no pattern, and where.
public struct LinkPatternError: Error, Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case unknownVariable(String)
        /// `$(` without `)`.
        case unclosedVariable
    }

    public var kind: Kind
    /// In UTF-8 bytes of the pattern.
    public var offset: Int
    public var length: Int

    init(_ kind: Kind, offset: Int, length: Int) {
        self.kind = kind
        self.offset = offset
        self.length = length
    }
}

// MARK: - Matching

extension LinkPattern {
    /// Whether the pattern covers all of a text, valid UTF-8 in the pattern's form.
    ///
    /// Walks the pattern once with the set of places it may have come to: |text| × ``size`` steps at the most, whatever
    /// the pattern.
    func matches(_ text: [UInt8]) -> Bool {
        guard text.count >= prefix.count, text.starts(with: prefix) else { return false }
        guard !elements.isEmpty else { return text.count == prefix.count }
        var places = Places(prefix.count)
        for element in elements {
            switch element {
            case .step(let step): places.advance(over: step, in: text)
            case .variable(let variable): places.advance(over: variable, in: text)
            }
            if places.isEmpty { return false }
        }
        return places.contains(text.count)
    }

    /// Places in a text where a pattern may have come to, each at the beginning of a character.
    private struct Places {
        /// In order.
        private var some: [Int]
        /// And from here on every one.
        private var start: Int?

        init(_ place: Int) {
            some = [place]
            start = nil
        }

        private init() {
            some = []
            start = nil
        }

        var isEmpty: Bool { some.isEmpty && start == nil }

        func contains(_ end: Int) -> Bool { start != nil || some.last == end }

        /// Where a character begins, from the first of the places on.
        private func forEach(in text: [UInt8], _ body: (Int) -> Void) {
            for place in some { body(place) }
            guard let start else { return }
            for place in start...text.count where place == text.count || text[place] & 0xC0 != 0x80 { body(place) }
        }

        mutating func advance(over step: Step, in text: [UInt8]) {
            if case .anyText = step {
                start = some.first ?? start
                some = []
                return
            }
            var next = Places()
            forEach(in: text) { place in
                if let end = Places.end(of: step, at: place, in: text) { next.some.append(end) }
            }
            self = next
        }

        private static func end(of step: Step, at place: Int, in text: [UInt8]) -> Int? {
            switch step {
            case .literal(let bytes):
                guard text.count - place >= bytes.count, text[place] == bytes[0] else { return nil }
                for index in 1..<max(1, bytes.count) where text[place + index] != bytes[index] { return nil }
                return place + bytes.count
            case .anyCharacter:
                guard place < text.count else { return nil }
                var end = place + 1
                while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
                return end
            case .member(let set): return place < text.count && set.contains(text[place]) ? place + 1 : nil
            case .anyText: return nil
            }
        }

        mutating func advance(over variable: LinkVariable, in text: [UInt8]) {
            var isReached = [Bool](repeating: false, count: text.count + 1)
            var start: Int?
            forEach(in: text) { place in
                variable.words.forEachEnd(from: place, in: text) { isReached[$0] = true }
            }
            for steps in variable.patterns {
                var places = self
                for step in steps where !places.isEmpty { places.advance(over: step, in: text) }
                for place in places.some { isReached[place] = true }
                if let other = places.start { start = min(start ?? other, other) }
            }
            some = isReached.indices.filter { isReached[$0] && $0 < start ?? .max }
            self.start = start
        }
    }
}
