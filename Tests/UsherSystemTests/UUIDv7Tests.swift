import Testing
import UsherSystem
import UsherText

@Suite struct UUIDv7Tests {
    /// Always the same bits.
    struct Constant: RandomNumberGenerator {
        var value: UInt64
        mutating func next() -> UInt64 { value }
    }

    @Test func itIsTheExampleOfTheStandard() {
        // RFC 9562, appendix A.6: the time, version and variant; the counter starts in its lower half.
        var generator = UUIDv7.Generator()
        var random = Constant(value: 0x18C4_DC0C_0C07_398F)
        let text = generator.next(milliseconds: 0x017F_22E2_79B0, using: &random)
        #expect(text.hasPrefix("017f22e2-79b0-7"))
        #expect(text.hasSuffix("-98c4-dc0c0c07398f"))
        #expect(text.utf8.count == 36)
    }

    @Test(arguments: [
        ("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", true), ("017f22e2-79b0-4cc3-98c4-dc0c0c07398f", false),
        ("017f22e2-79b0-7cc3-c8c4-dc0c0c07398f", false), ("017F22E2-79B0-7CC3-98C4-DC0C0C07398F", false),
        ("017f22e2-79b0-7cc3-98c4-dc0c0c07398", false), ("017f22e2-79b0-7cc3-98c4-dc0c0c07398g", false),
        ("017f22e2079b0-7cc3-98c4-dc0c0c07398f", false), ("1", false), ("", false),
    ])
    func form(_ text: String, _ isOne: Bool) { #expect(UUIDv7.isOne(text) == isOne) }

    @Test(arguments: [
        ("017f", "017f"), ("017F22E2", "017f22e2"), ("017f22e2-", "017f22e2"), ("017f22e27", "017f22e2-7"),
        ("017f22e279b07CC3", "017f22e2-79b0-7cc3"),
        ("017F22E2-79B0-7CC3-98C4-DC0C0C07398F", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"),
        ("017f22e279b07cc398c4dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"), ("017", nil), ("", nil),
        ("0-17f", nil), ("017f-22e2", nil), ("-017f", nil), ("017f22e2--7", nil), ("017g", nil), ("017f ", nil),
        ("017f22e279b07cc398c4dc0c0c07398f0", nil), ("current", nil),
    ])
    func theBeginningOfOne(_ text: String, _ expected: String?) { #expect(UUIDv7.beginning(text) == expected) }

    @Test func boundsOfABeginning() {
        let (least, greatest) = UUIDv7.bounds(ofBeginning: "017f22e2-7")
        #expect(UUIDv7.text(of: least) == "017f22e2-7000-0000-0000-000000000000")
        #expect(UUIDv7.text(of: greatest) == "017f22e2-7fff-ffff-ffff-ffffffffffff")
    }

    @Test func bytesAndTextAreTheSame() {
        let text = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
        let bytes: [UInt8] = [
            0x01, 0x7f, 0x22, 0xe2, 0x79, 0xb0, 0x7c, 0xc3, 0x98, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f,
        ]
        #expect(UUIDv7.bytes(of: text) == bytes)
        #expect(UUIDv7.text(of: bytes) == text)
        for _ in 0..<100 {
            let made = UUIDv7.next()
            #expect(UUIDv7.bytes(of: made).flatMap { UUIDv7.text(of: $0) } == made)
        }
    }

    @Test(arguments: ["", "1", "017F22E2-79B0-7CC3-98C4-DC0C0C07398F", "017f22e2-79b0-4cc3-98c4-dc0c0c07398f"])
    func otherTextsHaveNoBytes(_ text: String) { #expect(UUIDv7.bytes(of: text) == nil) }

    @Test(arguments: [0, 1, 15, 17, 32]) func otherBytesAreNoIdentifier(_ count: Int) {
        #expect(UUIDv7.text(of: [UInt8](repeating: 7, count: count)) == nil)
    }

    @Test func oursHaveIt() { #expect((0..<100).allSatisfy { _ in UUIDv7.isOne(UUIDv7.next()) }) }

    @Test func eachIsGreaterThanTheOneBefore() {
        var last = ""
        for _ in 0..<20_000 {
            let next = UUIDv7.next()
            #expect(last < next)
            last = next
        }
    }

    @Test func theClockMayStandStillOrGoBack() {
        var generator = UUIDv7.Generator()
        var random = SystemRandomNumberGenerator()
        var last = generator.next(milliseconds: 1000, using: &random)
        for round in 0..<10_000 {
            let next = generator.next(milliseconds: round % 2 == 0 ? 1000 : 10, using: &random)
            #expect(last < next)
            last = next
        }
    }

    @Test func threadsNeverGetTheSameOne() async {
        let all = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<4 { group.addTask { (0..<2000).map { _ in UUIDv7.next() } } }
            return await group.reduce(into: Set<String>()) { $0.formUnion($1) }
        }
        #expect(all.count == 8000)
    }
}
