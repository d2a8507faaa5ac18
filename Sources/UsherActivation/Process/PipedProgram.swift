import CLinux
import Glibc
internal import UsherSystem

/// A program that runs beside us, with a pipe each way; ended with the value.
///
/// For programs that end when nobody is left to talk to them, which most that talk do.
struct PipedProgram: ~Copyable {
    /// How long it may take to end by itself, in milliseconds.
    private static let patience: Int32 = 1000

    private let pid: Int32
    private let pidfd: Int32
    /// Closed as a sign to it that nobody talks any more.
    private let input: Int32
    private let output: FileDescriptor
    /// Can be polled for what it says; does not block.
    var descriptor: Int32 { output.number }

    init(_ request: SpawnRequest) throws(ActivationFailure) {
        try request.validate()
        ChildReaper.shared.sweep()
        var answers: [Int32] = [-1, -1]
        guard unsafe usher_pipe(&answers) == 0 else { throw .system("no pipe", errno: errno) }
        let output = FileDescriptor(owning: answers[0])
        var childOutput = FileDescriptor(owning: answers[1])
        childOutput = try ActivationFailure.descriptorAboveStandard(duplicating: answers[1])
        var questions: [Int32] = [-1, -1]
        guard unsafe usher_pipe(&questions) == 0 else { throw .system("no pipe", errno: errno) }
        var childInput = FileDescriptor(owning: questions[0])
        let writing = FileDescriptor(owning: questions[1])
        childInput = try ActivationFailure.descriptorAboveStandard(duplicating: questions[0])
        let arguments = CStrings(request.arguments)
        let environment = CStrings(request.environment.map(\.text))
        var pid: Int32 = 0
        let code = unsafe usher_spawn(
            &pid, request.program, arguments.pointers.baseAddress, environment.pointers.baseAddress,
            request.workingDirectory, childInput.number, childOutput.number, -1)
        guard code == 0 else { throw .cannotStart(request.program, errno: code) }
        let pidfd = usher_pidfd_open(pid)
        guard pidfd >= 0 else {
            let problem = errno
            kill(pid, SIGKILL)
            ChildReaper.shared.adopt(pid)
            throw .cannotStart(request.program, errno: problem)
        }
        self.pid = pid
        self.pidfd = pidfd
        self.output = output
        input = fcntl(writing.number, F_DUPFD_CLOEXEC, 3)
    }

    deinit {
        if input >= 0 { close(input) }
        var ended = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
        if unsafe poll(&ended, 1, Self.patience) <= 0 {
            kill(-pid, SIGKILL)
            _ = unsafe poll(&ended, 1, Self.patience)
        }
        if usher_pidfd_reap(pidfd).kind == 0 { ChildReaper.shared.adopt(pid) }
        close(pidfd)
    }
}
