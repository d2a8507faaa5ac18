import Testing
import UsherJSON

struct JSONValueTests {
    @Test func `members are found by the bytes of their names`() {
        let value: JSONValue = ["a": 1, "caf\u{e9}": "x", "list": [true, nil]]
        #expect(value["a"]?.int64 == 1)
        #expect(value["caf\u{e9}"]?.string == "x")
        #expect(value["cafe\u{301}"] == nil)
        #expect(value["list"]?.elements == [true, nil])
        #expect(value["a"]?["b"] == nil)
    }

    @Test func `equality tells normal forms and orders apart`() {
        #expect(JSONValue.string("caf\u{e9}") != .string("cafe\u{301}"))
        #expect(JSONValue.number("1.0") != .number("1"))
        #expect((["a": 1, "b": 2] as JSONValue) != ["b": 2, "a": 1])
        #expect((["a": [1, ["b": nil]]] as JSONValue) == ["a": [1, ["b": nil]]])
    }

    @Test func `a tree of the greatest depth goes through and back`() throws {
        let text = String(repeating: #"{"a":["#, count: 256) + String(repeating: "]}", count: 256)
        let value = try JSONValue(parsing: Array(text.utf8))
        #expect(value.text() == text)
        #expect(try JSONValue(parsing: Array(text.utf8)) == value)
    }
}

struct JSONNameTableTests {
    @Test func `every name is found and nothing else`() {
        let names = (0..<200).map { "name-\($0)" } + ["", "aps", "spa", "é"]
        let table = JSONNameTable(names)
        for (position, name) in names.enumerated() { #expect(table.index(of: Array(name.utf8)[...]) == position) }
        for name in ["name-", "name-200", "asp", "psa", "e\u{301}"] {
            #expect(table.index(of: Array(name.utf8)[...]) == nil)
        }
    }

    @Test func `a name in a document is found however it is written and however long`() throws {
        let table = JSONNameTable(["payload", "é"])
        // As long as one of the names in the last byte of the length, with the same first, middle and last byte.
        let long = "p" + String(repeating: "l", count: 261) + "d"
        var document = JSONDocument()
        try document.parse(Array(#"{"payload":1,"p\u0061yload2":2,"\u00e9":3,"\#(long)":4,"é2":"payload"}"#.utf8))
        let root = try #require(document.root)
        let members = document.members(root)
        #expect(members.map { table.index(of: $0.key, in: document) } == [0, nil, 1, nil, nil])
        #expect(members.map { table.index(of: $0.value, in: document) } == [nil, nil, nil, nil, 0])
    }
}
