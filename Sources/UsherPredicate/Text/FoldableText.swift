import Synchronization

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
