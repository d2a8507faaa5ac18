internal import Glibc
internal import Synchronization

/// SIGINT and SIGTERM as a wish to stop: the payload in hand is finished. A second signal ends the program at once.
public enum Interruption {
    /// From now on signals are noted instead of ending the program.
    public static func watch() {
        for number in [SIGINT, SIGTERM] {
            var inherited = sigaction()
            unsafe sigaction(number, nil, &inherited)
            // Whoever started us in the background (nohup, a shell's &) wants the signal ignored.
            if isIgnored(inherited) { continue }
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = noteInterruption
            // No SA_RESTART: a read that waits for input has to come back. SA_RESETHAND: the next signal is final.
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
            unsafe sigaction(number, &action, nil)
        }
    }

    public static var isRequested: Bool { interruptionIsRequested.load(ordering: .relaxed) }

    private static func isIgnored(_ action: sigaction) -> Bool {
        unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    /// Children can be waited for, whatever the parent did with SIGCHLD: ignored, they vanish without a word.
    public static func expectChildren() {
        signal(SIGCHLD, SIG_DFL)
    }

    /// A reader of our output that goes away is an error of write(2), not the end of the program.
    public static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }
}

private let interruptionIsRequested = Atomic<Bool>(false)

private func noteInterruption(_: Int32) {
    interruptionIsRequested.store(true, ordering: .relaxed)
}
