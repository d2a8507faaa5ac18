import Testing
import UsherText

struct ByteWordTests {
    /// Every byte at every place of a word, alone among others.
    static let texts: [(bytes: [UInt8], place: Int, byte: UInt8)] = (0..<8).flatMap { place in
        (UInt8.min...UInt8.max).map { byte in
            var bytes = Array("abcdefgh".utf8)
            bytes[place] = byte
            return (bytes, place, byte)
        }
    }

    static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool { ByteWord.areEqual(left.span, right.span) }

    static func expect(_ mask: UInt64, marks place: Int?, _ text: [UInt8]) {
        #expect((mask == 0 ? nil : ByteWord.first(mask)) == place, "\(text)")
    }

    @Test func `a test marks the first byte that passes and nothing else`() {
        for (bytes, place, byte) in Self.texts {
            let word = ByteWord(bytes.span, at: 0)
            Self.expect(word.maskOfControls, marks: byte < 0x20 ? place : nil, bytes)
            Self.expect(word.maskOfNonASCII, marks: byte >= 0x80 ? place : nil, bytes)
            Self.expect(word.mask(of: 0x22), marks: byte == 0x22 ? place : nil, bytes)
            let isSpecial = byte < 0x20 || byte == 0x22 || byte == 0x5C || byte >= 0x80
            Self.expect(word.maskOfSpecial, marks: isSpecial ? place : nil, bytes)
            Self.expect(word.maskOfEscaped, marks: isSpecial || byte == 0x7F ? place : nil, bytes)
        }
    }

    @Test(arguments: [0x00, 0x22, 0x7F, 0x80, 0xFF] as [UInt8])
    func `of several the first is marked`(_ byte: UInt8) {
        for first in 0..<8 {
            for second in first..<8 {
                var bytes = Array("abcdefgh".utf8)
                // The neighbour a borrow would reach.
                if second + 1 < 8 { bytes[second + 1] = byte &+ 1 }
                bytes[first] = byte
                bytes[second] = byte
                Self.expect(ByteWord(bytes.span, at: 0).mask(of: byte), marks: first, bytes)
            }
        }
    }

    @Test(arguments: 0...40)
    func `the next byte is found at any distance`(_ distance: Int) {
        let bytes = [UInt8](repeating: 0x61, count: 3 + distance) + [0x0A, 0x61, 0x0A]
        let found = ByteWord.firstOffset(of: 0x0A, in: bytes.span, from: 3)
        let missed = ByteWord.firstOffset(of: 0x62, in: bytes.span, from: 3)
        #expect(found == 3 + distance)
        #expect(missed == bytes.count)
    }

    @Test(arguments: 0...24)
    func `texts are equal when every byte is`(_ count: Int) {
        let bytes = (0..<count).map { UInt8($0 + 0x61) }
        #expect(Self.areEqual(bytes, bytes))
        #expect(!Self.areEqual(bytes, bytes + [0x61]))
        for place in 0..<count {
            var other = bytes
            other[place] ^= 0x80
            #expect(!Self.areEqual(bytes, other), "\(place)")
        }
    }

    @Test(arguments: 1...24)
    func `printable text has neither controls nor anything beyond ASCII`(_ count: Int) {
        for place in 0..<count {
            for (byte, isPrintable) in [(0x1F, false), (0x20, true), (0x7E, true), (0x7F, false), (0x80, false)] {
                var bytes = [UInt8](repeating: 0x61, count: count)
                bytes[place] = UInt8(byte)
                let answer = ByteWord.isPrintableASCII(bytes.span)
                #expect(answer == isPrintable, "\(bytes)")
            }
        }
    }
}
