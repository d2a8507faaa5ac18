import Glibc
internal import UsherSystem

/// A control-mode client that only listens (tmux(1), "CONTROL MODE").
///
/// It reads and changes nothing, has no size of its own, gets no output of programs, and nobody looks at it: `TmuxWorld`
/// leaves such clients out. It does count as attached: sessions say so, and `destroy-unattached` spares the one it is in.
/// The session keeps the environment that people's terminals gave it (`-E`): ours may lack their agent and their display.
struct TmuxListener: ~Copyable {
    enum Heard: Sendable {
        case nothing
        /// Only a name has changed.
        case slight
        case change
    }

    /// No notification is longer that matters; the rest of such a line is dropped.
    private static let longestLine = 64 * 1024

    private let program: PipedProgram
    private var line: [UInt8] = []
    /// The client has ended, and mostly its server.
    private(set) var hasEnded = false

    init(_ client: TmuxClient) throws(ActivationFailure) {
        guard let program = client.locator.locate("tmux") else {
            throw .windowSystem("tmux", "the program is not installed")
        }
        self.program = try PipedProgram(
            SpawnRequest(
                program: program,
                arguments: ["tmux", "-u"] + client.options + [
                    "-C", "attach-session", "-E", "-f", "read-only,ignore-size,no-output",
                ], environment: client.environment))
    }

    /// Waits for notifications; nothing at the deadline, at the end, and when `end` can be read.
    mutating func listen(until deadline: Deadline?, or end: Int32) -> Heard {
        while !hasEnded {
            var polled = [
                pollfd(fd: program.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: end, events: Int16(POLLIN), revents: 0),
            ]
            let count = unsafe poll(&polled, nfds_t(polled.count), deadline?.remainingMilliseconds ?? -1)
            if count < 0, errno != EINTR { hasEnded = true }
            if polled[1].revents != 0 { return .nothing }
            if count == 0, let deadline, deadline.isOver { return .nothing }
            guard count > 0 else { continue }
            let heard = read()
            if case .nothing = heard { continue }
            return heard
        }
        return .nothing
    }

    private mutating func read() -> Heard {
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else {
            if count == 0 || (errno != EAGAIN && errno != EINTR) { hasEnded = true }
            return .nothing
        }
        var heard = Heard.nothing
        for byte in buffer[..<count] {
            guard byte == 0x0A else {
                if line.count < Self.longestLine { line.append(byte) }
                continue
            }
            switch (Self.meaning(of: line), heard) {
            case (.change, _), (_, .change): heard = .change
            case (.slight, _), (_, .slight): heard = .slight
            case (.nothing, .nothing): break
            }
            line.removeAll(keepingCapacity: true)
        }
        return heard
    }

    private var descriptor: Int32 { program.descriptor }

    private static func meaning(of line: [UInt8]) -> Heard {
        let word = String(decoding: line.prefix { $0 != 0x20 }, as: UTF8.self)
        switch word {
        // A client is told this first: it is attached.
        case "%session-changed": return .change
        case "%window-add", "%window-close", "%unlinked-window-add", "%unlinked-window-close", "%window-pane-changed",
            "%session-window-changed", "%client-session-changed", "%client-detached", "%sessions-changed",
            "%session-renamed", "%layout-change":
            return .change
        case "%window-renamed", "%unlinked-window-renamed": return .slight
        default: return .nothing
        }
    }
}
