import Testing
import UsherJSON

struct DecimalTests {
    @Test(arguments: [.min, -10, -1, 0, 1, 9, 10, 99, 100, 1_234_567_890, .max] as [Int64])
    func `a number is appended as it is printed`(_ number: Int64) {
        var bytes = Array("n=".utf8)
        bytes.appendDecimal(number)
        bytes.appendDecimal(number.magnitude)
        #expect(String(decoding: bytes, as: UTF8.self) == "n=\(number)\(number.magnitude)")
    }
}
