internal import UsherText

/// A validated scene condition on a target content identifier (SELF), evaluable without the app running.
///
/// The text is NSPredicate format, limited to what a scene's activation conditions may use: SELF, strings, `nil` and
/// arrays of these; `== != < <= > >= BEGINSWITH ENDSWITH CONTAINS IN LIKE BETWEEN` with options `c` and `d`; AND, OR,
/// NOT; ANY, ALL, SOME, NONE over literal arrays; TRUEPREDICATE and FALSEPREDICATE. At most 64 KiB, 256 levels and 4096
/// conditions and elements.
///
/// Evaluating takes at most |subject| × (|subject| + |predicate|) steps, and nothing is allocated for ASCII. Two
/// predicates are equal when their canonical texts are, code unit by code unit.
public struct ScenePredicate: Sendable, Hashable, CustomStringConvertible {
    private enum Form: Sendable {
        /// `SELF == "…"`, which nearly every condition is: it needs no nodes, and may share the text of a target.
        case equal(String)
        case other(SharedCondition)
    }

    /// Shared, so that a copied predicate costs one reference.
    private final class SharedCondition: Sendable {
        let condition: SceneCondition

        init(_ condition: SceneCondition) { self.condition = condition }
    }

    private let form: Form

    var condition: SceneCondition {
        switch form {
        case .equal(let text): SceneCondition(equalTo: text)
        case .other(let shared): shared.condition
        }
    }

    /// Where the whole of it is `SELF == "…"`: the text.
    package var equalText: String? {
        switch form {
        case .equal(let text): text
        case .other: nil
        }
    }

    /// Equal ones have the same; another one in each process.
    var fingerprint: UInt32 {
        switch form {
        case .equal(let text): text.fingerprint
        case .other(let shared): Fingerprint.of(shared.condition)
        }
    }

    /// Whether it is evaluated for every subject, because no index finds it by a literal (see `PredicateIndex`). The
    /// constants do not count: there are two of them.
    ///
    /// - Complexity: O(terms).
    package var isUnindexed: Bool {
        switch form {
        case .equal: return false
        case .other(let shared):
            if case .constant = shared.condition.nodes[0].kind { return false }
            return shared.condition.necessaryAtoms.isEmpty
        }
    }

    /// TRUEPREDICATE.
    public static let always = ScenePredicate(SceneCondition(constant: true))

    /// FALSEPREDICATE.
    public static let never = ScenePredicate(SceneCondition(constant: false))

    /// `SELF == "…"`.
    package init(equalTo text: String) { form = .equal(text) }

    init(_ condition: SceneCondition) {
        // Terms are reported with their offset in the source. The `equal` form has no nodes, so its offset must be 0.
        if let text = condition.equalText, condition.nodes[0].offset == 0 {
            form = .equal(text)
        } else {
            form = .other(SharedCondition(condition))
        }
    }

    /// Parses the whole predicate grammar, then checks the rules of scene conditions: a syntax error wins over an
    /// unsupported construct.
    public init(parsing text: String) throws(PredicateError) {
        let bytes = text.utf8
        if let plain = ScenePredicate.rangeOfEqualText(in: bytes.span) {
            let start = bytes.index(bytes.startIndex, offsetBy: plain.lowerBound)
            self.init(equalTo: String(text[start..<bytes.index(start, offsetBy: plain.count)]))
        } else {
            try self.init(parsingWhole: text)
        }
    }

    /// Where the text stands in what nearly every stored condition is, `SELF == "…"` in its canonical spelling; nil for
    /// anything else, which the parser has to read.
    package static func rangeOfEqualText(in condition: Span<UInt8>) -> Range<Int>? {
        // `SELF == "`: eight bytes, and one.
        let last = condition.count - 1
        guard last >= 9, last < PredicateSyntax.maximumLength, ByteWord(condition, at: 0).bits == 0x203D_3D20_464C_4553,
            condition[8] == UInt8(ascii: "\""), condition[last] == UInt8(ascii: "\"")
        else { return nil }
        var index = 9
        // What is outside of ASCII is looked at below, byte by byte.
        while last - index >= 8, ByteWord(condition, at: index).maskOfEscaped == 0 { index += 8 }
        while index < last {
            let byte = condition[index]
            guard byte >= 0x20, byte != 0x7F, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else { return nil }
            index += 1
        }
        return 9..<last
    }

    /// Without the short way for what nearly every stored condition is.
    init(parsingWhole text: String) throws(PredicateError) {
        var builder = SceneConditionBuilder(try PredicateSyntax(parsing: text), source: text, variables: nil)
        self.init(try builder.build())
    }

    /// A text as a string of a predicate: quoted, with escapes.
    package static func quoted(_ text: String) -> String {
        var quoted = ""
        SceneCondition.writeQuoted(text, to: &quoted)
        return quoted
    }

