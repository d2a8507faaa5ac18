internal import Dispatch
internal import Glibc
internal import Synchronization
internal import UsherLog
internal import UsherSystem

/// Writes records in input order, though they are finished in any order; holds back at most `capacity` of them.
///
/// Whoever hands over the record that all wait for writes out everything that follows; nothing is locked meanwhile, so
/// that a reader that stops reading holds back one thread, and the others only once `capacity` records wait.
final class OrderedOutput: Sendable {
    private struct State {
        var next = 1
        var waiting: [Int: [UInt8]] = [:]
        var buffer: [UInt8] = []
        /// The buffer of the write before, empty.
        var spare: [UInt8] = []
        /// How many reserved places the buffer answers.
        var places = 0
        /// Somebody writes, and will look again before he goes.
        var isWriting = false
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
        let isDue = state.withLock { state in
            if state.next != place {
                state.waiting[place] = record
                return false
            }
            state.buffer.append(contentsOf: record)
            state.next += 1
            state.places += 1
            while let following = state.waiting.removeValue(forKey: state.next) {
                state.buffer.append(contentsOf: following)
                state.next += 1
                state.places += 1
            }
            return true
        }
        if isDue { flush(above: bufferSize) }
    }

    /// Writes a record that follows all before it, from a place that was not reserved.
    func append(_ body: (inout [UInt8]) -> Void) {
        let isFull = state.withLock { state in
            body(&state.buffer)
            state.next += 1
            return state.buffer.count > bufferSize
        }
        if isFull { flush(above: bufferSize) }
    }

    /// Writes out what was collected.
    func flush() { flush(above: 0) }

    private func flush(above size: Int) {
        var written: [UInt8]?
        var failure: Int32 = 0
        while true {
            let (bytes, places): ([UInt8], Int) = state.withLock { state in
                if var used = written.take() {
                    used.removeAll(keepingCapacity: true)
                    state.spare = used
                    state.isWriting = false
                    if failure != 0 { state.failure = failure }
                }
                guard !state.isWriting else { return ([], 0) }
                let places = state.places
                guard state.buffer.count > size else {
                    // Records of nothing at all answer their places too.
                    guard state.buffer.isEmpty else { return ([], 0) }
                    state.places = 0
                    return ([], places)
                }
                state.places = 0
                var bytes: [UInt8] = []
                swap(&bytes, &state.buffer)
                swap(&state.buffer, &state.spare)
                if state.failure != 0 {
                    // Nobody reads any more.
                    bytes.removeAll(keepingCapacity: true)
                    state.spare = bytes
                    return ([], places)
                }
                state.isWriting = true
                return (bytes, places)
            }
            if !bytes.isEmpty {
                if !FileOutput.write(bytes, to: descriptor) { failure = errno }
                written = bytes
            }
            for _ in 0..<places { self.places.signal() }
            if written == nil { return }
        }
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
