// Duplicate members. Names of a small object are compared with each other; a larger one gets a hash index.

extension JSONDocument {
    /// Objects up to this many members are searched from end to end.
    private static let linearLimit = 16

    /// Notes the name just scanned (the last node of the tape) in the innermost object.
    @inline(__always)
    mutating func recordKey(_ bytes: Span<UInt8>, _ offset: Int) throws(JSONError) {
        let node = tape.count - 1
        let signature = signature(of: tape[node], bytes)
        let first = Int(frames[frames.count - 1].firstKey)
        let count = keys.count - first
        if count < Self.linearLimit {
            var k = first
            while k < keys.count {
                if keys[k].signature == signature, areEqual(Int(keys[k].node), node, bytes) {
                    throw duplicateKey(node, at: offset)
                }
                k &+= 1
            }
        } else {
            try recordInIndex(bytes, node, first: first, offset: offset)
        }
        keys.append(Key(node: UInt32(truncatingIfNeeded: node), signature: signature))
    }

    private mutating func recordInIndex(
        _ bytes: Span<UInt8>, _ node: Int, first: Int, offset: Int
    ) throws(JSONError) {
        let owner = frames[frames.count - 1].node
        if keys.count - first == Self.linearLimit {
            for k in first..<keys.count {
                let earlier = Int(keys[k].node)
                keyIndex.insert(owner: owner, node: UInt32(earlier), hash: hash(of: earlier, owner, bytes))
            }
        }
        let hash = hash(of: node, owner, bytes)
        var probe = keyIndex.firstProbe(hash)
        while let candidate = keyIndex.candidate(at: &probe, owner: owner, hash: hash) {
            if areEqual(Int(candidate), node, bytes) { throw duplicateKey(node, at: offset) }
        }
        keyIndex.insert(owner: owner, node: UInt32(truncatingIfNeeded: node), hash: hash)
    }

    /// Length, first, middle and last byte: enough to distinguish most names of one object.
    @inline(__always)
    private func signature(of node: Node, _ bytes: Span<UInt8>) -> UInt32 {
        guard node.link == Node.unescaped else {
            let range = decodedRanges[Int(node.link)]
            return Self.signature(decoded.span, Int(range.start), Int(range.end))
        }
        return Self.signature(bytes, Int(node.start), Int(node.end))
    }

    @inline(__always)
    private static func signature(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> UInt32 {
        guard end > start else { return 0 }
        let length = end &- start
        return UInt32(truncatingIfNeeded: length) << 24 | UInt32(bytes[start]) << 16
            | UInt32(bytes[start &+ length >> 1]) << 8 | UInt32(bytes[end &- 1])
    }

    /// Compares the unescaped bytes of two strings; names equal only after Unicode normalisation are different names.
    private func areEqual(_ a: Int, _ b: Int, _ bytes: Span<UInt8>) -> Bool {
        switch (tape[a].link == Node.unescaped, tape[b].link == Node.unescaped) {
        case (true, true): ByteWord.areEqual(bytes.extracting(plain(a)), bytes.extracting(plain(b)))
        case (true, false): ByteWord.areEqual(bytes.extracting(plain(a)), decoded.span.extracting(unescaped(b)))
        case (false, true): ByteWord.areEqual(decoded.span.extracting(unescaped(a)), bytes.extracting(plain(b)))
        case (false, false):
            ByteWord.areEqual(decoded.span.extracting(unescaped(a)), decoded.span.extracting(unescaped(b)))
        }
    }

    private func plain(_ node: Int) -> Range<Int> { Int(tape[node].start)..<Int(tape[node].end) }

    private func unescaped(_ node: Int) -> Range<Int> {
        let range = decodedRanges[Int(tape[node].link)]
        return Int(range.start)..<Int(range.end)
    }

    private func hash(of node: Int, _ owner: UInt32, _ bytes: Span<UInt8>) -> UInt32 {
        // The library's seeded hash: a sender cannot choose names that collide.
        var hasher = Hasher()
        hasher.combine(owner)
        let isPlain = tape[node].link == Node.unescaped
        let text = isPlain ? bytes : decoded.span
        let range = isPlain ? plain(node) : unescaped(node)
        var word: UInt64 = 0
        for (k, i) in range.enumerated() {
            word = word << 8 | UInt64(text[i])
            if k & 7 == 7 { hasher.combine(word) }
        }
        hasher.combine(word)
        hasher.combine(range.count)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }
}
