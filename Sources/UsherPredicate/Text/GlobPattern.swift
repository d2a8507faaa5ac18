internal import UsherText

/// A LIKE pattern: `*` is any text, `?` one scalar, `\` makes what follows literal.
///
/// Matching keeps one star at a time, so it takes at most |text| × |pattern| steps.
struct GlobPattern: Sendable {
    // Beyond all scalars, so that they never equal one.
    private static let star: UInt32 = 0xFFFF_FFFF
    private static let anyOne: UInt32 = 0xFFFF_FFFE

    private let elements: [UInt32]
    private let foldsCase: Bool
    /// The ASCII before the first wildcard, unless its case is folded: a text that matches begins with it.
    private let beginning: [UInt8]

    /// Without options literals match scalar by scalar; with options they are folded as the subject is.
    init(_ text: String, options: FoldingOptions) {
        let foldsCase = options.contains(.caseInsensitive)
        var elements: [UInt32] = []
        elements.reserveCapacity(text.utf8.count)
        var literalStart = 0
        var escaped = false

        /// Folds the literal since the last wildcard; letters of ASCII are folded already.
        func flush() {
            guard !options.isEmpty, elements[literalStart...].contains(where: { $0 >= 0x80 }) else { return }
            let folded = FoldedText(folding: elements[literalStart...], options: options)
            elements.replaceSubrange(literalStart..., with: folded.scalars)
        }

        func appendLiteral(_ scalar: UInt32) {
            elements.append(foldsCase ? ASCIIFolding.lowercased(scalar) : scalar)
        }

        for scalar in text.unicodeScalars {
            if escaped {
                appendLiteral(scalar.value)
                escaped = false
            } else if scalar == "\\" {
                escaped = true
            } else if scalar == "*" {
                flush()
                if elements.last != Self.star { elements.append(Self.star) }
                literalStart = elements.count
            } else if scalar == "?" {
                flush()
                elements.append(Self.anyOne)
                literalStart = elements.count
            } else {
                appendLiteral(scalar.value)
            }
        }
        if escaped { appendLiteral(0x5C) }
        flush()
        self.elements = elements
        self.foldsCase = foldsCase
        beginning = foldsCase ? [] : elements.prefix { $0 < 0x80 }.map { UInt8($0) }
    }

    /// What a text has that matches: how it begins and ends, and the longest literal between wildcards.
    func atoms(_ form: PredicateAtom.Form) -> [PredicateAtom] {
        func isWildcard(_ element: UInt32) -> Bool { element == Self.star || element == Self.anyOne }
        let literals = elements.split(omittingEmptySubsequences: false, whereSeparator: isWildcard)
        if literals.count == 1 { return [PredicateAtom(.exact, form, elements.span)] }
        var atoms: [PredicateAtom] = []
        if let first = literals.first, !first.isEmpty { atoms.append(PredicateAtom(.prefix, form, first.span)) }
        if let last = literals.last, !last.isEmpty { atoms.append(PredicateAtom(.suffix, form, last.span)) }
        if let longest = literals.dropFirst().dropLast().max(by: { $0.count < $1.count }), !longest.isEmpty {
            atoms.append(PredicateAtom(.part, form, longest.span))
        }
        return atoms
    }

    /// Matches an ASCII text, which folds byte by byte.
    func matches(ascii text: Span<UInt8>) -> Bool {
        guard text.count >= beginning.count,
            ByteWord.areEqual(text.extracting(first: beginning.count), beginning.span)
        else { return false }
        var position = beginning.count
        var element = position
        var starElement = -1
        var starPosition = 0
        while position < text.count {
            if element < elements.count {
                let wanted = elements[element]
                if wanted == Self.star {
                    element += 1
                    if element == elements.count { return true }
                    starElement = element
                    starPosition = position
                    continue
                }
                let byte = foldsCase ? ASCIIFolding.lowercased(text[position]) : text[position]
                if wanted == Self.anyOne || wanted == UInt32(byte) {
                    element += 1
                    position += 1
                    continue
                }
            }
            guard starElement >= 0 else { return false }
            starPosition += 1
            position = starPosition
            element = starElement
        }
        return onlyStars(from: element)
    }

    /// Matches a folded text; wildcards take whole scalars of its source.
    func matches(_ text: FoldedText) -> Bool {
        let count = text.scalars.count
        var position = 0
        var element = 0
        var starElement = -1
        var starPosition = 0
        while position < count {
            if element < elements.count {
                let wanted = elements[element]
                if wanted == Self.star {
                    if text.mayBegin(at: position) {
                        element += 1
                        if element == elements.count { return true }
                        starElement = element
                        starPosition = position
                        continue
                    }
                } else if wanted == Self.anyOne {
                    if text.mayBegin(at: position) {
                        element += 1
                        position = next(in: text, after: position)
                        continue
                    }
                } else if wanted == text.scalars[position] {
                    element += 1
                    position += 1
                    continue
                }
            }
            guard starElement >= 0 else { return false }
            starPosition = next(in: text, after: starPosition)
            position = starPosition
            element = starElement
        }
        return onlyStars(from: element)
    }

    /// The next place where a scalar of the source begins.
    private func next(in text: FoldedText, after position: Int) -> Int {
        var next = position + 1
        while next < text.scalars.count, !text.mayBegin(at: next) { next += 1 }
        return next
    }

    private func onlyStars(from element: Int) -> Bool {
        var element = element
        while element < elements.count, elements[element] == Self.star { element += 1 }
        return element == elements.count
    }
}
