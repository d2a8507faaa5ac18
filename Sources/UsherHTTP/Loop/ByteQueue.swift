/// Bytes that come in at one end and go out at the other. It owns no storage while it is empty for long.
struct ByteQueue {
    private(set) var bytes: [UInt8] = []
    /// Where what is left begins.
    private(set) var start = 0

    var count: Int { bytes.count - start }
    var isEmpty: Bool { bytes.count == start }

    mutating func append(_ more: Span<UInt8>) {
        makeRoom(more.count)
        unsafe more.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Lends the array for appending.
    mutating func write(_ body: (inout [UInt8]) -> Void) {
        makeRoom(0)
        body(&bytes)
    }

    mutating func drop(_ count: Int) {
        start += count
        guard start == bytes.count else { return }
        start = 0
        bytes.removeAll(keepingCapacity: bytes.capacity <= 16 * 1024)
    }

    mutating func removeAll() {
        bytes = []
        start = 0
    }

    /// Gives the storage of an empty queue back.
    mutating func release() {
        if isEmpty, bytes.capacity > 0 { removeAll() }
    }

    private mutating func makeRoom(_ more: Int) {
        // Moving what is left costs at most what was dropped before.
        guard start > 0, start >= count else { return }
        bytes.removeSubrange(0..<start)
        start = 0
    }
}
