import Testing
import UsherText

@Suite("Values by names")
struct NameMapTests {
    @Test("are told apart by the bytes of their names")
    func bytes() {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        var map = NameMap<Int>()
        map[composed] = 1
        #expect(map[decomposed] == nil)
        map[decomposed] = 2
        map[composed] = 3
        #expect(map[composed] == 3)
        #expect(map[decomposed] == 2)
        map[composed] = nil
        #expect(map[composed] == nil)
        #expect(map[decomposed] == 2)
    }
}
