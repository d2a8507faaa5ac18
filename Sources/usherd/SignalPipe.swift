internal import CLinux
internal import Glibc
internal import Synchronization

/// Signals as bytes that can be polled for: SIGHUP, SIGINT and SIGTERM.
enum SignalPipe {
    /// From now on these signals are written to the pipe instead of ending the process.
    ///
    /// - Returns: the end to read from, or -1 with errno.
    static func open() -> Int32 {
        var ends: [Int32] = [-1, -1]
        let made = unsafe ends.withUnsafeMutableBufferPointer { unsafe usher_pipe($0.baseAddress) }
        guard made == 0 else { return -1 }
        signalPipeEnd.store(ends[1], ordering: .sequentiallyConsistent)
        for number in [SIGHUP, SIGINT, SIGTERM] {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = writeSignal
            action.sa_flags = SA_RESTART
            unsafe sigaction(number, &action, nil)
        }
        return ends[0]
    }

    /// The signals that came since, in order.
    static func read(_ descriptor: Int32) -> [Int32] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        return count > 0 ? bytes.prefix(count).map(Int32.init) : []
    }
}

private let signalPipeEnd = Atomic<Int32>(-1)

// What a handler may do is little: write(2) is among it, and errno has to stay what it was.
private func writeSignal(_ number: Int32) {
    let kept = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = unsafe write(signalPipeEnd.load(ordering: .relaxed), &byte, 1)
    errno = kept
}
