import Testing
import UsherPayload

struct JSONLinesSplitterTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var text: String
        var lines: [String]
        var testDescription: String { text.debugDescription }
    }

    static let cases = [
        Case(text: "", lines: []),
        Case(text: "\n\n \t\r\n", lines: []),
        Case(text: "a", lines: ["1 a"]),
        Case(text: "a\n", lines: ["1 a"]),
        Case(text: "a\r\nb\r\n", lines: ["1 a", "2 b"]),
        Case(text: "a\n\n  \nb", lines: ["1 a", "4 b"]),
        Case(text: " a \n", lines: ["1  a "]),
        Case(text: "a\rb\n", lines: ["1 a\rb"]),
        Case(text: "a\u{2028}b\u{85}\n", lines: ["1 a\u{2028}b\u{85}"]),
        Case(text: "12345678\n123456789\n12345678\r\nx", lines: ["1 12345678", "2 too long", "3 12345678", "4 x"]),
        Case(text: "123456789\r\n", lines: ["1 too long"]),
        Case(text: "1234567890123456789012345678901234567890", lines: ["1 too long"]),
        Case(text: "1234567890123456789012345678901234567890\na", lines: ["1 too long", "2 a"]),
        Case(text: "a\n\n1234567890123\n\nb\n", lines: ["1 a", "3 too long", "5 b"]),
        Case(text: "\r", lines: []),
        Case(text: "\u{FEFF}a\n", lines: ["1 \u{FEFF}a"]),
    ]

    @Test(arguments: cases)
    func `lines are the same whatever the chunks`(_ value: Case) {
        let bytes = Array(value.text.utf8)
        for size in 1...max(1, bytes.count) {
            var splitter = JSONLinesSplitter(limit: 8)
            var found: [String] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                splitter.push(Array(bytes[start..<min(start + size, bytes.count)]))
                while let line = splitter.next() { found.append(Self.describe(line)) }
            }
            splitter.finish()
            while let line = splitter.next() { found.append(Self.describe(line)) }
            #expect(found == value.lines, "chunks of \(size)")
            #expect(splitter.next().map(Self.describe) == nil)
        }
    }

    @Test func `a line of a hundred megabytes is reported once`() {
        var splitter = JSONLinesSplitter()
        var found: [String] = []
        let chunk = [UInt8](repeating: 0x78, count: 1 << 20)
        for _ in 0..<100 {
            splitter.push(chunk)
            while let line = splitter.next() { found.append(Self.describe(line)) }
        }
        splitter.push(Array("\n{}\n".utf8))
        splitter.finish()
        while let line = splitter.next() { found.append(Self.describe(line)) }
        #expect(found == ["1 too long", "2 {}"])
    }

    private static func describe(_ line: JSONLinesSplitter.Line) -> String {
        switch line.content {
        case .text(let bytes, let range): "\(line.number) \(String(decoding: bytes[range], as: UTF8.self))"
        case .tooLong: "\(line.number) too long"
        }
    }
}
