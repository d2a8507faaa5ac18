import Testing
import UsherCrypto
import UsherText

/// Codes against the test cases of RFC 2202 and RFC 4231, and against what two senders publish.
@Suite struct MessageAuthenticatorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var id: String
        var algorithm: HashAlgorithm
        var key: [UInt8]
        var message: [UInt8]
        var code: String
        var testDescription: String { id }

        init(_ id: String, _ algorithm: HashAlgorithm, key: [UInt8], _ message: [UInt8], _ code: String) {
            self.id = id
            self.algorithm = algorithm
            self.key = key
            self.message = message
            self.code = code
        }
    }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
    private static func repeated(_ byte: UInt8, _ count: Int) -> [UInt8] { .init(repeating: byte, count: count) }
    private static let jefe = bytes("what do ya want for nothing?")
    private static let counting = (1...25).map { UInt8($0) }
    private static let longKeyFirst = bytes("Test Using Larger Than Block-Size Key - Hash Key First")

    static let cases = [
        Case(
            "rfc2202-1", .sha1, key: repeated(0x0b, 20), bytes("Hi There"), "b617318655057264e28bc0b6fb378c8ef146be00"),
        Case("rfc2202-2", .sha1, key: bytes("Jefe"), jefe, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        Case(
            "rfc2202-3", .sha1, key: repeated(0xaa, 20), repeated(0xdd, 50), "125d7342b9ac11cd91a39af48aa17b4f63f175d3"),
        Case(
            "rfc4231-1-256", .sha256, key: repeated(0x0b, 20), bytes("Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Case(
            "rfc4231-1-512", .sha512, key: repeated(0x0b, 20), bytes("Hi There"),
            "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
                + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"),
        Case(
            "rfc4231-2-256", .sha256, key: bytes("Jefe"), jefe,
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        Case(
            "rfc4231-2-512", .sha512, key: bytes("Jefe"), jefe,
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"),
        Case(
            "rfc4231-3-256", .sha256, key: repeated(0xaa, 20), repeated(0xdd, 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        Case(
            "rfc4231-4-256", .sha256, key: counting, repeated(0xcd, 50),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        Case(
            "rfc4231-6-256", .sha256, key: repeated(0xaa, 131), longKeyFirst,
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        Case(
            "empty-key-and-message", .sha256, key: [], [],
            "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
        Case(
            "github-published", .sha256, key: bytes("It's a Secret to Everybody"), bytes("Hello, World!"),
            "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"),
    ]

    @Test(arguments: cases) func code(_ one: Case) throws {
        #expect(
            try Hexadecimal.encode(MessageAuthenticator.code(one.algorithm, key: one.key, one.message)) == one.code)
    }

    @Test(arguments: cases) func codeOfPieces(_ one: Case) throws {
        let authenticator = try MessageAuthenticator(one.algorithm, key: one.key)
        for byte in one.message {
            try authenticator.update([byte])
            try authenticator.update([])
        }
        let code = try authenticator.finish()
        #expect(Hexadecimal.encode(code) == one.code)
    }

    @Test func lengths() throws {
        for algorithm in HashAlgorithm.allCases {
            #expect(try MessageAuthenticator.code(algorithm, key: [1], [2]).count == algorithm.digestLength)
        }
    }
}

@Suite struct ConstantTimeTests {
    @Test(
        arguments: [
            ([], [], true), ([1], [1], true), ([1], [2], false), ([1, 2], [1], false), ([], [0], false),
            (Array(repeating: 7, count: 100), Array(repeating: 7, count: 100), true),
        ] as [([UInt8], [UInt8], Bool)])
    func comparison(_ one: [UInt8], _ other: [UInt8], _ expected: Bool) {
        #expect(ConstantTime.areEqual(one, other) == expected)
        #expect(ConstantTime.areEqual(other, one) == expected)
    }
}
