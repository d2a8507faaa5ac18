import Testing
import UsherCrypto
import UsherText

/// Signatures against the test cases of RFC 8032, section 7.1.
@Suite struct Ed25519Tests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var seed, publicKey, message, signature: String
    }

    static let cases = [
        Case(
            testDescription: "rfc8032-1",
            seed: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", message: "",
            signature: "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
                + "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"),
        Case(
            testDescription: "rfc8032-2",
            seed: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            publicKey: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", message: "72",
            signature: "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"),
        Case(
            testDescription: "rfc8032-3",
            seed: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            publicKey: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", message: "af82",
            signature: "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
                + "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"),
    ]

    private func bytes(_ text: String) throws -> [UInt8] { try #require(Hexadecimal.decode(text)) }

    @Test(arguments: cases) func signing(_ one: Case) throws {
        let key = try Ed25519.PrivateKey(seed: bytes(one.seed))
        let publicKey = try key.publicKey()
        let signature = try key.sign(bytes(one.message))
        #expect(Hexadecimal.encode(publicKey) == one.publicKey)
        #expect(Hexadecimal.encode(signature) == one.signature)
    }

    @Test(arguments: cases) func verifying(_ one: Case) throws {
        let key = try PublicKey(ed25519: bytes(one.publicKey))
        let signature = try bytes(one.signature)
        let message = try bytes(one.message)
        var attempts = [(signature, message, true), (signature, message + [0], false)]
        attempts += [(Array(signature.dropLast()), message, false), ([], message, false)]
        for bit in [0, 255, 256, 511] {
            var changed = signature
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            attempts.append((changed, message, false))
        }
        for (signature, message, expected) in attempts {
            let isValid = key.isValid(signature, of: message)
            #expect(isValid == expected)
        }
    }

    @Test(arguments: [0, 31, 33, 64]) func keyLength(_ count: Int) {
        let expected = CryptoError.keyLength(expected: 32, found: count)
        #expect(throws: expected) { _ = try PublicKey(ed25519: [UInt8](repeating: 1, count: count)) }
        #expect(throws: expected) { _ = try Ed25519.PrivateKey(seed: [UInt8](repeating: 1, count: count)) }
    }

    @Test func randomKeys() throws {
        for length in [0, 1, 1000, 100_000] {
            func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255) } }
            let key = try Ed25519.PrivateKey(seed: random(32))
            let message = random(length)
            let judge = try PublicKey(ed25519: key.publicKey())
            let isValid = try judge.isValid(key.sign(message), of: message)
            #expect(isValid)
        }
    }
}
