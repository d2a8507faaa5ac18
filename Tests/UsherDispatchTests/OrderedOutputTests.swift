import Foundation
import Testing

@testable import UsherDispatch

@Suite("Ordered output and scene lanes")
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

    @Test("work that hangs holds back no other, however much of it there is")
    func hanging() {
        let lanes = SceneLanes(limit: 200)
        let gate = DispatchSemaphore(value: 0)
        for number in 0..<150 { lanes.submit("slow \(number)") { gate.wait() } }
        let quick = DispatchSemaphore(value: 0)
        lanes.submit("quick") { quick.signal() }
        #expect(quick.wait(timeout: .now() + 5) == .success)
        for _ in 0..<150 { gate.signal() }
        lanes.drain()
    }

    @Test("a lane works in order, lanes side by side")
    func lanes() {
        let lanes = SceneLanes(limit: 4)
        let seen = Locked<[Int]>([])
        let gate = DispatchSemaphore(value: 0)
        #expect(lanes.isIdle("a"))
        for number in 0..<20 {
            lanes.submit("a") {
                if number == 0 { gate.wait() }
                seen.with { $0.append(number) }
            }
        }
        #expect(!lanes.isIdle("a"))
        lanes.submit("b") { gate.signal() }
        lanes.drain()
        #expect(seen.with { $0 } == Array(0..<20))
        #expect(lanes.isIdle("a"))
    }
}

final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    @discardableResult
    func with<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&value) } }
}
