/// Every sub-predicate with its truth.
extension SceneCondition {
    func terms(_ subject: FoldableText?) -> [PredicateTerm] {
        var selfMatches = SelfMatches()
        // Children follow their parents, so a walk from the end finds each child decided.
        var results = nodes.map { node in
            switch node.kind {
            case .constant(let value): value
            case .and: true
            case .or, .not, .comparison: false
            }
        }
        for index in nodes.indices.reversed() {
            if nodes[index].kind == .comparison { results[index] = compare(at: index, subject, &selfMatches) }
            let parent = Int(nodes[index].parent)
            guard parent >= 0 else { continue }
            switch nodes[parent].kind {
            case .not: results[parent] = !results[index]
            case .and: results[parent] = results[parent] && results[index]
            case .or: results[parent] = results[parent] || results[index]
            case .constant, .comparison: break
            }
        }
        var depths: [Int] = []
        return nodes.indices.map { index in
            let parent = Int(nodes[index].parent)
            depths.append(parent < 0 ? 0 : depths[parent] + 1)
            let kind: PredicateTerm.Kind =
                switch nodes[index].kind {
                case .constant: .constant
                case .comparison: .comparison
                case .and, .or, .not: .compound
                }
            return PredicateTerm(
                depth: depths[index], text: canonicalText(of: index), offset: Int(nodes[index].offset),
                result: results[index], kind: kind)
        }
    }
}
