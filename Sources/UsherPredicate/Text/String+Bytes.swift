extension String {
    /// Whether both are the same bytes. `==` alone takes different spellings of a character for one.
    @inlinable
    package func hasSameBytes(as other: String) -> Bool {
        let (ownText, otherText) = (utf8Span, other.utf8Span)
        let (own, others) = (ownText.span, otherText.span)
        let last = own.count - 1
        guard last == others.count - 1 else { return false }
        // Identifiers of one app differ at the end.
        if last < 0 { return true }
        if own[last] != others[last] { return false }
        // Between ASCII texts equivalence is identity, and is decided by memcmp.
        if ownText.isKnownASCII, otherText.isKnownASCII { return self == other }
        for index in 0..<last where own[index] != others[index] { return false }
        return true
    }
}
