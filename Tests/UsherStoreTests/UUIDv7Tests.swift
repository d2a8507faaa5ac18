import Testing

@testable import UsherStore

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
