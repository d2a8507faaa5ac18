import Testing
import UsherJSON

struct JSONDocumentTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        var text: String
        var code: String
        var offset: Int
        var pointer: String
        var testDescription: String { text.utf8.count > 40 ? String(text.prefix(40)) + "…" : text }

        init(_ text: String, _ code: String, _ offset: Int, _ pointer: String = "") {
            (self.text, self.code, self.offset, self.pointer) = (text, code, offset, pointer)
        }
    }

    static let refusals = [
        Refusal("", "json.empty", 0), Refusal(" \t\r\n", "json.empty", 4),
        Refusal("{", "json.syntax", 1), Refusal("[", "json.syntax", 1, "/0"), Refusal("[1", "json.syntax", 2),
        Refusal("[1,", "json.syntax", 3, "/1"), Refusal("[1,]", "json.syntax", 3, "/1"),
        Refusal("[,1]", "json.syntax", 1, "/0"),
        Refusal(#"{"a":1,}"#, "json.syntax", 7), Refusal(#"{"a"}"#, "json.syntax", 4, "/a"),
        Refusal(#"{"a":}"#, "json.syntax", 5, "/a"), Refusal("{a:1}", "json.syntax", 1),
        Refusal(#"{"a":{"b":[1,{"c~/d":x}]}}"#, "json.syntax", 21, "/a/b/1/c~0~1d"),
        Refusal("{'a':1}", "json.syntax", 1), Refusal("[1}", "json.syntax", 2),
        Refusal("nul", "json.syntax", 3), Refusal("True", "json.syntax", 0), Refusal("[NaN]", "json.syntax", 1, "/0"),
        Refusal("[Infinity]", "json.syntax", 1, "/0"), Refusal("truee", "json.trailing-data", 4),
        Refusal("01", "json.syntax", 1), Refusal("-", "json.syntax", 1), Refusal("-01", "json.syntax", 2),
        Refusal("+1", "json.syntax", 0), Refusal("1.", "json.syntax", 2), Refusal(".5", "json.syntax", 0),
        Refusal("1e", "json.syntax", 2), Refusal("1e+", "json.syntax", 3), Refusal("0x10", "json.trailing-data", 1),
        Refusal("1 2", "json.trailing-data", 2), Refusal("{}]", "json.trailing-data", 2),
        Refusal("{}\0", "json.trailing-data", 2), Refusal("[1/* c */]", "json.syntax", 2),
        Refusal(#"["a"#, "json.syntax", 3, "/0"), Refusal(#"["\"#, "json.syntax", 3, "/0"),
        Refusal(#"["\x41"]"#, "json.syntax", 3, "/0"), Refusal(#"["\u12"]"#, "json.syntax", 6, "/0"),
        Refusal("[\"a\nb\"]", "json.syntax", 3, "/0"), Refusal("[\"\u{0}\"]", "json.syntax", 2, "/0"),
        Refusal("é", "json.syntax", 0), Refusal("[\u{A0}1]", "json.syntax", 1, "/0"),
        Refusal(#"["\ud83d"]"#, "json.lone-surrogate", 2, "/0"),
        Refusal(#"["\ud83d\n"]"#, "json.lone-surrogate", 2, "/0"),
        Refusal(#"["\ud83d\u0041"]"#, "json.lone-surrogate", 2, "/0"),
        Refusal(#"["x\ude00\ud83d"]"#, "json.lone-surrogate", 3, "/0"),
        Refusal(#"{"\ud800":1}"#, "json.lone-surrogate", 2),
        Refusal(#"{"a":1,"a":2}"#, "json.duplicate-key", 7, "/a"),
        Refusal(#"{"a":1,"\u0061":2}"#, "json.duplicate-key", 7, "/a"),
        Refusal(#"{"\u0061":1,"a":2}"#, "json.duplicate-key", 12, "/a"),
        Refusal(#"{"\u0061":1,"\u0061":2}"#, "json.duplicate-key", 12, "/a"),
        Refusal(#"{"x":{"":1,"":2}}"#, "json.duplicate-key", 11, "/x/"),
        Refusal("[1e400]", "json.number-range", 1, "/0"), Refusal("[-1e309]", "json.number-range", 1, "/0"),
        Refusal("[1.8e308]", "json.number-range", 1, "/0"),
        Refusal("1e99999999999999999999999", "json.number-range", 0),
        Refusal("1" + String(repeating: "0", count: 400), "json.number-range", 0),
        Refusal("\u{FEFF}{}", "json.bom", 0), Refusal("{\0}\0", "json.syntax", 1),
    ]

    @Test(arguments: refusals)
    func `is refused with a code, an offset and a pointer`(_ refusal: Refusal) {
        var document = JSONDocument()
        let error = #expect(throws: JSONError.self) { try document.parse(Array(refusal.text.utf8)) }
        #expect(error?.code.rawValue == refusal.code)
        #expect(error?.offset == refusal.offset)
        #expect(error?.pointer == refusal.pointer)
        #expect(document.root == nil)
    }

    static let malformed: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
        [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
        [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xE2, 0x28, 0xA1],
    ]

    @Test(arguments: malformed)
    func `malformed UTF-8 is refused where it stands`(_ sequence: [UInt8]) {
        for escape in ["", #"\n"#] {
            let start = Array((#"{"k":"a"# + escape).utf8)
            var document = JSONDocument()
            let error = #expect(throws: JSONError.self) { try document.parse(start + sequence + Array(#""}"#.utf8)) }
            #expect(error?.code == .invalidUTF8)
            #expect(error?.offset == start.count)
            #expect(error?.pointer == "/k")
        }
    }

    @Test(arguments: [[0xFF, 0xFE, 0x7B, 0x00], [0xFE, 0xFF, 0x00, 0x7B]] as [[UInt8]])
    func `UTF-16 with a mark is not UTF-8`(_ bytes: [UInt8]) {
        var document = JSONDocument()
        let error = #expect(throws: JSONError.self) { try document.parse(bytes) }
        #expect(error?.code == .invalidUTF8)
        #expect(error?.found.contains("UTF-16") == true)
    }

    @Test(arguments: [
        ("null", "null"), (" true ", "true"), ("[]", "[]"), ("{}", "{}"), ("[[],{}]", "[[],{}]"),
        (#"{"b":1,"a":[2,{"c":null}],"":false}"#, #"{"b":1,"a":[2,{"c":null}],"":false}"#),
        (#"["\"\\\/\b\f\n\r\t\u0041\ud83d\ude00"]"#, #"["\"\\/\b\f\n\r\tA😀"]"#),
        (#"["a\u00e9b","é"]"#, #"["aéb","é"]"#),
        ("[-0,0.0,1e-400,2.5e+3,1E0]", "[-0,0.0,1e-400,2.5e+3,1E0]"),
        ("[123456789012345678901234567890]", "[123456789012345678901234567890]"),
        ("[1.7976931348623157e308,0e99999]", "[1.7976931348623157e308,0e99999]"),
        ("{\"cafe\u{301}\":1,\"caf\u{e9}\":2}", "{\"cafe\u{301}\":1,\"caf\u{e9}\":2}"),
    ])
    func `reads as a tree in order`(_ text: String, _ expected: String) throws {
        let value = try JSONValue(parsing: Array(text.utf8))
        #expect(value.text(escaping: .minimal).utf8.elementsEqual(expected.utf8))
    }

    @Test func `the last level is read and one more is not`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        var document = JSONDocument()
        try document.parse(nested(512))
        for depth in [513, 100_000] {
            let error = #expect(throws: JSONError.self) { try document.parse(nested(depth)) }
            #expect(error?.code == .depth)
            #expect(error?.offset == 512)
        }
        var shallow = JSONDocument(maximumDepth: 2)
        try shallow.parse(nested(2))
        #expect(throws: JSONError.self) { try shallow.parse(nested(3)) }
    }

    @Test(arguments: [2, 16, 17, 18, 33, 1000])
    func `a duplicate is found among any number of members`(_ count: Int) {
        for twin in [0, count / 2, count - 1] {
            let members = (0..<count).map { #""key\#($0)":{"key\#($0)":1}"# }
            let text = "{" + members.joined(separator: ",") + #","ke\u0079\#(twin)":0}"#
            var document = JSONDocument()
            let error = #expect(throws: JSONError.self) { try document.parse(Array(text.utf8)) }
            #expect(error?.code == .duplicateKey)
            #expect(error?.pointer == "/key\(twin)")
            let legal = "{" + members.joined(separator: ",") + "}"
            #expect(throws: Never.self) { try document.parse(Array(legal.utf8)) }
        }
    }

    @Test func `values give their bytes back`() throws {
        var document = JSONDocument()
        let text = #"xx{"a" : [1, 2.50] ,"s":"\u0041"}yy"#
        try document.parse(Array(text.utf8), in: 2..<text.utf8.count - 2)
        let root = try #require(document.root)
        let a = try #require(document.value("a", in: root))
        let s = try #require(document.value("s", in: root))
        #expect(String(decoding: document.raw(a), as: UTF8.self) == "[1, 2.50]")
        #expect(String(decoding: document.raw(s), as: UTF8.self) == #""\u0041""#)
        #expect(document.string(s) == "A")
        #expect(document.offset(a) == 7)
        #expect(document.textRange(root) == 0..<text.utf8.count - 4)
        #expect(document.elements(a).compactMap { document.double($0) } == [1, 2.5])
        #expect(document.members(root).map { document.string($0.key) } == ["a", "s"])
    }

    @Test func `a document is used again after an error`() throws {
        var document = JSONDocument()
        try document.parse(Array(#"{"a":"\n","b":[1,2,3]}"#.utf8))
        #expect(throws: JSONError.self) { try document.parse(Array("[1,".utf8)) }
        try document.parse(Array(#"{"c":"\t"}"#.utf8))
        let root = try #require(document.root)
        #expect(document.value("a", in: root) == nil)
        #expect(document.value("c", in: root).flatMap { document.string($0) } == "\t")
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("9.0", 9), ("1E0", 1), ("2.5e+3", 2500), ("1200e-2", 12), ("0.5", nil),
            ("12e-1", nil), ("123456789012345678", 123_456_789_012_345_678), ("-12", -12),
            ("9223372036854775807", .max), ("-9223372036854775808", .min), ("9223372036854775808", nil),
            ("-9223372036854775809", nil), ("922337203685477580.7e1", .max), ("1e19", nil),
            ("1e18", 1_000_000_000_000_000_000),
            ("0e99999999999999999999", 0), ("1e-99999999999999999999", nil),
            ("9007199254740993", 9_007_199_254_740_993),
        ] as [(String, Int64?)])
    func `whole numbers are exact`(_ text: String, _ expected: Int64?) throws {
        var document = JSONDocument()
        try document.parse(Array(text.utf8))
        let root = try #require(document.root)
        #expect(document.int64(root) == expected)
        #expect(JSONValue.number(text).int64 == expected)
        #expect(document.numberText(root) == text)
    }

    @Test func `messages say what was expected and what was found`() {
        var document = JSONDocument()
        let error = #expect(throws: JSONError.self) { try document.parse(Array(#"{"aps":{"alert":"x",}}"#.utf8)) }
        #expect(error?.description == #"json.syntax at byte 20 (/aps): expected '"' to begin a name, found '}'"#)
    }

    @Test func `no truncation and no single changed byte traps`() {
        let text = Array(#" {"a":[1.5e3,-0,"\u00e9\ud83d\ude00é",true,false,null,{}],"b":{"c":"d"}} "#.utf8)
        var document = JSONDocument()
        for length in 0..<text.count - 1 {
            let error = #expect(throws: JSONError.self) { try document.parse(text, in: 0..<length) }
            #expect((0...length).contains(error?.offset ?? -1))
        }
        for position in text.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[position] = byte
                do {
                    try document.parse(changed)
                    #expect(document.root != nil)
                } catch {
                    #expect(error.offset >= 0 && error.offset <= changed.count)
                }
            }
        }
    }
}
