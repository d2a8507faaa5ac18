import Testing
import UsherCrypto
import UsherText

/// What is no key is refused, and leaves nothing behind that the next call could report.
///
/// Signatures of every kind are judged in `UsherIngressTests`, where another program makes them.
@Suite struct PublicKeyTests {
    private static let key = (try? PublicKey.subjectPublicKeyInfo(ed25519: [UInt8](repeating: 1, count: 32))) ?? []

    static let broken: [[UInt8]] = [
        [], [0x30], [0x30, 0x00], Array(key.dropLast()), key + [0x00], Array(repeating: 0xFF, count: 100),
        Array(PublicKey.subjectPublicKeyInfo(modulus: [5], exponent: [3]).dropLast()),
    ]

    @Test(arguments: broken) func refused(_ bytes: [UInt8]) throws {
        #expect(throws: CryptoError.self) { _ = try PublicKey(subjectPublicKeyInfo: bytes) }
        let kind = try PublicKey(subjectPublicKeyInfo: Self.key).kind
        #expect(kind == .ed25519)
    }

    @Test func numbersOfTheWrongLength() {
        #expect(throws: CryptoError.keyLength(expected: 32, found: 31)) {
            try PublicKey.subjectPublicKeyInfo(
                x: [UInt8](repeating: 1, count: 31), y: [UInt8](repeating: 1, count: 32))
        }
        // A modulus whose first bit is set is a positive number all the same, and leading zeros are no part of it.
        let modulus: [UInt8] = [0, 0] + [UInt8](repeating: 0xFF, count: 256)
        let key = try? PublicKey(
            subjectPublicKeyInfo: PublicKey.subjectPublicKeyInfo(modulus: modulus, exponent: [1, 0, 1])
        ).kind
        #expect(key == .rsa(bits: 2048))
    }

    /// FIPS 180-4 and NIST's examples.
    @Test(arguments: [
        (HashAlgorithm.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            .sha512,
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
    ])
    func digests(_ algorithm: HashAlgorithm, _ expected: String) throws {
        #expect(try Hexadecimal.encode(algorithm.digest(of: [Array("a".utf8), [], Array("bc".utf8)])) == expected)
    }
}
