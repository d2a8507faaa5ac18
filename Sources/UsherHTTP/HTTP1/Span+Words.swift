internal import Glibc

extension Span<UInt8> {
    /// The place of the first such byte, by the C library's vectorized search.
    @inline(__always)
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        guard start < count else { return nil }
        return unsafe withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress,
                let found = unsafe memchr(base + start, Int32(byte), bytes.count - start)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - base
        }
    }

    /// Compares without regard to the case of ASCII letters.
    @inline(__always)
    func isSameWord(_ range: Range<Int>, _ word: Span<UInt8>) -> Bool {
        guard range.count == word.count else { return false }
        var i = range.lowerBound
        for j in word.indices {
            if self[i].lowercased != word[j].lowercased { return false }
            i += 1
        }
        return true
    }

    func isSameWord(_ range: Range<Int>, _ word: String) -> Bool { isSameWord(range, word.utf8Span.span) }

    /// Without blanks at both ends.
    @inline(__always)
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        var end = range.upperBound
        while start < end, self[start].isBlank { start += 1 }
        while end > start, self[end - 1].isBlank { end -= 1 }
        return start..<end
    }

    /// Whether one of the words between commas is this one.
    func lists(_ word: String, in range: Range<Int>) -> Bool {
        var start = range.lowerBound
        while start < range.upperBound {
            var end = start
            while end < range.upperBound, self[end] != 0x2C { end += 1 }
            if isSameWord(trimmed(start..<end), word) { return true }
            start = end + 1
        }
        return false
    }

    /// A copy.
    @inline(__always)
    func array(_ range: Range<Int>) -> [UInt8] {
        unsafe extracting(range).withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// Text from bytes that are known to be ASCII.
    func text(_ range: Range<Int>) -> String {
        unsafe extracting(range).withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

extension UInt8 {
    @inline(__always)
    fileprivate var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    @inline(__always)
    var isBlank: Bool { self == 0x20 || self == 0x09 }

    @inline(__always)
    var isDigit: Bool { self &- 0x30 < 10 }

    /// A `tchar`: what methods and names of fields are made of. RFC 9110, 5.6.2.
    @inline(__always)
    var isTokenByte: Bool {
        // 0-9 and ! # $ % & ' * + - .
        let low: UInt64 = 0x03FF_6CFA_0000_0000
        // A-Z a-z and ^ _ ` | ~
        let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
        return self < 64 ? low >> UInt64(self) & 1 == 1 : self < 128 && high >> UInt64(self & 63) & 1 == 1
    }

    /// What values of fields are made of: visible bytes, blanks and everything above ASCII. RFC 9110, 5.5.
    @inline(__always)
    var isValueByte: Bool { self >= 0x20 && self != 0x7F || self == 0x09 }
}

extension Span<UInt8> {
    func isSameBytes(_ word: String) -> Bool {
        let other = word.utf8Span.span
        guard count == other.count else { return false }
        for i in indices where self[i] != other[i] { return false }
        return true
    }
}
