import Glibc
internal import Synchronization
public import UsherSystem
internal import UsherText

/// A program that answers lines with lines, on its standard input and output. It ends when this value goes.
public final class Coprocess: Sendable {
    private struct State: ~Copyable {
        var child: ChildProcess
        let descriptor: FileDescriptor
        var received = ReceiveBuffer()
    }

    private let state: Mutex<State>
    private let name: String
    /// The longest answer, in bytes.
    private static let longest = 64 * 1024 * 1024

    /// Starts the program with this environment and nothing else of ours; what it writes on standard error goes nowhere.
    public init(
        program: String, arguments: [String], environment: [EnvironmentVariable]
    ) throws(ActivationFailure) {
        name = arguments.first ?? program
        let ends = try ActivationFailure.attempting("no pair of sockets", LocalSocket.pair)
        let ours = FileDescriptor(owning: ends.0)
        let theirs = try ActivationFailure.descriptorAboveStandard(FileDescriptor(owning: ends.1))
        let request = SpawnRequest(program: program, arguments: arguments, environment: environment)
        let child = try Spawner.spawn(
            request, ProgramWords(request), input: theirs.number, output: theirs.number, errors: -1)
        state = Mutex(State(child: child, descriptor: ours))
    }

    deinit {
        // The other end reads the end of its input, and ends.
        state.withLock { state in
            shutdown(state.descriptor.number, Int32(SHUT_RDWR))
            if state.child.wait(until: Deadline(inMilliseconds: 1000)) == nil { state.child.stop() }
        }
    }

    /// Sends a line and waits for the line that answers it. One question is asked at a time.
    public func ask(_ line: [UInt8], until deadline: Deadline) throws(ActivationFailure) -> [UInt8] {
        let patience = Int(deadline.remainingMilliseconds)
        let result: Result<[UInt8], ActivationFailure> = state.withLock { state in
            guard SocketOutput.send(line + [0x0A], to: state.descriptor.number, until: deadline) == .ready else {
                return .failure(.system("\(Printable.text(name)) does not answer", errno: EPIPE))
            }
            while true {
                if let answer = state.received.takeLine() { return .success(answer) }
                guard state.received.bytes.count <= Self.longest else {
                    return .failure(.system("the answer of \(Printable.text(name)) is refused", errno: EMSGSIZE))
                }
                guard let isFilled = state.received.fill(from: state.descriptor.number, until: deadline) else {
                    return .failure(.system("\(Printable.text(name)) does not answer", errno: ECONNRESET))
                }
                guard isFilled else { return .failure(.timeLimit(name, milliseconds: patience)) }
            }
        }
        return try result.get()
    }
}
