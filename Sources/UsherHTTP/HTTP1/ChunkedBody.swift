internal import UsherText

/// Takes a chunked body apart while it arrives; extensions and trailers are checked and dropped. RFC 9112, 7.1.
struct ChunkedBody {
    private enum State {
        case firstDigit, size, sizeBlank, extensions, sizeFeed, data, dataReturn, dataFeed
        case trailerStart, trailerName, trailerValue, trailerFeed, endFeed
    }

    enum Step {
        /// Everything was taken; more must come.
        case more
        /// A piece of the body, by its place among the bytes.
        case data(Range<Int>)
        case end
    }

    private var place = State.firstDigit
    private var size = 0
    private var digits = 0
    /// Bytes of extensions and trailers in the whole body. Limited, since no real client needs many.
    private var extras = 0
    private static let extrasLimit = 8192

    /// Goes on from `i`, which is moved behind what was taken.
    mutating func next(_ bytes: Span<UInt8>, _ i: inout Int) throws(HTTPProblem) -> Step {
        while i < bytes.count {
            if place == .data {
                let piece = i..<min(i + size, bytes.count)
                size -= piece.count
                i = piece.upperBound
                if size == 0 { place = .dataReturn }
                return .data(piece)
            }
            let byte = bytes[i]
            i += 1
            if try read(byte) { return .end }
        }
        return .more
    }

    /// True behind the last byte.
    private mutating func read(_ byte: UInt8) throws(HTTPProblem) -> Bool {
        switch place {
        case .firstDigit, .size:
            try takeSize(byte)
        case .sizeBlank:
            // Blanks are accepted only before an extension. RFC 9112, 7.1.1.
            if byte == 0x3B { place = .extensions } else if !byte.isBlank { throw Self.bad("a chunk size") }
            try countExtra()
        case .extensions:
            if byte == 0x0D { place = .sizeFeed } else if !byte.isValueByte { throw Self.bad("a chunk extension") }
            try countExtra()
        case .sizeFeed:
            try expect(byte, 0x0A, "a chunk size")
            place = size == 0 ? .trailerStart : .data
        case .data: break
        case .dataReturn:
            try expect(byte, 0x0D, "the end of a chunk")
            place = .dataFeed
        case .dataFeed:
            try expect(byte, 0x0A, "the end of a chunk")
            place = .firstDigit
        case .trailerStart, .trailerName, .trailerValue, .trailerFeed:
            try takeTrailer(byte)
        case .endFeed:
            try expect(byte, 0x0A, "the end of the body")
            return true
        }
        return false
    }

    private mutating func takeSize(_ byte: UInt8) throws(HTTPProblem) {
        if let digit = Hexadecimal.value(of: byte) {
            if place == .firstDigit { (size, digits, place) = (0, 0, .size) }
            digits += 1
            guard digits <= 15 else { throw .framing("a chunk is too large") }
            size = size << 4 | Int(digit)
        } else {
            guard place == .size else { throw Self.bad("a chunk size") }
            switch byte {
            case 0x0D: place = .sizeFeed
            case 0x3B: place = .extensions
            case 0x20, 0x09: place = .sizeBlank
            default: throw Self.bad("a chunk size")
            }
        }
    }

    private mutating func takeTrailer(_ byte: UInt8) throws(HTTPProblem) {
        try countExtra()
        switch place {
        case .trailerStart:
            if byte == 0x0D {
                place = .endFeed
            } else {
                guard byte.isTokenByte else { throw Self.bad("a trailer") }
                place = .trailerName
            }
        case .trailerName:
            if byte == 0x3A { place = .trailerValue } else if !byte.isTokenByte { throw Self.bad("a trailer") }
        case .trailerValue:
            if byte == 0x0D { place = .trailerFeed } else if !byte.isValueByte { throw Self.bad("a trailer") }
        default:
            try expect(byte, 0x0A, "a trailer")
            place = .trailerStart
        }
    }

    private mutating func countExtra() throws(HTTPProblem) {
        extras += 1
        guard extras <= Self.extrasLimit else {
            throw .framing("the extensions and trailers of the body are longer than \(Self.extrasLimit) bytes")
        }
    }

    private func expect(_ byte: UInt8, _ wanted: UInt8, _ what: String) throws(HTTPProblem) {
        guard byte == wanted else { throw Self.bad(what) }
    }

    private static func bad(_ what: String) -> HTTPProblem { .framing("\(what) of the chunked body is malformed") }
}
