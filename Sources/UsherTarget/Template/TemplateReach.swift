/// From which nodes of a graph, at which offsets of an identifier, the end of both can be reached.
///
/// Settled backwards in one pass: nodes × bytes steps, nodes × bytes bits.
struct TemplateReach {
    private let wordsPerOffset: Int
    private var words: [UInt64]

    init(_ graph: TemplateGraph, over characters: EncodedCharacters) {
        let bytes = characters.bytes
        let nodes = graph.nodes
        wordsPerOffset = (nodes.count + 63) / 64
        words = Array(repeating: 0, count: wordsPerOffset * (bytes.count + 1))
        // Per node, how few characters lead out of a run, for the offsets one character can span.
        var distances = Array(repeating: Int.max, count: nodes.count * Self.span)
        for offset in stride(from: bytes.count, through: 0, by: -1) {
            for node in nodes.indices {
                let isReached: Bool
                switch nodes[node] {
                case .accept: isReached = offset == bytes.count
                case .split(let first, let second): isReached = self[first, offset] || self[second, offset]
                case .literal(let literal, let next):
                    isReached =
                        offset + literal.count <= bytes.count && self[next, offset + literal.count]
                        && bytes[offset..<offset + literal.count].elementsEqual(literal)
                case .run(let run, let next):
                    let length = characters.length(at: offset, in: run.alphabet)
                    var further = Int.max
                    if length > 0 {
                        further = distances[node * Self.span + (offset + length) % Self.span]
                        if further != .max { further += 1 }
                    }
                    let distance = self[next, offset] ? 0 : further
                    distances[node * Self.span + offset % Self.span] = distance
                    let needed = run.minimum == 0 ? distance : further
                    isReached = needed != .max && needed <= run.maximum
                }
                if isReached { words[offset * wordsPerOffset + node / 64] |= 1 << UInt64(node % 64) }
            }
        }
    }

    /// A character takes twelve bytes at most: four triplets.
    private static let span = 16

    subscript(node: Int, offset: Int) -> Bool {
        words[offset * wordsPerOffset + node / 64] & (1 << UInt64(node % 64)) != 0
    }
}
