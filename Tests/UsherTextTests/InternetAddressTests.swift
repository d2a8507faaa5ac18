import Foundation
import Testing
import UsherText

@Suite struct InternetAddressTests {
    static let texts: [(String, String)] = [
        ("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
        ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("2001:DB8::1", "2001:db8::1"),
        ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
        ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("0:0:0:0:0:0:0:0", "::"), ("fe80::0001", "fe80::1"),
        ("::ffff:192.0.2.1", "192.0.2.1"), ("::ffff:c000:201", "192.0.2.1"), ("::192.0.2.1", "::c000:201"),
        ("64:ff9b::192.0.2.1", "64:ff9b::c000:201"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
    ]

    @Test(arguments: texts) func isWrittenInOneWay(_ text: String, _ expected: String) {
        #expect(InternetAddress(text)?.description == expected)
    }

    @Test(arguments: [
        "", "1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.+4", "1.2.3.", " 1.2.3.4", "1.2.3.4 ",
        "0x7f.0.0.1",
        "localhost", ":", ":::", "1:::2", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::", "g::", "+1::",
        ":1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:", "::1.2.3", "1.2.3.4::", "::1.2.3.4:5", "[::1]", "fe80::1%eth0", "::1/128",
        "1:2:3:4:5:6:7:8::", "é::",
    ])
    func isNone(_ text: String) { #expect(InternetAddress(text)?.description == nil) }

    /// The system's own reader is asked about the same texts, and about random ones.
    @Test func agreesWithTheSystem() {
        var random = SystemRandomNumberGenerator()
        let letters = Array("0123456789af:.:.::")
        var texts = Self.texts.map(\.0)
        for _ in 0..<20_000 {
            texts.append(
                String(
                    (0..<Int.random(in: 1...14, using: &random)).map { _ in letters.randomElement(using: &random) ?? ":"
                    }))
        }
        for text in texts {
            var four = in_addr()
            var six = in6_addr()
            let isOne = inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1
            #expect((InternetAddress(text) != nil) == isOne, "\(text)")
        }
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::1", "::/64"),
    ])
    func clientNetwork(_ text: String, _ expected: String) {
        #expect(InternetAddress(text)?.clientNetwork == expected)
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.1.2.3", "10.1.2.3", true),
        ("10.1.2.3", "10.1.2.4", false), ("10.1.2.3/8", "10.9.9.9", true), ("192.0.2.128/25", "192.0.2.127", false),
        ("192.0.2.128/25", "192.0.2.128", true), ("10.0.0.0/8", "::ffff:10.0.0.1", true),
        ("10.0.0.0/8", "::a00:1", false),
        ("fd00::/8", "fdff::1", true), ("fd00::/8", "fe00::1", false), ("::1", "::1", true),
        ("::1", "127.0.0.1", false),
        ("2001:db8::/33", "2001:db8:7fff::", true), ("2001:db8::/33", "2001:db8:8000::", false),
        ("::ffff:0:0/96", "1.2.3.4", true), ("0.0.0.0/0", "9.9.9.9", true), ("0.0.0.0/0", "::1", false),
    ])
    func ranges(_ range: String, _ address: String, _ expected: Bool) throws {
        let range = try #require(AddressRange(range))
        #expect(try range.contains(#require(InternetAddress(address))) == expected)
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0.0/8 ", "::/129",
        "::/1e1",
        "10.0.0/8", "example/8",
    ])
    func noRange(_ text: String) { #expect(AddressRange(text)?.description == nil) }

    @Test(arguments: [
        ("0.0.0.0/0", true), ("::/0", true), ("::ffff:0:0/96", true), ("0.0.0.0/1", false), ("::/1", false),
        ("::1", false),
    ])
    func everything(_ text: String, _ expected: Bool) { #expect(AddressRange(text)?.isEverything == expected) }
}
