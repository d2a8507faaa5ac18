internal import UsherText

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

    /// - Parameter literal: scalars in that form, at least one where something begins or ends with it, or has it. Those of
    ///   ASCII may be as they were written.
    init<Scalar: FixedWidthInteger & UnsignedInteger>(_ kind: Kind, _ form: Form, _ literal: Span<Scalar>) {
        var hash: UInt64 = 0
        var length = literal.count
        if kind == .part { length = PredicateAtom.partLengths.first { $0 <= length } ?? 0 }
        let base = Fingerprint.base
        let ignoresCase = form.ignoresCase
        for index in literal.count - length..<literal.count {
            let scalar = UInt32(truncatingIfNeeded: literal[index])
            hash = Fingerprint.next(hash, UInt64(ignoresCase ? ASCIIFolding.lowercased(scalar) : scalar), base)
        }
        self.init(
            kind: kind, form: form, length: length,
            fingerprint: Fingerprint.of(kind, ignoresCase: ignoresCase, length, hash))
    }

    /// - Parameter text: as it was written.
    init(_ kind: Kind, _ form: Form, _ text: FoldableText) {
        if text.isASCII {
            let bytes = text.text.utf8
            self.init(kind, form, bytes.span)
        } else {
            self.init(kind, form, (form == .exact ? text.exact() : text.folded(form.options)).scalars.span)
        }
    }

    /// How little a subject is likely to have it by chance.
    var weight: Int {
        switch kind {
        case .null, .exact: 1 << 30
        case .prefix, .suffix, .part: length
        }
    }
}

/// Hashes of texts. They are other ones in each process.
///
/// Literals of equal hashes cost time, but never give a wrong answer.
enum Fingerprint {
    /// Literals are hashed as polynomials of their scalars, so that those of all beginnings of a text take one walk over it.
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

    /// Of a text that is looked up as a whole.
    static func of(whole text: Span<UInt8>) -> UInt32 {
        of(mixed(base, text), 15, text.count)
    }

    /// Of a predicate that is no `SELF == "…"`. Equal ones have the same.
    static func of(_ condition: SceneCondition) -> UInt32 {
        var hash = base
        for node in condition.nodes { hash = mixed(mixed(hash, node.code), node.operands) }
        for element in condition.elements { hash = mixed(hash, element.code) }
        for text in condition.texts {
            let bytes = text.text.utf8
            hash = mixed(hash, bytes.span)
        }
        return of(hash, 14, condition.nodes.count)
    }

    /// Eight bytes in one step.
    @inline(__always)
    private static func mixed(_ hash: UInt64, _ text: Span<UInt8>) -> UInt64 {
        var hash = hash
        var index = 0
        while text.count &- index >= 8 {
            hash = mixed(hash, ByteWord(text, at: index).bits)
            index &+= 8
        }
        // Its length, so that what is joined is told apart.
        var last = UInt64(truncatingIfNeeded: text.count)
        while index < text.count {
            last = last << 8 | UInt64(text[index])
            index &+= 1
        }
        return mixed(hash, last)
    }

    /// Both halves of the product, so that each bit of a word changes what is not known outside of this process.
    @inline(__always)
    private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word).multipliedFullWidth(by: base)
        return product.high ^ product.low
    }

    @inline(__always)
    private static func of(_ hash: UInt64, _ tag: UInt64, _ length: Int) -> UInt32 {
        var mixed = hash ^ seed ^ (tag << 56) ^ (UInt64(truncatingIfNeeded: length) << 32)
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return UInt32(truncatingIfNeeded: mixed >> 32) | 1
    }
}

extension SceneCondition.Node {
    /// Of all but the offset and the operands.
    fileprivate var code: UInt64 {
        let part: UInt64 =
            switch kind {
            case .constant(let value): value ? 1 : 2
            case .and: 3
            case .or: 4
            case .not: 5
            case .comparison: 6
            }
        return part | UInt64(comparison.rawValue.utf8.first ?? 0) << 8 | UInt64(comparison.rawValue.utf8.count) << 16
            | UInt64(options.rawValue) << 24 | (quantifier.map { $0 == .all ? 1 : 2 } ?? 0) << 32
            | UInt64(truncatingIfNeeded: end) << 40
    }

    fileprivate var operands: UInt64 { left.code ^ right.code.byteSwapped }
}

extension SceneCondition.Operand {
    fileprivate var code: UInt64 {
        switch self {
        case .subject: 1
        case .null: 2
        case .text(let index): 3 | UInt64(truncatingIfNeeded: index) << 8
        case .variable(let index): 4 | UInt64(truncatingIfNeeded: index) << 8
        case .array(let start, let end):
            5 | UInt64(truncatingIfNeeded: start) << 8 | UInt64(truncatingIfNeeded: end) << 24
        }
    }
}

extension String {
    /// A hash of the text for a `FingerprintMap`; another one in each process.
    package var fingerprint: UInt32 {
        let bytes = utf8
        return bytes.span.fingerprint
    }
}

extension Span<UInt8> {
    /// That of a text in UTF-8.
    package var fingerprint: UInt32 { Fingerprint.of(whole: self) }
}
