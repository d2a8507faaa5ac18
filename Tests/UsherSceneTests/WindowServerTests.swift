import Testing
import UsherScene

@Suite("WindowServer") struct WindowServerTests {
    @Test("a text names a life and, where the server gives numbers anew, a client")
    func parts() {
        let text = WindowServer.text(":0/5f3a", client: 4711)
        #expect(text == ":0/5f3a#4711")
        #expect(WindowServer.life(of: text) == ":0/5f3a")
        #expect(WindowServer.client(of: text) == 4711)
        #expect(WindowServer.text(":0/5f3a", client: nil) == ":0/5f3a")
    }

    @Test(
        "what other window systems say has no client",
        arguments: ["", "#", "7", "#7", "/tmp/a#b:1:2", "/tmp/#:1:2", "12.345", ":0/5f#", "/tmp/ü"])
    func others(text: String) {
        #expect(WindowServer.life(of: text) == text)
        #expect(WindowServer.client(of: text) == nil)
        #expect(WindowServer.agree(text, text))
    }

    @Test("a handle is good for one client of one life; noted without a client, for each of them")
    func agree() {
        #expect(WindowServer.agree(":0/5f#1", ":0/5f#1"))
        #expect(WindowServer.agree(":0/5f", ":0/5f#1") && WindowServer.agree(":0/5f#1", ":0/5f"))
        #expect(!WindowServer.agree(":0/5f#1", ":0/5f#2"))
        #expect(!WindowServer.agree(":0/5f#1", ":0/60#1"))
        #expect(!WindowServer.agree(":0/5f", ":0/60#1") && !WindowServer.agree(":0/5f", ":0/60"))
        #expect(WindowServer.isSameLife(":0/5f#1", ":0/5f#2") && !WindowServer.isSameLife(":0/5f#1", ":0/60#1"))
    }
}
