internal import CLinux
internal import Glibc
internal import Synchronization

/// SIGINT and SIGTERM as something that can be polled for: a program that only waits ends without a word.
enum EndingSignals {
    /// From now on they are written to a pipe instead of ending the process; its end to read from.
    static func watch() throws(CommandFailure) -> Int32 {
        var ends: [Int32] = [-1, -1]
        let made = unsafe ends.withUnsafeMutableBufferPointer { unsafe usher_pipe($0.baseAddress) }
        guard made == 0 else { throw CommandFailure(.finding, "there is no pipe: \(SystemError.text(errno))") }
        endingSignalPipe.store(ends[1], ordering: .sequentiallyConsistent)
        var unblocked = sigset_t()
        unsafe sigemptyset(&unblocked)
        for number in [SIGINT, SIGTERM] {
            unsafe sigaddset(&unblocked, number)
            var inherited = sigaction()
            unsafe sigaction(number, nil, &inherited)
            // Whoever started us in the background (nohup, a shell's &) wants the signal ignored.
            if unsafe unsafeBitCast(inherited.__sigaction_handler.sa_handler, to: Int.self) == 1 { continue }
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = writeEndingSignal
            // The next one is final.
            action.sa_flags = SA_RESTART | Int32(bitPattern: UInt32(SA_RESETHAND))
            unsafe sigaction(number, &action, nil)
        }
        // Some parents leave signals blocked for their children; then they would wait for ever.
        unsafe pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
        return ends[0]
    }
}

private let endingSignalPipe = Atomic<Int32>(-1)

// What a handler may do is little: write(2) is among it, and errno has to stay what it was.
private func writeEndingSignal(_ number: Int32) {
    let kept = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = unsafe write(endingSignalPipe.load(ordering: .relaxed), &byte, 1)
    errno = kept
}
