import Synchronization
internal import UsherText

/// A text and what is derived from it for comparing, each form computed once.
///
/// ASCII folds byte by byte and needs no forms: comparing it allocates nothing.
struct FoldableText: Sendable {
    let text: String
    let isASCII: Bool
    /// Nil for ASCII that is no pattern.
    private let derived: DerivedForms?

    init(_ text: String) {
        self.text = text
        isASCII = Self.isASCII(text)
        derived = isASCII ? nil : DerivedForms(text, pattern: nil)
    }

    /// A literal of a predicate, prepared for how it's compared there.
    init(literal text: String, asPattern: Bool, options: FoldingOptions) {
        self.text = text
        isASCII = Self.isASCII(text)
        let pattern = asPattern ? GlobPattern(text, options: options) : nil
        derived = isASCII && !asPattern ? nil : DerivedForms(text, pattern: pattern)
        if !isASCII, !asPattern, !options.isEmpty { _ = derived?.folded(options) }
    }

    /// The text compiled as a LIKE pattern, when it stands where a pattern stands.
    var pattern: GlobPattern? { derived?.pattern }

    func folded(_ options: FoldingOptions) -> FoldedText {
        derived?.folded(options) ?? FoldedText(folding: text, options: options)
    }

    func exact() -> FoldedText { derived?.exact() ?? FoldedText(exact: text) }

    private static func isASCII(_ text: String) -> Bool {
        let span = text.utf8Span
        return span.isKnownASCII || text.utf8.allSatisfy { $0 < 0x80 }
    }
}

/// What is derived from one text, the folded forms on demand.
private final class DerivedForms: Sendable {
    private struct Cache {
        var exact: FoldedText?
        var folded: (FoldedText?, FoldedText?, FoldedText?, FoldedText?)
    }

    let pattern: GlobPattern?
    private let text: String
    private let cache = Mutex(Cache())

    init(_ text: String, pattern: GlobPattern?) {
        self.text = text
        self.pattern = pattern
    }

    func exact() -> FoldedText {
        cache.withLock { cache in
            if let known = cache.exact { return known }
            let form = FoldedText(exact: text)
            cache.exact = form
            return form
        }
    }

    func folded(_ options: FoldingOptions) -> FoldedText {
        cache.withLock { cache in
            switch options.rawValue & 3 {
            case 0: Self.fill(&cache.folded.0, text, options)
            case 1: Self.fill(&cache.folded.1, text, options)
            case 2: Self.fill(&cache.folded.2, text, options)
            default: Self.fill(&cache.folded.3, text, options)
            }
        }
    }

    private static func fill(_ slot: inout FoldedText?, _ text: String, _ options: FoldingOptions) -> FoldedText {
        if let known = slot { return known }
        let form = FoldedText(folding: text, options: options)
        slot = form
        return form
    }
}

// MARK: - Comparison

/// How two texts compare, per the operators of a predicate.
extension FoldableText {
    /// `==` without options: the same code units.
    func isIdentical(to other: FoldableText) -> Bool { text.hasSameBytes(as: other.text) }

    /// `==` with options: the same folded text.
    func isEqual(to other: FoldableText, _ options: FoldingOptions) -> Bool {
        if options.isEmpty { return isIdentical(to: other) }
        if isASCII, other.isASCII {
            guard text.utf8.count == other.text.utf8.count else { return false }
            return options.contains(.caseInsensitive) ? order(ascii: other, options) == 0 : text == other.text
        }
        return folded(options).scalars == other.folded(options).scalars
    }

    /// Negative, zero or positive as this text sorts before, with or after `other`, in code point order of the folded
    /// texts.
    func order(_ other: FoldableText, _ options: FoldingOptions) -> Int {
        if isASCII, other.isASCII { return order(ascii: other, options) }
        let left = folded(options).scalars
        let right = other.folded(options).scalars
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return left[index] < right[index] ? -1 : 1
        }
        return left.count - right.count
    }

    private func order(ascii other: FoldableText, _ options: FoldingOptions) -> Int {
        let leftSpan = text.utf8Span
        let rightSpan = other.text.utf8Span
        let left = leftSpan.span
        let right = rightSpan.span
        let folds = options.contains(.caseInsensitive)
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            let a = folds ? ASCIIFolding.lowercased(left[index]) : left[index]
            let b = folds ? ASCIIFolding.lowercased(right[index]) : right[index]
            if a != b { return a < b ? -1 : 1 }
        }
        return left.count - right.count
    }

    /// LIKE: whether the whole of this text matches `pattern`.
    func matches(pattern other: FoldableText, _ options: FoldingOptions) -> Bool {
        let pattern = other.pattern ?? GlobPattern(other.text, options: options)
        if isASCII {
            let span = text.utf8Span
            return pattern.matches(ascii: span.span)
        }
        return pattern.matches(options.isEmpty ? exact() : folded(options))
    }
}

// MARK: - Search

