internal import CLinux
internal import Glibc
internal import Synchronization
public import UsherOperation
internal import UsherSystem

private final class Greeting: Sendable {
    let isOver = Atomic<Bool>(false)
}

/// Starts an engine for one client, connected with it by a pair of sockets.
public enum EngineStart {
    /// What became of it.
    public enum Answer: Sendable {
        case serves(ControlClient, ControlHello)
        /// Another engine was faster: it has the state folder.
        case elsewhere
    }

    /// Starts it, and waits until it has said hello.
    ///
    /// - Parameters:
    ///   - program: for messages.
    ///   - start: starts the program with one end of the pair; 0, or an error number.
    ///   - log: called with each line that the engine logs, by the thread that receives, and whether it came before the
    ///     hello: then it is about the configuration.
    /// - Throws: why the engine does not serve, as it says itself, or `control.unreachable`.
    public static func run(
        _ program: String, start: (_ connection: Int32) -> Int32,
        log: @escaping @Sendable (_ line: [UInt8], _ isBeforeHello: Bool) -> Void
    ) throws(ControlError) -> Answer {
        var ends: [Int32] = [-1, -1]
        var failure: Int32 = 0
        if unsafe usher_socket_pair(&ends) != 0 {
            failure = errno
        } else {
            failure = start(ends[1])
            close(ends[1])
        }
        guard failure == 0 else {
            if ends[0] >= 0 { close(ends[0]) }
            throw ControlError(
                .controlUnreachable, "\(program) cannot be started: \(SystemError.text(failure))",
                help: "make install puts usher and usherd in one folder")
        }
        let greeting = Greeting()
        let client = ControlClient(over: UnixSocket(owning: ends[0]), path: program) { line in
            log(line, !greeting.isOver.load(ordering: .relaxed))
        }
        // An engine that lost the race for the lock may have ended already: its answer is there all the same.
        let request = try? client.send(Hello())
        while true {
            switch try client.receive() {
            case .elsewhere: return .elsewhere
            case .failure(_, let error): throw error
            case .result(let id, let text) where id == request:
                guard let hello = try? ControlHello(reading: text) else {
                    throw .protocolViolation("\(program) is no usherd")
                }
                greeting.isOver.store(true, ordering: .relaxed)
                return .serves(client, hello)
            case .result, .record, .suggestion, .taken, .yield, .log: continue
            }
        }
    }
}
