internal import UsherText

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
            let a = folds ? ASCII.lowercased(left[index]) : left[index]
            let b = folds ? ASCII.lowercased(right[index]) : right[index]
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
