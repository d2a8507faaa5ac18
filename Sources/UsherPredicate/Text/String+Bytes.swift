extension String {
    /// Whether both are the same bytes. `==` alone takes different spellings of a character for one; it is asked first,
    /// since it is the quickest to say no.
    @inlinable
    package func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && self == other && utf8.elementsEqual(other.utf8)
    }
}
