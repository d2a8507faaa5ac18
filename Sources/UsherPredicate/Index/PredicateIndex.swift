/// A set of predicates that finds those that are true for a subject, without trying the others.
///
/// Each distinct predicate has a number, and is tried once however often it was inserted. No texts are kept beside those
/// of the predicates: what a subject's atoms lead to is evaluated.
///
/// - Complexity: of a question: O(|subject|) hashing; a look-up for each length of literals in use, and one for each place of
///   the subject where literals may stand anywhere; an evaluation of each predicate found, and of each that has no
///   necessary atoms (`unindexedCount`). Of a change: O(atoms of the predicate).
package struct PredicateIndex: Sendable {
    /// By number; nil where the number is free.
    private var predicates: [ScenePredicate?] = []
    private var uses: [Int32] = []
    /// Which choice of atoms was taken; `unindexed` for none.
    private var choices: [UInt8] = []
    private var free: [Int32] = []

    /// By their whole, so that equal ones have one number, and by their atoms. What is `SELF == "…"` has no atoms: a subject
    /// leads to it by its whole.
    private var map = FingerprintMap()
    private var rest = OrderedNumbers()
    /// How many of them there are.
    package private(set) var unindexedCount = 0

    private static let unindexed = UInt8.max

    private var wholeCount = 0
    private var nullCount = 0
    private var exactCount = CaseCounts()
    /// How many atoms there are of each form.
    private var formCounts = [Int](repeating: 0, count: PredicateAtom.Form.allCases.count)
    private var prefixLengths = CaseLengths()
    private var suffixLengths = CaseLengths()
    private var partLengths = CaseLengths()

    package init() {}

    package func predicate(_ number: Int32) -> ScenePredicate { predicates[Int(number)] ?? .never }

    /// Numbers are below this.
    package var endNumber: Int { predicates.count }

    // MARK: Changes

    /// Makes room for so many predicates.
    package mutating func reserve(_ count: Int) {
        predicates.reserveCapacity(count)
        uses.reserveCapacity(count)
        choices.reserveCapacity(count)
        map.reserve(count)
    }

    /// Adds one use of a predicate; returns the number of the predicate.
    ///
    /// - Parameter likely: the number that it may have.
    package mutating func insert(_ predicate: ScenePredicate, likely: Int32? = nil) -> Int32 {
        if let likely, predicates[Int(likely)] == predicate {
            uses[Int(likely)] += 1
            return likely
        }
        let fingerprint = predicate.fingerprint
        if let known = number(of: predicate, fingerprint) {
            uses[Int(known)] += 1
            return known
        }
        let number = free.popLast() ?? Int32(predicates.count)
        if Int(number) == predicates.count {
            predicates.append(predicate)
            uses.append(1)
            choices.append(0)
        } else {
            predicates[Int(number)] = predicate
            uses[Int(number)] = 1
        }
        map.insert(number, for: fingerprint)
        if predicate.equalText != nil {
            wholeCount += 1
        } else {
            choices[Int(number)] = insertAtoms(of: predicate.condition.necessaryAtoms, number)
        }
        return number
    }

    /// Counts one use less.
    package mutating func remove(_ number: Int32) {
        let place = Int(number)
        uses[place] -= 1
        guard uses[place] == 0, let predicate = predicates[place] else { return }
        predicates[place] = nil
        free.append(number)
        map.remove(number, for: predicate.fingerprint)
        if predicate.equalText != nil {
            wholeCount -= 1
            return
        }
        if choices[place] == PredicateIndex.unindexed {
            rest.remove(number) { $0 < number }
            unindexedCount -= 1
            return
        }
        for atom in predicate.condition.necessaryAtoms[Int(choices[place])] {
            map.remove(number, for: atom.fingerprint)
            count(atom, -1)
        }
    }

    private func number(of predicate: ScenePredicate, _ fingerprint: UInt32) -> Int32? {
        var found: Int32?
        map.forEach(fingerprint) { number in
            if predicates[Int(number)] == predicate { found = number }
        }
        return found
    }

    /// Takes the choice with the atoms that are used by the fewest other predicates.
    private mutating func insertAtoms(of choices: [[PredicateAtom]], _ number: Int32) -> UInt8 {
        guard !choices.isEmpty else {
            rest.insert(number) { $0 < number }
            unindexedCount += 1
            return PredicateIndex.unindexed
        }
        var best = 0
        if choices.count > 1 {
            let crowds = choices.map { atoms in atoms.reduce(0) { max($0, map.count(of: $1.fingerprint)) } }
            best = crowds.indices.min { crowds[$0] < crowds[$1] } ?? 0
        }
        for atom in choices[best] {
            map.insert(number, for: atom.fingerprint)
            count(atom, 1)
        }
        return UInt8(best)
    }

    private mutating func count(_ atom: PredicateAtom, _ change: Int) {
        formCounts[Int(atom.form.rawValue)] += change
        let ignoresCase = atom.form.ignoresCase
        switch atom.kind {
        case .null: nullCount += change
        case .exact: exactCount[ignoresCase] += change
        case .prefix: prefixLengths[ignoresCase].count(atom.length, change)
        case .suffix: suffixLengths[ignoresCase].count(atom.length, change)
        case .part: partLengths[ignoresCase].count(atom.length, change)
        }
    }

    // MARK: Questions

    /// Appends the numbers of the predicates that are true for a subject, each once.
    package func appendMatches(_ subject: PredicateSubject, to numbers: inout [Int32]) {
        let start = numbers.count
        if let text = subject.value {
            look(for: text, &numbers)
        } else if nullCount > 0 {
            map.forEach(PredicateAtom.null.fingerprint) { numbers.append($0) }
        }
        if numbers.count - start > 1 {
            numbers[start...].sort()
            var kept = start
            for index in start + 1..<numbers.count where numbers[index] != numbers[kept] {
                kept += 1
                numbers[kept] = numbers[index]
            }
            numbers.removeSubrange((kept + 1)...)
        }
        var kept = start
        for index in start..<numbers.count where isTrue(numbers[index], subject) {
            numbers[kept] = numbers[index]
            kept += 1
        }
        if kept < numbers.count { numbers.removeSubrange(kept...) }
        rest.visit { number in
            if isTrue(number, subject) { numbers.append(number) }
        }
    }

    private func isTrue(_ number: Int32, _ subject: PredicateSubject) -> Bool {
        predicates[Int(number)]?.evaluate(subject) ?? false
    }

    /// What a text as a whole and its atoms lead to. ASCII reads the same in each form of the same case.
    private func look(for text: FoldableText, _ numbers: inout [Int32]) {
        let hasCaseless = formCounts[2] + formCounts[4] > 0
        let bytes = text.text.utf8
        if wholeCount > 0 { map.forEach(Fingerprint.of(whole: bytes.span)) { numbers.append($0) } }
        if text.isASCII {
            look(bytes.span, ignoresCase: false, &numbers)
            if hasCaseless { look(bytes.span, ignoresCase: true, &numbers) }
            return
        }
        for form in PredicateAtom.Form.allCases where formCounts[Int(form.rawValue)] > 0 {
            let read = form == .exact ? text.exact() : text.folded(form.options)
            look(read.scalars.span, ignoresCase: form.ignoresCase, &numbers)
        }
    }

    private func look<Scalar: FixedWidthInteger & UnsignedInteger>(
        _ text: Span<Scalar>, ignoresCase: Bool, _ numbers: inout [Int32]
    ) {
        let base = Fingerprint.base
        func scalar(_ index: Int) -> UInt64 {
            let value = UInt32(truncatingIfNeeded: text[index])
            return UInt64(ignoresCase ? ASCIIFolding.lowercased(value) : value)
        }
        func found(_ kind: PredicateAtom.Kind, _ length: Int, _ hash: UInt64) {
            map.forEach(Fingerprint.of(kind, ignoresCase: ignoresCase, length, hash)) { numbers.append($0) }
        }
        let count = text.count
        let hasExact = exactCount[ignoresCase] > 0
        let prefixes = prefixLengths[ignoresCase].lengths
        if hasExact || !prefixes.isEmpty {
            var hash: UInt64 = 0
            var start = 0
            for length in prefixes where length <= count {
                for index in start..<length { hash = Fingerprint.next(hash, scalar(index), base) }
                start = length
                found(.prefix, length, hash)
            }
            if hasExact {
                for index in start..<count { hash = Fingerprint.next(hash, scalar(index), base) }
                found(.exact, count, hash)
            }
        }
        let suffixes = suffixLengths[ignoresCase].lengths
        if !suffixes.isEmpty {
            var hash: UInt64 = 0
            var power: UInt64 = 1
            var start = 0
            for length in suffixes where length <= count {
                for index in start..<length {
                    hash &+= (scalar(count - 1 - index) &+ 1) &* power
                    power &*= base
                }
                start = length
                found(.suffix, length, hash)
            }
        }
        for length in partLengths[ignoresCase].lengths where length <= count {
            var hash: UInt64 = 0
            var power: UInt64 = 1
            for index in 0..<length {
                hash = Fingerprint.next(hash, scalar(index), base)
                power &*= base
            }
            found(.part, length, hash)
            for index in length..<count {
                hash = Fingerprint.next(hash, scalar(index), base) &- (scalar(index - length) &+ 1) &* power
                found(.part, length, hash)
            }
        }
    }
}

