import Testing
import UsherScene

@Suite struct FilePathTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        let path: String?
        var testDescription: String { id }

        init(_ id: String, _ path: String?) { (self.id, self.path) = (id, path) }
    }

    static let cases: [Case] = [
        Case("file:///a/b", "/a/b"), Case("file:/a/b", "/a/b"), Case("FILE://LocalHost/a", "/a"),
        Case("file:///a%20b/%C3%A4", "/a b/\u{E4}"), Case("file:///a%2", "/a%2"), Case("file:///a%zz", "/a%zz"),
        Case("file:///a?query#part", "/a"), Case("file:///a#part?query", "/a"), Case("file:///a%3Fb%23c", "/a?b#c"),
        Case("file:///folder/", "/folder"), Case("file:///", "/"), Case("file:////", "/"),
        Case("file://server.example/a", nil), Case("file:a", nil), Case("file://localhost", nil), Case("file:", nil),
        Case("file:///a%00b", nil), Case("/a/b", nil), Case("http://localhost/a", nil), Case("", nil),
    ]

    @Test(arguments: cases) func path(_ test: Case) {
        #expect(TargetContentIdentifier(test.id).filePath == test.path.map { Array($0.utf8) })
    }

    @Test(arguments: [
        ("/a/b", "file:///a/b"), ("/a b/%", "file:///a%20b/%25"), ("/\u{E4}?#", "file:///%C3%A4%3F%23"),
        ("/~x/a:b@c;d=e,f", "file:///~x/a:b@c;d=e,f"), ("/[x]\\\"<>", "file:///%5Bx%5D%5C%22%3C%3E"),
    ]) func identifier(_ path: String, _ id: String) {
        let made = TargetContentIdentifier(filePath: path.utf8)
        #expect(made.text == id)
        #expect(made.filePath == Array(path.utf8))
    }

    @Test func bytesThatAreNoText() {
        let path: [UInt8] = [0x2F, 0xFF, 0x61]
        let made = TargetContentIdentifier(filePath: path)
        #expect(made.text == "file:///%FFa")
        #expect(made.filePath == path)
    }

    @Test(arguments: [
        ("a:b", true), ("https://a.example/", true), ("7a3b4c11-0000-1000-8000-00805f9b34fb", true), ("42", false),
        ("a b:c", false), ("7a3b4c11-0000-1000-8000-00805f9b34f", false), ("7a3b4c1100001000800000805f9b34fb", false),
    ]) func global(_ id: String, _ isGlobal: Bool) {
        #expect(TargetContentIdentifier(id).isGlobal == isGlobal)
    }
}
