import Testing
import UsherJSON
import UsherText

struct JSONStreamSplitterTests {
    /// The texts of a stream in chunks of a size, each with what became of it, and the line and column where it begins.
    private static func split(_ bytes: [UInt8], by size: Int, limit: Int = 1 << 20) -> [String] {
        var splitter = JSONStreamSplitter(limit: limit)
        var document = JSONDocument()
        var found: [String] = []
        func take() {
            while let text = splitter.next(into: &document) {
                let result =
                    text.isTooLong
                    ? "too long" : text.failure.map { String($0.value.code.rawValue.dropFirst(5)) } ?? "ok"
                let content = String(decoding: text.bytes[text.range], as: UTF8.self)
                found.append("\(text.begin.line):\(text.begin.column) \(result) \(content)")
            }
        }
        for start in stride(from: 0, to: bytes.count, by: size) {
            splitter.push(Array(bytes[start..<min(start + size, bytes.count)]))
            take()
        }
        splitter.finish()
        take()
        let place = splitter.placeBetweenTexts()
        #expect(place == LinePosition().moved(over: bytes[...]))
        return found
    }

    private static let rs = "\u{1E}"

    @Test(
        arguments: [
            ("", []), (" \n\t\r\n\(rs) ", []),
            ("{}", ["1:1 ok {}"]), (" {}\n\n  [1]", ["1:2 ok {}", "3:3 ok [1]"]),
            ("{\"a\":{}}{\"b\":[]}[1]", ["1:1 ok {\"a\":{}}", "1:9 ok {\"b\":[]}", "1:17 ok [1]"]),
            ("{\n \"a\": {}\n}\n{}", ["1:1 ok {\n \"a\": {}\n}", "4:1 ok {}"]),
            ("{\"ä\":1}{}", ["1:1 ok {\"ä\":1}", "1:8 ok {}"]),
            ("{\r\n\"a\":\r\n[\r\n]\r\n}\r\n", ["1:1 ok {\r\n\"a\":\r\n[\r\n]\r\n}"]),
            // A CR alone is white space, and ends no line.
            ("{}\r{}\r\r[1]\r", ["1:1 ok {}", "1:4 ok {}", "1:8 ok [1]"]),
            ("{\r\"a\":\r[\r]\r}\r", ["1:1 ok {\r\"a\":\r[\r]\r}"]),
            ("{,}\r{}\n{}", ["1:1 syntax {,}\r{}", "2:1 ok {}"]), ("no\r{}\n{}", ["1:1 syntax no\r{}", "2:1 ok {}"]),
            ("{\"a\":\"x\ry\"}\n{}", ["1:1 syntax {\"a\":\"x\ry\"}", "2:1 ok {}"]),
            ("{\"a\":\r{\"b\":1}\n{}", ["1:1 syntax {\"a\":\r{\"b\":1}", "2:1 ok {}"]),
            // What is no JSON.
            ("not json\n{}", ["1:1 syntax not json", "2:1 ok {}"]), ("42\n\"x\" ", ["1:1 ok 42", "2:1 ok \"x\""]),
            ("42 x\n", ["1:1 syntax 42 x"]), ("{} x \n{}", ["1:1 ok {}", "1:4 syntax x", "2:1 ok {}"]),
            ("{,} {}\n{}", ["1:1 syntax {,} {}", "2:1 ok {}"]), ("{]\n{}", ["1:1 syntax {]", "2:1 ok {}"]),
            ("}\n{}", ["1:1 syntax }", "2:1 ok {}"]), ("{'a': 1}\n{}", ["1:1 syntax {'a': 1}", "2:1 ok {}"]),
            ("{\n \"a\": {},,\n \"b\": 1\n}\n{}", ["1:1 syntax {\n \"a\": {},,\n \"b\": 1\n}", "5:1 ok {}"]),
            ("{\"a\":\"\u{0}}\"}\n{}", ["1:1 syntax {\"a\":\"\u{0}}\"}", "2:1 ok {}"]),
            ("{\"a\":1,\"a\":2} {}\n{}", ["1:1 duplicate-key {\"a\":1,\"a\":2}", "1:15 ok {}", "2:1 ok {}"]),
            ("[}{", ["1:1 syntax [}{"]),
            // Byte order marks.
            ("\u{FEFF}{} {}\n{}", ["1:1 bom \u{FEFF}{}", "1:5 ok {}", "2:1 ok {}"]),
            ("\u{FEFF} {\n}", ["1:1 bom \u{FEFF} {\n}"]),
            ("\u{FEFF}{,}{}\n{}", ["1:1 bom \u{FEFF}{,}{}", "2:1 ok {}"]),
            ("\u{FEFF}\n{}", ["1:1 bom \u{FEFF}", "2:1 ok {}"]),
            // Texts that are cut off: at the end, at RS, at an object of its own, at what cannot follow.
            ("{\"a\": \n \n", ["1:1 syntax {\"a\":"]), ("{\"a\":\(rs){}", ["1:1 syntax {\"a\":", "1:7 ok {}"]),
            ("{\"a\":\"x\(rs){}\n", ["1:1 syntax {\"a\":\"x", "1:9 ok {}"]),
            ("{\"a\":{\"b\":\"cut\n{\"a\":{}}\n", ["1:1 syntax {\"a\":{\"b\":\"cut", "2:1 ok {\"a\":{}}"]),
            ("{\n \"a\": {\n{\"a\":{}}\n", ["1:1 syntax {\n \"a\": {", "3:1 ok {\"a\":{}}"]),
            ("[\n{\"a\":{}} \t\r\n]\n", ["1:1 syntax [", "2:1 ok {\"a\":{}}", "3:1 syntax ]"]),
            ("[\n{\"a\":{}}", ["1:1 syntax [", "2:1 ok {\"a\":{}}"]),
            ("[\n{\"a\":{}}\(rs)]", ["1:1 syntax [", "2:1 ok {\"a\":{}}", "2:10 syntax ]"]),
            ("[\n{\"a\":{,}}{}\n{}", ["1:1 syntax [", "2:1 syntax {\"a\":{,}}{}", "3:1 ok {}"]),
            ("{\"a\":\n{\"b\":{}},\n\"c\":1}\n", ["1:1 ok {\"a\":\n{\"b\":{}},\n\"c\":1}"]),
            ("{\"a\":\n{\"b\":{}}}{}", ["1:1 ok {\"a\":\n{\"b\":{}}}", "2:10 ok {}"]),
            ("{\"a\":\nnot json\n[]\n{}", ["1:1 syntax {\"a\":", "2:1 syntax not json", "3:1 ok []", "4:1 ok {}"]),
            ("{\"a\":\ntrue,\n\"b\":\n-1.5e+3\n}", ["1:1 ok {\"a\":\ntrue,\n\"b\":\n-1.5e+3\n}"]),
            ("{\"a\":\ntru\n{}", ["1:1 syntax {\"a\":", "2:1 syntax tru", "3:1 ok {}"]),
            ("{\"a\":\n1.\n", ["1:1 syntax {\"a\":", "2:1 syntax 1."]),
            ("{\n{\n{\n", ["1:1 syntax {", "2:1 syntax {", "3:1 syntax {"]),
            ("{\"a\":,\n{\n}", ["1:1 syntax {\"a\":,", "2:1 ok {\n}"]),
            ("[1\n2]\n", ["1:1 syntax [1", "2:1 syntax 2]"]),
            // A line break in a string is one mistake.
            ("{\"a\":\"x\ny\"}", ["1:1 syntax {\"a\":\"x\ny\"}"]),
            ("{\"a\":\"x\ny\"}\n{\n}", ["1:1 syntax {\"a\":\"x\ny\"}", "3:1 ok {\n}"]),
            // Brackets in strings, escapes.
            ("{\"a\":\"}{\\\"\"}{}", ["1:1 ok {\"a\":\"}{\\\"\"}", "1:13 ok {}"]),
            ("{\n\"a\":\"\\u00e9\\\\\"\n}", ["1:1 ok {\n\"a\":\"\\u00e9\\\\\"\n}"]),
        ] as [(String, [String])])
    func `a stream gives its texts, whatever the chunks`(_ text: String, _ expected: [String]) {
        let bytes = Array(text.utf8)
        for size in 1...max(1, bytes.count) { #expect(Self.split(bytes, by: size) == expected, "by \(size)") }
    }

    @Test(
        arguments: [
            ("[12345678]\n[123456]{}", ["1:1 too long ", "2:1 ok [123456]", "2:9 ok {}"]),
            ("[\n1,2,3,4\n]{}", ["1:1 too long ", "3:2 ok {}"]), ("[,1,2,3,4] {}\n{}", ["1:1 too long ", "2:1 ok {}"]),
            ("abcdefgh \nabcdefghi\n{}", ["1:1 syntax abcdefgh", "2:1 too long ", "3:1 ok {}"]),
            ("[1,\n                    ", ["1:1 syntax [1,"]), ("[          1]{}", ["1:1 too long ", "1:14 ok {}"]),
            ("[1,2,3,4,\n{}\n{}", ["1:1 too long ", "2:1 ok {}", "3:1 ok {}"]),
            ("[1,\n{\"a\":  }\n{}", ["1:1 syntax [1,", "2:1 syntax {\"a\":  }", "3:1 ok {}"]),
            ("[1,\n{\"a\":12345}\n{}", ["1:1 syntax [1,", "2:1 too long ", "3:1 ok {}"]),
            ("[1,\n{\"a\":12345},\n{}", ["1:1 too long ", "3:1 ok {}"]),
            ("[\"        \n{}\n", ["1:1 syntax [\"", "2:1 ok {}"]),
        ] as [(String, [String])])
    func `a text of more than the limit is one error`(_ text: String, _ expected: [String]) {
        let bytes = Array(text.utf8)
        for size in 1...bytes.count {
            #expect(Self.split(bytes, by: size, limit: 8) == expected, "by \(size)")
        }
    }

    @Test(arguments: [1, 1000, 1 << 20])
    func `each of many lines that open an object is one error, and no more is kept than what is open`(_ size: Int) {
        let count = 100_000
        let bytes = Array(String(repeating: "{\n", count: count).utf8) + Array("{}\n".utf8)
        var splitter = JSONStreamSplitter()
        var document = JSONDocument()
        var (failed, read, kept) = (0, 0, 0)
        func take() {
            while let text = splitter.next(into: &document) {
                if text.failure == nil { read += 1 } else { failed += 1 }
                #expect(text.range.count <= 2)
                kept = max(kept, text.bytes.count)
            }
        }
        for start in stride(from: 0, to: bytes.count, by: size) {
            splitter.push(Array(bytes[start..<min(start + size, bytes.count)]))
            take()
        }
        splitter.finish()
        take()
        #expect(failed == count && read == 1)
        #expect(kept <= size + 4)
    }

    @Test func `a value is handed on at its last bracket`() {
        var splitter = JSONStreamSplitter()
        var document = JSONDocument()
        for (piece, isWhole) in [
            ("{\"a\":", false), ("{}\n", false), ("}", true), ("{}", true), ("\n{", false), ("}", true),
        ] {
            splitter.push(Array(piece.utf8))
            let text = splitter.next(into: &document)
            #expect((text != nil) == isWhole, "\(piece)")
            let place = splitter.placeBetweenTexts()
            #expect((place != nil) == isWhole)
        }
    }

    @Test func `the document holds the value`() throws {
        var splitter = JSONStreamSplitter()
        var document = JSONDocument()
        splitter.push(Array("{\"a\":1}{\n\"a\":2}".utf8))
        for number in [1, 2] {
            _ = splitter.next(into: &document)
            let root = try #require(document.root)
            #expect(document.value("a", in: root).flatMap { document.int64($0) } == Int64(number))
        }
    }
}
