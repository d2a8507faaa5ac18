internal import Synchronization
internal import UsherActivation
internal import UsherSystem

/// Child processes that answer each line with one line. They are started on demand, kept for further calls, and ended
/// when this value is released.
final class RemoteChildren: Sendable {
    let program: String?
    private let arguments: [String]
    private let environment: [EnvironmentVariable]
    /// The child processes that no call uses now.
    private let idle = Mutex<[Conversation]>([])

    private static let mostIdle = 4

    init(program: String?, arguments: [String], environment: [EnvironmentVariable]) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
    }

    func ask(_ line: [UInt8], until deadline: Deadline) throws(ActivationFailure) -> [UInt8] {
        let talk: Conversation
        if let free = idle.withLock({ $0.popLast() }) { talk = free } else { talk = try started() }
        // One that fails is not asked again: what it would answer later is no answer to the next question.
        let answer = try talk.ask(line, until: deadline)
        idle.withLock { idle in
            if idle.count < Self.mostIdle { idle.append(talk) }
        }
        return answer
    }

    private func started() throws(ActivationFailure) -> Conversation {
        guard let program else {
            throw .windowSystem(
                "desktop", "windows of the desktop are asked for through usherd, which is not there",
                help: "make install puts both programs in one folder")
        }
        return try Conversation(program: program, arguments: arguments, environment: environment)
    }
}
