internal import Dispatch
internal import Glibc
internal import Synchronization
internal import UsherLog

/// Writes records in input order, though they are finished in any order; holds back at most `capacity` of them.
final class OrderedOutput: Sendable {
    private struct State {
        var next = 1
        var waiting: [Int: [UInt8]] = [:]
        var buffer: [UInt8] = []
        /// The errno of the write that failed; 0 while all is well.
        var failure: Int32 = 0
    }

    private let state = Mutex(State())
    private let places: DispatchSemaphore
    private let capacity: Int
    private let descriptor: Int32
    /// How many bytes are collected before they are written; 0 writes each record as soon as it can be.
    private let bufferSize: Int

    init(descriptor: Int32, capacity: Int = 256, bufferSize: Int = 0) {
        self.descriptor = descriptor
        self.capacity = capacity
        self.bufferSize = bufferSize
        // Begun with none, so that it may be given up while places are taken.
        places = DispatchSemaphore(value: 0)
        for _ in 0..<capacity { places.signal() }
    }

    /// Takes room for one more record, if there is any. Each place is answered by one `write`.
    func reserveIfPossible() -> Bool { places.wait(timeout: .now()) == .success }

    /// Waits until there is room for one more record.
    func reserve() { places.wait() }

    /// Hands over the record of a reserved place in the input, counted from 1; it is written once all before it are.
    func write(_ record: [UInt8], at place: Int) {
        let written = state.withLock { state in
            if state.next != place {
                state.waiting[place] = record
                return 0
            }
            state.buffer.append(contentsOf: record)
            state.next += 1
            var count = 1
            while let following = state.waiting.removeValue(forKey: state.next) {
                state.buffer.append(contentsOf: following)
                state.next += 1
                count += 1
            }
            flush(&state, above: bufferSize)
            return count
        }
        for _ in 0..<written { places.signal() }
    }

    /// Writes a record that follows all before it, from a place that was not reserved.
    func append(_ body: (inout [UInt8]) -> Void) {
        state.withLock { state in
            body(&state.buffer)
            state.next += 1
            flush(&state, above: bufferSize)
        }
    }

    /// Writes out what was collected.
    func flush() {
        state.withLock { flush(&$0, above: 0) }
    }

    private func flush(_ state: inout State, above size: Int) {
        guard state.buffer.count > size else { return }
        if state.failure == 0, !FileOutput.write(state.buffer, to: descriptor) { state.failure = errno }
        state.buffer.removeAll(keepingCapacity: true)
    }

    /// The errno of the write that failed (EPIPE: the reader of the records has gone); nil while all is well.
    var failure: Int32? {
        let failure = state.withLock { $0.failure }
        return failure == 0 ? nil : failure
    }

    /// Waits until every reserved place has been written.
    func drain() {
        for _ in 0..<capacity { places.wait() }
        for _ in 0..<capacity { places.signal() }
        flush()
    }
}
