import Foundation
import Testing

@testable import UsherDispatch

@Suite("Ordered output")
struct OrderedOutputTests {
    @Test("records come out in the order of the input, whoever is first", arguments: 0..<5)
    func order(_: Int) throws {
        let pipe = Pipe()
        let output = OrderedOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor, capacity: 200)
        for _ in 0..<100 { output.reserve() }
        DispatchQueue.concurrentPerform(iterations: 100) { index in
            let place = (index * 37) % 100 + 1
            output.write(Array("\(place)\n".utf8), at: place)
        }
        output.drain()
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(text == (1...100).map { "\($0)\n" }.joined())
    }

    @Test("no more than its capacity are on their way")
    func capacity() {
        let output = OrderedOutput(descriptor: -1, capacity: 2)
        #expect(output.reserveIfPossible())
        #expect(output.reserveIfPossible())
        #expect(!output.reserveIfPossible())
        output.write([], at: 2)
        #expect(!output.reserveIfPossible())
        output.write([], at: 1)
        #expect(output.reserveIfPossible())
    }
}

final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    @discardableResult
    func with<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&value) } }
}
