import Testing
import UsherJSON

@Suite struct JSONReferenceTests {
    static let text = ##"""
        {"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8,"~1":9}
        """##

    /// RFC 6901, section 5, and ways that lead nowhere.
    @Test(
        arguments: [
            ("/foo", #"["bar","baz"]"#), ("/foo/0", "\"bar\""), ("/foo/1", "\"baz\""), ("/", "0"), ("/a~1b", "1"),
            ("/c%d", "2"), ("/e^f", "3"), ("/g|h", "4"), ("/i\\j", "5"), ("/k\"l", "6"), ("/ ", "7"), ("/m~0n", "8"),
            ("/~01", "9"), ("/foo/2", nil), ("/foo/-", nil), ("/foo/01", nil), ("/foo/+1", nil), ("/foo/", nil),
            ("/bar", nil), ("/foo/0/0", nil), ("//x", nil), ("/foo/99999999999999999999", nil),
        ] as [(String, String?)])
    func value(_ pointer: String, _ expected: String?) throws {
        var document = JSONDocument()
        try document.parse(Array(Self.text.utf8))
        let reference = try #require(JSONReference(pointer))
        let found = document.value(at: reference, from: try #require(document.root))
        #expect(found.map { String(decoding: document.raw($0), as: UTF8.self) } == expected)
    }

    @Test func wholeDocument() throws {
        var document = JSONDocument()
        try document.parse(Array("[1]".utf8))
        #expect(document.value(at: try #require(JSONReference("")), from: try #require(document.root)) == document.root)
    }

    @Test(arguments: ["a", "a/b", "#/a", "/~", "/a~", "/a~2", "/~/", " /a"]) func refused(_ text: String) {
        #expect(JSONReference(text) == nil)
    }
}
