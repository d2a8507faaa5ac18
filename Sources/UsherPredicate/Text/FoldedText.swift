/// Text folded for non-literal comparison, with the places where a match may begin and end.
///
/// Folding is canonical decomposition, removal of marks under `d`, then full case folding under `c`, decomposed again.
/// Marks are removed from Latin, Greek and Cyrillic letters and from symbols (bases below U+0510), where they are
/// diacritics; in other scripts they spell words (が is not か) and stay.
struct FoldedText: Sendable {
    /// A match may begin here, or a wildcard stand here: it's the first scalar that a scalar of the source became.
    private static let sourceStart: UInt8 = 1
    /// A match may end before this scalar: it neither continues a combining sequence nor a Hangul syllable.
    private static let clusterStart: UInt8 = 2

    private(set) var scalars: [UInt32] = []
    private var flags: [UInt8] = []

    /// The scalars of `text` as they are, for literal matching.
    init(exact text: String) {
        scalars = text.unicodeScalars.map(\.value)
        flags = [UInt8](repeating: Self.sourceStart | Self.clusterStart, count: scalars.count)
    }

    init(folding text: some Sequence<UInt32>, options: FoldingOptions) {
        let tables = FoldingTables.shared
        for scalar in text {
            tables.appendDecomposition(of: scalar, to: &scalars)
            flagNewScalars()
        }
        reorderMarks(tables)
        let removesMarks = options.contains(.diacriticInsensitive)
        if removesMarks { removeMarks(tables) }
        // Before folding, which makes a letter of the mark U+0345.
        findClusters(tables)
        if options.contains(.caseInsensitive) {
            foldCase(tables)
            reorderMarks(tables)
            // Folding may have brought new ones, as İ does.
            if removesMarks { removeMarks(tables) }
        }
    }

    init(folding text: String, options: FoldingOptions) {
        self.init(folding: text.unicodeScalars.lazy.map(\.value), options: options)
    }

    private mutating func flagNewScalars() {
        if flags.count < scalars.count { flags.append(Self.sourceStart) }
        while flags.count < scalars.count { flags.append(0) }
    }

    private mutating func foldCase(_ tables: FoldingTables) {
        let source = self
        scalars.removeAll(keepingCapacity: true)
        flags.removeAll(keepingCapacity: true)
        for index in source.scalars.indices {
            tables.appendFolding(of: source.scalars[index], to: &scalars)
            if flags.count < scalars.count { flags.append(source.flags[index]) }
            while flags.count < scalars.count { flags.append(0) }
        }
    }

    /// Puts each run of marks into canonical order (The Unicode Standard, 3.11), stably.
    private mutating func reorderMarks(_ tables: FoldingTables) {
        var start = 0
        while start < scalars.count {
            guard scalars[start] >= 0x300, tables.combiningClass(scalars[start]) != 0 else {
                start += 1
                continue
            }
            var run: [(key: UInt64, scalar: UInt32, flag: UInt8)] = []
            var end = start
            while end < scalars.count {
                let combiningClass = tables.combiningClass(scalars[end])
                if combiningClass == 0 { break }
                // The position makes equal classes keep their order whichever way the sort goes.
                run.append((UInt64(combiningClass) << 32 | UInt64(end - start), scalars[end], flags[end]))
                end += 1
            }
            if run.count > 1 {
                run.sort { $0.key < $1.key }
                for (index, element) in run.enumerated() {
                    scalars[start + index] = element.scalar
                    flags[start + index] = element.flag
                }
            }
            start = end
        }
    }

    private mutating func removeMarks(_ tables: FoldingTables) {
        var kept = 0
        // A mark at the very beginning has nothing to modify and stays.
        var base = UInt32.max
        for index in scalars.indices {
            let scalar = scalars[index]
            if tables.isMark(scalar) {
                if base < 0x510 { continue }
            } else {
                base = scalar
            }
            scalars[kept] = scalar
            flags[kept] = flags[index]
            kept += 1
        }
        scalars.removeSubrange(kept...)
        flags.removeSubrange(kept...)
    }

    private mutating func findClusters(_ tables: FoldingTables) {
        var previous: UInt32 = 0
        for index in scalars.indices {
            let scalar = scalars[index]
            let continues = tables.isMark(scalar) || Hangul.isTrailingJamo(scalar) && Hangul.isJamo(previous)
            if flags[index] & Self.sourceStart != 0, !continues { flags[index] |= Self.clusterStart }
            previous = scalar
        }
    }

    func mayBegin(at index: Int) -> Bool { flags[index] & Self.sourceStart != 0 }

    func mayEnd(at index: Int) -> Bool { index == flags.count || flags[index] & Self.clusterStart != 0 }
}
