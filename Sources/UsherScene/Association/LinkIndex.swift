/// The rules of a large association file, indexed by the beginning of their paths: most rules are never tried.
struct LinkIndex: Sendable {
    /// The rules of one form, by the beginning of their paths.
    private struct Part: Sendable {
        var form: LinkForm
        /// Of the beginnings, ascending.
        var lengths: [Int]
        var rules: [[UInt8]: [Int]]
    }

    private var parts: [Part]

    init(_ rules: [LinkRule]) {
        parts = Dictionary(grouping: rules.indices) { rules[$0].form }.map { form, places in
            let rules = Dictionary(grouping: places) { rules[$0].pathPrefix }
            return Part(form: form, lengths: Set(rules.keys.map(\.count)).sorted(), rules: rules)
        }
    }

    /// The rules that an address may match, ascending.
    func candidates(for address: inout LinkAddress) -> [Int] {
        var found: [Int] = []
        for part in parts {
            let path = address.parts(in: part.form).path
            for length in part.lengths where length <= path.count {
                if let rules = part.rules[Array(path.prefix(length))] { found += rules }
            }
        }
        return found.sorted()
    }
}
