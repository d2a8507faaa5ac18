import Testing
import UsherJSON
import UsherText

struct JSONWriterTests {
    @Test func `members come in order with their commas`() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("v", 1)
        writer.member("title", "a\"b")
        writer.nullMember("none")
        writer.member("absent", nil as String?)
        writer.member("on", true)
        writer.beginArray("list")
        writer.value(-12)
        writer.value(0.5)
        writer.value(Double.infinity)
        writer.beginObject()
        writer.endObject()
        writer.endArray()
        writer.member("raw", raw: "[1 ]".utf8)
        writer.endObject()
        #expect(
            writer.text
                == #"{"v":1,"title":"a\"b","none":null,"absent":null,"on":true,"list":[-12,0.5,null,{}],"raw":[1 ]}"#)
    }

    @Test func `pretty text has a member a line`() {
        var writer = JSONWriter(pretty: true)
        writer.beginObject()
        writer.member("a", 1)
        writer.beginArray("b")
        writer.value(2)
        writer.value("x")
        writer.endArray()
        writer.beginObject("c")
        writer.endObject()
        writer.endObject()
        #expect(
            writer.text == """
                {
                  "a": 1,
                  "b": [
                    2,
                    "x"
                  ],
                  "c": {}
                }
                """)
    }

    @Test(arguments: [
        ("\u{1B}[31m", #""\u001b[31m""#, #""\u001b[31m""#),
        ("\u{0}\u{8}\t\n\u{C}\r", #""\u0000\b\t\n\f\r""#, #""\u0000\b\t\n\f\r""#),
        (#"a"b\c"#, #""a\"b\\c""#, #""a\"b\\c""#),
        ("\u{7F}", "\"\u{7F}\"", #""\u007f""#),
        ("\u{9B}", "\"\u{9B}\"", #""\u009b""#),
        ("\u{2028}\u{202E}\u{2066}", "\"\u{2028}\u{202E}\u{2066}\"", #""\u2028\u202e\u2066""#),
        ("Grüße 😀", "\"Grüße 😀\"", "\"Grüße 😀\""),
    ])
    func `strings are escaped`(_ text: String, _ minimal: String, _ terminal: String) throws {
        for (escaping, expected) in [(JSONWriter.Escaping.minimal, minimal), (.terminal, terminal)] {
            var writer = JSONWriter(escaping: escaping)
            writer.value(text)
            #expect(writer.text.utf8.elementsEqual(expected.utf8))
            #expect(try JSONValue(parsing: writer.bytes) == .string(text))
        }
    }

    @Test(arguments: [Int64.min, -1, 0, 7, 10, .max])
    func `integers are exact`(_ value: Int64) {
        var writer = JSONWriter()
        writer.value(value)
        #expect(writer.text == String(value))
    }

    @Test func `a writer is used again`() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("left open")
        writer.reset()
        writer.value(1)
        #expect(writer.text == "1")
    }

    @Test func `text is looked at to its last byte`() {
        for count in 1...24 {
            for place in 0..<count {
                for byte in ["\u{1F}", "\"", "\\", "\u{7F}", "ü"] {
                    let text =
                        String(repeating: "a", count: place) + byte + String(repeating: "b", count: count - place)
                    var writer = JSONWriter()
                    writer.value(text)
                    var alone = JSONWriter()
                    alone.value(byte)
                    let escaped = alone.text.dropFirst().dropLast()
                    #expect(writer.text == "\"" + text.prefix(place) + escaped + text.suffix(count - place) + "\"")
                }
            }
        }
    }

    @Test(
        arguments: ["", "plain", "a\"b", "\u{1B}[31m", "Grüße", "\u{7F}", "\u{202E}"],
        [.terminal, .minimal] as [JSONWriter.Escaping])
    func `members in one piece are what they are one by one`(_ text: String, _ escaping: JSONWriter.Escaping) {
        var piece = JSONWriter(escaping: escaping)
        piece.beginObject()
        piece.member("first", 1)
        piece.members(room: 64 + JSONWriter.room(for: text)) { json in
            json.append("\"a\":")
            json.appendJSON(text, escaping)
            json.append(",\"b\":")
            json.appendJSON(nil as String?, escaping)
            json.append(",\"c\":")
            json.appendJSON(-2 as Int64?)
            json.append(",\"d\":")
            json.appendJSON(nil as Int64?)
        }
        piece.member("last", true)
        piece.endObject()
        var single = JSONWriter(escaping: escaping)
        single.beginObject()
        single.member("first", 1)
        single.member("a", text)
        single.member("b", nil as String?)
        single.member("c", -2)
        single.member("d", nil as Int64?)
        single.member("last", true)
        single.endObject()
        #expect(piece.text.utf8.elementsEqual(single.text.utf8))
    }

    @Test func `a writer goes on behind what is there`() {
        var bytes = Array("[1]\n".utf8)
        JSONWriter.append(to: &bytes) { json in
            json.beginArray()
            json.value(2)
            json.endArray()
        }
        #expect(String(decoding: bytes, as: UTF8.self) == "[1]\n[2]")
    }

    @Test func `lines follow each other without commas`() {
        var writer = JSONWriter()
        for number in 1...2 {
            writer.beginObject()
            writer.beginArray("list")
            writer.beginArray()
            writer.endArray()
            writer.value(number)
            writer.endArray()
            writer.member("n", number)
            writer.endObject()
            writer.newline()
        }
        #expect(writer.text == "{\"list\":[[],1],\"n\":1}\n{\"list\":[[],2],\"n\":2}\n")
    }
}
