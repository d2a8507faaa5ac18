internal import CLinux
internal import Glibc
internal import Synchronization

/// SIGINT and SIGTERM as a request to stop: the payload in hand is finished. A second signal ends the program at once.
package enum Interruption {
    /// From now on signals are noted instead of ending the program.
    package static func watch() {
        // No SA_RESTART: a read that waits for input has to come back.
        for number in [SIGINT, SIGTERM] { handleOnce(number, noteInterruption, flags: 0) }
    }

    package static var isRequested: Bool { interruptionIsRequested.load(ordering: .relaxed) }

    /// Children can be waited for, whatever the parent did with SIGCHLD: ignored, they vanish without a word.
    package static func expectChildren() {
        signal(SIGCHLD, SIG_DFL)
    }

    /// A reader of our output that goes away is an error of write(2), not the end of the program.
    package static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }
}

/// Signals as bytes that can be polled for. There is one such pipe in a process.
package enum SignalPipe {
    /// From now on these signals are written to the pipe instead of ending the process.
    ///
    /// - Parameter isFinal: whether a second signal ends the process, as suits a program that only waits. Then a signal stays
    ///   ignored that was ignored when the program was started (nohup, a shell's &), and is no longer blocked where it was.
    /// - Returns: the end to read from.
    package static func open(_ numbers: [Int32], isFinal: Bool) throws(SystemError) -> Int32 {
        var ends: [Int32] = [-1, -1]
        let made = unsafe ends.withUnsafeMutableBufferPointer { unsafe usher_pipe($0.baseAddress) }
        guard made == 0 else { throw .last }
        signalPipeEnd.store(ends[1], ordering: .sequentiallyConsistent)
        var unblocked = sigset_t()
        unsafe sigemptyset(&unblocked)
        for number in numbers {
            unsafe sigaddset(&unblocked, number)
            if isFinal {
                handleOnce(number, writeSignal, flags: SA_RESTART)
            } else {
                var action = sigaction()
                unsafe action.__sigaction_handler.sa_handler = writeSignal
                action.sa_flags = SA_RESTART
                unsafe sigaction(number, &action, nil)
            }
        }
        // Some parents leave signals blocked for their children; then they would wait for ever.
        if isFinal { unsafe pthread_sigmask(SIG_UNBLOCK, &unblocked, nil) }
        return ends[0]
    }

    /// The signals that came since, in order.
    package static func read(_ descriptor: Int32) -> [Int32] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        return count > 0 ? bytes.prefix(count).map(Int32.init) : []
    }
}

/// Handles a signal, the next one being final (SA_RESETHAND); one that is ignored stays so.
private func handleOnce(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void, flags: Int32) {
    var inherited = sigaction()
    unsafe sigaction(number, nil, &inherited)
    if unsafe unsafeBitCast(inherited.__sigaction_handler.sa_handler, to: Int.self) == 1 { return }
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = handler
    action.sa_flags = flags | Int32(bitPattern: UInt32(SA_RESETHAND))
    unsafe sigaction(number, &action, nil)
}

private let interruptionIsRequested = Atomic<Bool>(false)

private func noteInterruption(_: Int32) {
    interruptionIsRequested.store(true, ordering: .relaxed)
}

private let signalPipeEnd = Atomic<Int32>(-1)

// What a handler may do is little: write(2) is among it, and errno has to stay what it was.
private func writeSignal(_ number: Int32) {
    let kept = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = unsafe write(signalPipeEnd.load(ordering: .relaxed), &byte, 1)
    errno = kept
}