/// One of something for each way to read letters.
private struct CaseCounts: Sendable {
    private var exact = 0
    private var caseless = 0

    subscript(ignoresCase: Bool) -> Int {
        get { ignoresCase ? caseless : exact }
        set { if ignoresCase { caseless = newValue } else { exact = newValue } }
    }
}

private struct CaseLengths: Sendable {
    private var exact = LengthsInUse()
    private var caseless = LengthsInUse()

    subscript(ignoresCase: Bool) -> LengthsInUse {
        get { ignoresCase ? caseless : exact }
        _modify { if ignoresCase { yield &caseless } else { yield &exact } }
    }
}

/// The lengths of literals, ascending, each with the count of them.
private struct LengthsInUse: Sendable {
    private(set) var lengths: [Int] = []
    private var counts: [Int: Int] = [:]

    mutating func count(_ length: Int, _ change: Int) {
        let count = (counts[length] ?? 0) + change
        counts[length] = count == 0 ? nil : count
        guard count == 0 || count == change else { return }
        var low = 0
        var high = lengths.count
        while low < high {
            let middle = (low + high) / 2
            if lengths[middle] < length { low = middle + 1 } else { high = middle }
        }
        if count == 0 { lengths.remove(at: low) } else { lengths.insert(length, at: low) }
    }
}
