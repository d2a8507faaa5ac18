import Foundation
import Testing
import UsherText

@Suite struct Base64Tests {
    /// RFC 4648, section 10, and the letters in which the alphabets differ.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"), ("~~?", "fn4/"), ("~~>", "fn4+"),
    ])
    func text(_ plain: String, _ encoded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(plain.utf8))
        let url = encoded.replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
        #expect(Base64.encode(Array(plain.utf8), .url) == url)
        #expect(Base64.decode(url, .url) == Array(plain.utf8))
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Zm8", "Zm 8=", "Zm8=\n", "=Zm8", "Zm9v=", "Zm9v====", "fn4-",
        "fn4_",
        "Zg==Zg==", "é===", "====", "=",
    ])
    func refused(_ text: String) { #expect(Base64.decode(text) == nil) }

    @Test(arguments: ["fn4/", "fn4+", "Zg=", "Zh"]) func refusedForURLs(_ text: String) {
        #expect(Base64.decode(text, .url) == nil)
    }

    @Test func paddingMayBeLeftOut() {
        #expect(Base64.decode("Zg", requiresPadding: false) == [0x66])
        #expect(Base64.decode("Zg==", .url) == [0x66])
        #expect(Base64.decode("Zg", .url, requiresPadding: true) == nil)
    }

    @Test func asFoundationSays() {
        for length in 0..<100 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255) }
            let judged = Data(bytes).base64EncodedString()
            #expect(Base64.encode(bytes) == judged)
            #expect(Base64.decode(judged) == bytes)
        }
    }
}

@Suite struct HexadecimalTests {
    @Test func everyByte() {
        let bytes = (0...255).map { UInt8($0) }
        let text = bytes.map { String(format: "%02x", $0) }.joined()
        #expect(Hexadecimal.encode(bytes) == text)
        #expect(Hexadecimal.decode(text) == bytes)
        #expect(Hexadecimal.decode(text.uppercased()) == bytes)
    }

    @Test(arguments: ["0", "0g", "0 ", " 00", "0x00", "00\n", "é0"]) func refused(_ text: String) {
        #expect(Hexadecimal.decode(text) == nil)
    }
}
