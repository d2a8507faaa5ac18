import Testing
import UsherJSON

struct JSONNameTests {
    static let plain = JSONName("plain")
    static let odd = JSONName("a\"\u{1B}ü")

    /// The same object by prepared names and by names in words.
    @Test(arguments: ["", "short", "of more than eight bytes", "a\"b", "Grüße", "\u{7F}", "\u{202E}"])
    func `a prepared name writes what the name in words writes`(_ text: String) {
        var prepared = JSONWriter()
        var words = JSONWriter()
        prepared.beginObject()
        words.beginObject()
        for (name, word) in [(Self.plain, "plain"), (Self.odd, "a\"\u{1B}ü")] {
            prepared.member(name, text)
            words.member(word, text)
            prepared.member(name, nil as String?)
            words.member(word, nil as String?)
            prepared.member(name, true)
            words.member(word, true)
            prepared.member(name, -12)
            words.member(word, -12)
            prepared.member(name, nil as Int64?)
            words.member(word, nil as Int64?)
            prepared.member(name) { $0.append(contentsOf: text.utf8) }
            words.member(word, text)
            prepared.key(name)
            words.key(word)
            prepared.beginArray()
            words.beginArray()
            prepared.endArray()
            words.endArray()
        }
        prepared.endObject()
        words.endObject()
        #expect(prepared.text.utf8.elementsEqual(words.text.utf8))
    }
}
