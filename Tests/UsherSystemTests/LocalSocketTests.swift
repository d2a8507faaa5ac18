import Glibc
import TestSupport
import Testing
import UsherSystem
import UsherText

@Suite("Local sockets")
struct LocalSocketTests {
    private let path = "/tmp/usher-socket-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"

    /// A listener whose queue holds one connection, for as long as the body takes; then its name is gone.
    private func listening(_ body: (Int32) throws -> Void) throws {
        let listener = try LocalListener.listen(at: path, queue: 0)
        defer {
            close(listener)
            unlink(path)
        }
        try body(listener)
    }

    private func isBlocking(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFL) & O_NONBLOCK == 0 }

    @Test("a full queue is an error, at once or after the time that was given")
    func full() throws {
        try listening { _ in
            let first = try LocalSocket.connect(to: path, waits: false)
            defer { close(first) }
            let begin = MonotonicClock.now
            #expect(throws: SystemError(EAGAIN)) { try LocalSocket.connect(to: path, waits: false) }
            #expect(throws: SystemError(EAGAIN)) { try LocalSocket.connect(to: path, waits: false, patience: 300) }
            #expect(MonotonicClock.now >= begin + .milliseconds(300))
        }
    }

    @Test("a place that becomes free in time is taken, by a socket that does not block")
    func freed() throws {
        try listening { listener in
            let first = try LocalSocket.connect(to: path, waits: false)
            defer { close(first) }
            ThreadWaits.whenCallerWaits { close(accept(listener, nil, nil)) }
            let second = try LocalSocket.connect(to: path, waits: false, patience: 60_000)
            defer { close(second) }
            #expect(!isBlocking(second))
        }
    }
}
