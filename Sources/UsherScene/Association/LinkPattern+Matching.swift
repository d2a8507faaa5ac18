extension LinkPattern {
    /// Whether the pattern covers all of a text, valid UTF-8 in the pattern's form.
    ///
    /// Walks the pattern once with the set of places it may have come to: |text| × ``size`` steps at the most, whatever
    /// the pattern.
    func matches(_ text: [UInt8]) -> Bool {
        guard text.count >= prefix.count, text.starts(with: prefix) else { return false }
        guard !elements.isEmpty else { return text.count == prefix.count }
        var places = Places(prefix.count)
        for element in elements {
            switch element {
            case .step(let step): places.advance(over: step, in: text)
            case .variable(let variable): places.advance(over: variable, in: text)
            }
            if places.isEmpty { return false }
        }
        return places.contains(text.count)
    }

    /// Places in a text where a pattern may have come to, each at the beginning of a character.
    private struct Places {
        /// In order.
        private var some: [Int]
        /// And from here on every one.
        private var start: Int?

        init(_ place: Int) {
            some = [place]
            start = nil
        }

        private init() {
            some = []
            start = nil
        }

        var isEmpty: Bool { some.isEmpty && start == nil }

        func contains(_ end: Int) -> Bool { start != nil || some.last == end }

        /// Where a character begins, from the first of the places on.
        private func forEach(in text: [UInt8], _ body: (Int) -> Void) {
            for place in some { body(place) }
            guard let start else { return }
            for place in start...text.count where place == text.count || text[place] & 0xC0 != 0x80 { body(place) }
        }

        mutating func advance(over step: Step, in text: [UInt8]) {
            if case .anyText = step {
                start = some.first ?? start
                some = []
                return
            }
            var next = Places()
            forEach(in: text) { place in
                if let end = Places.end(of: step, at: place, in: text) { next.some.append(end) }
            }
            self = next
        }

        private static func end(of step: Step, at place: Int, in text: [UInt8]) -> Int? {
            switch step {
            case .literal(let bytes):
                guard text.count - place >= bytes.count, text[place] == bytes[0] else { return nil }
                for index in 1..<max(1, bytes.count) where text[place + index] != bytes[index] { return nil }
                return place + bytes.count
            case .anyCharacter:
                guard place < text.count else { return nil }
                var end = place + 1
                while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
                return end
            case .member(let set): return place < text.count && set.contains(text[place]) ? place + 1 : nil
            case .anyText: return nil
            }
        }

        mutating func advance(over variable: LinkVariable, in text: [UInt8]) {
            var isReached = [Bool](repeating: false, count: text.count + 1)
            var start: Int?
            forEach(in: text) { place in
                variable.words.forEachEnd(from: place, in: text) { isReached[$0] = true }
            }
            for steps in variable.patterns {
                var places = self
                for step in steps where !places.isEmpty { places.advance(over: step, in: text) }
                for place in places.some { isReached[place] = true }
                if let other = places.start { start = min(start ?? other, other) }
            }
            some = isReached.indices.filter { isReached[$0] && $0 < start ?? .max }
            self.start = start
        }
    }
}
