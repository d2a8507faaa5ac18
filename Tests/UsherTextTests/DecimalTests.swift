import Testing
import UsherText

struct DecimalTests {
    @Test(arguments: [.min, -10, -1, 0, 1, 9, 10, 99, 100, 1_234_567_890, .max] as [Int64])
    func `a number is appended as it is printed`(_ number: Int64) {
        var bytes = Array("n=".utf8)
        bytes.append(addingCapacity: 40) { text in
            text.appendDecimal(number)
            text.appendDecimal(number.magnitude)
        }
        #expect(String(decoding: bytes, as: UTF8.self) == "n=\(number)\(number.magnitude)")
    }

    @Test func `the greatest number has twenty digits`() {
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: 20) { $0.appendDecimal(UInt64.max) }
        #expect(String(decoding: bytes, as: UTF8.self) == "\(UInt64.max)")
    }
}