/// Non-literal search: BEGINSWITH, ENDSWITH, CONTAINS and IN on text.
///
/// A match covers whole scalars of the source and doesn't end inside a combining sequence. Empty text is never found.
extension FoldableText {
    func begins(with needle: FoldableText, _ options: FoldingOptions) -> Bool {
        if needle.isASCII, let answer = beginsQuickly(with: needle, options) { return answer }
        let text = folded(options)
        let wanted = needle.folded(options)
        return !wanted.scalars.isEmpty && Self.occurs(wanted, in: text, at: 0)
    }

    func ends(with needle: FoldableText, _ options: FoldingOptions) -> Bool {
        if needle.isASCII, let answer = endsQuickly(with: needle, options) { return answer }
        let text = folded(options)
        let wanted = needle.folded(options)
        let start = text.scalars.count - wanted.scalars.count
        guard !wanted.scalars.isEmpty, start >= 0 else { return false }
        return text.mayBegin(at: start) && Self.occurs(wanted, in: text, at: start)
    }

    func contains(_ needle: FoldableText, _ options: FoldingOptions) -> Bool {
        if isASCII, needle.isASCII { return containsASCII(needle, options) }
        let text = folded(options)
        let wanted = needle.folded(options)
        guard !wanted.scalars.isEmpty, wanted.scalars.count <= text.scalars.count else { return false }
        return (0...text.scalars.count - wanted.scalars.count).contains { start in
            text.mayBegin(at: start) && Self.occurs(wanted, in: text, at: start)
        }
    }

    private static func occurs(_ needle: FoldedText, in text: FoldedText, at start: Int) -> Bool {
        let count = needle.scalars.count
        guard start + count <= text.scalars.count else { return false }
        for index in 0..<count where text.scalars[start + index] != needle.scalars[index] { return false }
        return text.mayEnd(at: start + count)
    }

    /// Nil when a character beyond ASCII could change the answer, such as a combining mark behind the match.
    private func beginsQuickly(with needle: FoldableText, _ options: FoldingOptions) -> Bool? {
        let folds = options.contains(.caseInsensitive)
        // Between ASCII texts Swift's prefix is a memcmp.
        if isASCII, !folds { return !needle.text.isEmpty && text.hasPrefix(needle.text) }
        let textSpan = text.utf8Span
        let needleSpan = needle.text.utf8Span
        let bytes = textSpan.span
        let wanted = needleSpan.span
        if wanted.isEmpty { return false }
        for index in 0..<min(wanted.count, bytes.count) {
            let byte = bytes[index]
            if byte == wanted[index] { continue }
            if byte >= 0x80 { return nil }
            if !folds || ASCIIFolding.lowercased(byte) != ASCIIFolding.lowercased(wanted[index]) { return false }
        }
        if wanted.count > bytes.count { return false }
        return wanted.count == bytes.count || bytes[wanted.count] < 0x80 ? true : nil
    }

    private func endsQuickly(with needle: FoldableText, _ options: FoldingOptions) -> Bool? {
        let textSpan = text.utf8Span
        let needleSpan = needle.text.utf8Span
        let bytes = textSpan.span
        let wanted = needleSpan.span
        if wanted.isEmpty { return false }
        let folds = options.contains(.caseInsensitive)
        for distance in 1...min(wanted.count, max(bytes.count, 1)) where distance <= bytes.count {
            let byte = bytes[bytes.count - distance]
            let other = wanted[wanted.count - distance]
            if byte == other { continue }
            if byte >= 0x80 { return nil }
            if !folds || ASCIIFolding.lowercased(byte) != ASCIIFolding.lowercased(other) { return false }
        }
        return wanted.count <= bytes.count
    }

    private func containsASCII(_ needle: FoldableText, _ options: FoldingOptions) -> Bool {
        let textSpan = text.utf8Span
        let needleSpan = needle.text.utf8Span
        let bytes = textSpan.span
        let wanted = needleSpan.span
        guard !wanted.isEmpty, wanted.count <= bytes.count else { return false }
        let folds = options.contains(.caseInsensitive)
        let first = folds ? ASCIIFolding.lowercased(wanted[0]) : wanted[0]
        for start in 0...bytes.count - wanted.count {
            if (folds ? ASCIIFolding.lowercased(bytes[start]) : bytes[start]) != first { continue }
            var index = 1
            while index < wanted.count {
                let byte = bytes[start + index]
                if byte != wanted[index] {
                    if !folds || ASCIIFolding.lowercased(byte) != ASCIIFolding.lowercased(wanted[index]) { break }
                }
                index += 1
            }
            if index == wanted.count { return true }
        }
        return false
    }
}

/// The option letters of a comparison that change how text is folded.
struct FoldingOptions: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    static let caseInsensitive = FoldingOptions(rawValue: 1)
    static let diacriticInsensitive = FoldingOptions(rawValue: 2)

    /// `[c]`, `[d]`, `[cd]`, or nothing.
    var canonicalText: String {
        switch rawValue & 3 {
        case 1: "[c]"
        case 2: "[d]"
        case 3: "[cd]"
        default: ""
        }
    }
}

/// ASCII case folding.
enum ASCIIFolding {
    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }

    static func lowercased(_ scalar: UInt32) -> UInt32 {
        scalar >= 0x41 && scalar <= 0x5A ? scalar | 0x20 : scalar
    }
}