    /// The one spelling of this predicate, as `predicateFormat` would have it; it parses to an equal predicate.
    public var canonicalText: String {
        switch form {
        case .equal(let text): SceneCondition.equality(with: text)
        case .other(let shared): shared.condition.canonicalText()
        }
    }

    public var description: String { canonicalText }

    /// Truth for `subject`; nil is null, an empty string a value.
    public func evaluate(_ subject: String?) -> Bool { evaluate(PredicateSubject(subject)) }

    /// Truth for a subject that many predicates are tried on.
    public func evaluate(_ subject: PredicateSubject) -> Bool {
        switch form {
        case .equal(let text): subject.value?.text.hasSameBytes(as: text) ?? false
        case .other(let shared): shared.condition.evaluate(subject.value)
        }
    }

    /// Every sub-predicate in pre-order with its truth, none skipped.
    public func terms(for subject: String?) -> [PredicateTerm] {
        if case .equal = form {
            return [
                PredicateTerm(depth: 0, text: canonicalText, offset: 0, result: evaluate(subject), kind: .comparison)
            ]
        }
        return condition.terms(subject.map { FoldableText($0) })
    }

    public static func == (left: ScenePredicate, right: ScenePredicate) -> Bool {
        switch (left.form, right.form) {
        case (.equal(let one), .equal(let other)): one.hasSameBytes(as: other)
        case (.other(let one), .other(let other)): one === other || one.condition == other.condition
        // The same text may have stood somewhere else in its source.
        case (.equal, .other), (.other, .equal): left.condition == right.condition
        }
    }

    public func hash(into hasher: inout Hasher) { condition.hash(into: &hasher) }
}

/// A scene condition that may use `$VARIABLES`, filled in later for each scene.
///
/// Values are put into the parsed tree, never into text: a quote in a value is a quote. Source offsets stay those of
/// the template's text. A value to the right of LIKE is a pattern.
public struct ScenePredicateTemplate: Sendable, Hashable {
    let condition: SceneCondition

    /// Parses as `ScenePredicate` does. `variables` are the names that may be used, without "$"; another one is
    /// unsupported.
    public init(parsing text: String, variables: Set<String>) throws(PredicateError) {
        var builder = SceneConditionBuilder(try PredicateSyntax(parsing: text), source: text, variables: variables)
        condition = try builder.build()
    }

    /// Whatever looks like a variable in a text, without "$": for where it is not known which there are.
    public static func variableNames(in text: String) -> Set<String> {
        var names: Set<String> = []
        for rest in text.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false).dropFirst() {
            let name = rest.prefix(while: isNameByte)
            if !name.isEmpty { names.insert(String(decoding: name, as: UTF8.self)) }
        }
        return names
    }

    /// Where a `$NAME` stands within a quoted string: it is text there and no variable.
    ///
    /// - Returns: the names without `$`, and the byte of each `$`.
    public static func quotedVariables(in text: String) -> [(name: String, offset: Int)] {
        var found: [(name: String, offset: Int)] = []
        let bytes = Array(text.utf8)
        var quote: UInt8?
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if quote == nil, byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                quote = byte
            } else if quote != nil, byte == UInt8(ascii: "\\") {
                index += 1
            } else if byte == quote {
                quote = nil
            } else if quote != nil, byte == UInt8(ascii: "$") {
                let name = bytes[(index + 1)...].prefix(while: isNameByte)
                if !name.isEmpty { found.append((String(decoding: name, as: UTF8.self), index)) }
            }
            index += 1
        }
        return found
    }

    private static func isNameByte(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit || byte == UInt8(ascii: "_") }

    /// Names without "$".
    public var usedVariables: Set<String> { Set(condition.variables) }

    /// Whether it uses another variable than this one, without "$".
    public func usesVariable(besides name: String) -> Bool { condition.variables.contains { $0 != name } }

    public var canonicalText: String { condition.canonicalText() }

    /// The predicate with `values` in place of the variables; nil when a used variable has none.
    public func substituting(_ values: [String: String]) -> ScenePredicate? {
        condition.substituting(values).map { ScenePredicate($0) }
    }
}

/// What conditions are evaluated against: a target content identifier, or nothing.
///
/// Folded forms of a text beyond ASCII are computed when a condition first needs them and kept, so one subject serves
/// any number of predicates, from any thread. An empty string is a value, not nothing.
public struct PredicateSubject: Sendable {
    let value: FoldableText?

    public init(_ text: String?) {
        value = text.map { FoldableText($0) }
    }

    public var text: String? { value?.text }
}

/// One sub-predicate and its truth for one subject, as `explain` shows it.
public struct PredicateTerm: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// AND, OR or NOT.
        case compound
        case comparison
        /// TRUEPREDICATE or FALSEPREDICATE.
        case constant
    }

    /// 0 for the whole predicate, one more for each level below.
    public var depth: Int
    /// Canonical text of this sub-predicate.
    public var text: String
    /// Where it begins in the text that was parsed, in UTF-8 bytes.
    public var offset: Int
    public var result: Bool
    public var kind: Kind
}
