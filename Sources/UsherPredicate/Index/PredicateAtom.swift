/// Something about a text that can be looked up: that it is a literal, begins or ends with one, or has one in it.
///
/// Literals are identified by their hash, so one atom may represent several of them.
struct PredicateAtom: Sendable, Hashable {
    enum Kind: UInt8, Sendable {
        /// The subject is null.
        case null
        case exact, prefix, suffix
        /// Anywhere in the text; of a length in `partLengths`.
        case part
    }

    /// How the text is read before it is compared.
    enum Form: UInt8, Sendable, CaseIterable {
        case exact
        /// `FoldedText` with no option, with `c`, `d` and both.
        case folded, caseless, markless, bare

        init(_ options: FoldingOptions) { self = Form(rawValue: 1 + (options.rawValue & 3)) ?? .folded }

        var options: FoldingOptions { self == .exact ? [] : FoldingOptions(rawValue: rawValue - 1) }

        var ignoresCase: Bool { self == .caseless || self == .bare }
    }

    var kind: Kind
    var form: Form
    /// Of the literal, in scalars of that form.
    var length: Int
    var fingerprint: UInt32

    static let null = PredicateAtom(
        kind: .null, form: .exact, length: 0, fingerprint: Fingerprint.of(.null, ignoresCase: false, 0, 0))

    /// The lengths of the literals of `part` atoms. A literal of another length is represented by its longest suffix
    /// that has one of these lengths.
    private static let partLengths = [16, 8, 4, 2, 1]

    init(kind: Kind, form: Form, length: Int, fingerprint: UInt32) {
        self.kind = kind
        self.form = form
        self.length = length
        self.fingerprint = fingerprint
    }

    /// - Parameter literal: scalars in that form, at least one where something begins or ends with it, or has it.
    init(_ kind: Kind, _ form: Form, _ literal: some BidirectionalCollection<UInt32>) {
        var hash: UInt64 = 0
        var length = literal.count
        if kind == .part { length = PredicateAtom.partLengths.first { $0 <= length } ?? 0 }
        for scalar in literal.suffix(length) { hash = Fingerprint.next(hash, UInt64(scalar), Fingerprint.base) }
        self.init(
            kind: kind, form: form, length: length,
            fingerprint: Fingerprint.of(kind, ignoresCase: form.ignoresCase, length, hash))
    }

    /// How little a subject is likely to have it by chance.
    var weight: Int {
        switch kind {
        case .null, .exact: 1 << 30
        case .prefix, .suffix, .part: length
        }
    }
}

/// Hashes of texts, as polynomials of their scalars, so that those of all beginnings of a text take one walk over it.
///
/// The base is another one in each process. Literals of equal hashes cost time, but never give a wrong answer.
enum Fingerprint {
    static let base: UInt64 = random(1) | 1
    private static let seed = random(2)

    private static func random(_ number: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(number)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    @inline(__always)
    static func next(_ hash: UInt64, _ scalar: UInt64, _ base: UInt64) -> UInt64 { hash &* base &+ scalar &+ 1 }

    /// Never 0.
    static func of(_ kind: PredicateAtom.Kind, ignoresCase: Bool, _ length: Int, _ hash: UInt64) -> UInt32 {
        of(hash, UInt64(kind.rawValue) << 1 | (ignoresCase ? 1 : 0), length)
    }

    /// Of a text that is the whole of a predicate, `SELF == "…"`.
    static func ofWhole(_ hash: UInt64) -> UInt32 { of(hash, 15, 0) }

    @inline(__always)
    private static func of(_ hash: UInt64, _ tag: UInt64, _ length: Int) -> UInt32 {
        var mixed = hash ^ seed ^ (tag << 56) ^ (UInt64(truncatingIfNeeded: length) << 32)
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return UInt32(truncatingIfNeeded: mixed >> 32) | 1
    }

    static func hash(of ascii: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0
        let base = base
        for index in ascii.indices { hash = next(hash, UInt64(ascii[index]), base) }
        return hash
    }

    static func hash(of text: String) -> UInt64 {
        var hash: UInt64 = 0
        let base = base
        let whole = text.utf8Span
        if whole.isKnownASCII {
            return Fingerprint.hash(of: whole.span)
        } else {
            for scalar in text.unicodeScalars { hash = next(hash, UInt64(scalar.value), base) }
        }
        return hash
    }
}

extension String {
    /// A hash of the text for a `FingerprintMap`; another one in each process.
    package var fingerprint: UInt32 { Fingerprint.ofWhole(Fingerprint.hash(of: self)) }
}

extension Span<UInt8> {
    /// That of an ASCII text.
    package var fingerprint: UInt32 { Fingerprint.ofWhole(Fingerprint.hash(of: self)) }
}
