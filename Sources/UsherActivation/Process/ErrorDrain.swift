internal import Glibc
internal import Synchronization
internal import UsherSystem
internal import UsherText

/// Reads what a program that goes on running writes on standard error, until it ends.
///
/// The program may outlive this process, and must then neither block on a full pipe nor get SIGPIPE. So another process reads
/// the pipe, `tee -p /dev/null`, and copies it to this one. When this process closes its copy or ends, tee(1) reads on
/// and drops everything (`-p`); it ends with the last process that has the program's standard error.
struct ErrorDrain: ~Copyable {
    /// The program's standard error.
    ///
    /// Open for reading, too: a program whose tee(1) was killed gets no SIGPIPE, and blocks only when the pipe is full.
    let entry: FileDescriptor
    /// nil where there is no thread for it.
    let tail: ErrorTail?

    /// - Parameter program: its name, for the process table.
    /// - Returns: nil where there is no suitable tee(1), or the system has no descriptor or process left.
    static func start(for program: String) -> ErrorDrain? {
        guard let tee = Self.tee else { return nil }
        do throws(ActivationFailure) {
            let copy = try Pipe()
            let pipe = try Pipe()
            // tee(1) takes a read that would block for an error.
            guard fcntl(pipe.reading.number, F_SETFL, 0) == 0 else { return nil }
            let number = unsafe open("/proc/self/fd/\(pipe.writing.number)", O_RDWR | O_CLOEXEC)
            guard number >= 0 else { return nil }
            let entry = try ActivationFailure.descriptorAboveStandard(FileDescriptor(owning: number))
            var request = SpawnRequest(program: tee.program, arguments: tee.arguments(naming: program))
            // It keeps no file system from being unmounted.
            request.workingDirectory = "/"
            try start(request, Source(pipe), copyingTo: copy.writing.number)
            return ErrorDrain(entry: entry, tail: ErrorTail(copy.takeReadingEnd()))
        } catch {
            return nil
        }
    }

    /// The end of the pipe that tee(1) reads. Kept here, so that a new one can go on.
    private final class Source: Sendable {
        let descriptor: FileDescriptor

        init(_ pipe: consuming Pipe) throws(ActivationFailure) {
            descriptor = try ActivationFailure.descriptorAboveStandard(pipe.takeReadingEnd())
        }
    }

    /// Starts tee(1), and once more whenever a signal has ended it.
    private static func start(
        _ request: SpawnRequest, _ source: Source, copyingTo output: Int32
    ) throws(ActivationFailure) {
        var child = try Spawner.spawn(
            request, ProgramWords(request), input: source.descriptor.number, output: output, errors: -1)
        child.whenKilled = { try? start(request, source, copyingTo: -1) }
    }

    private struct Tee {
        var program: String
        /// Whether it can be called by another name: a binary of several programs goes by that.
        var isNameFree: Bool

        func arguments(naming program: String) -> [String] {
            [isNameFree ? "usher: stderr of \(Printable.text(program, limit: 100))" : "tee", "-p", "/dev/null"]
        }
    }

    /// nil where there is none with `-p` (GNU's has it since 8.24, BusyBox's has not). It is tried once: a reader that does not
    /// start would leave a pipe that nothing reads.
    private static let tee: Tee? = {
        guard let program = ProgramLocator(path: nil).locate("tee") else { return nil }
        for isNameFree in [true, false] {
            let tee = Tee(program: program, isNameFree: isNameFree)
            let request = SpawnRequest(program: program, arguments: tee.arguments(naming: "no program"))
            if (try? Spawner.run(request, timeLimit: 5000))?.end == .exited(0) { return tee }
        }
        return nil
    }()
}

/// The last bytes of a pipe, which is read by a thread until this value goes.
final class ErrorTail: Sendable {
    private final class Source: Sendable {
        let pipe: FileDescriptor
        let kept = Mutex(CapturedOutput(limit: SpawnRequest.keptErrors, keepsLast: true))

        init(_ pipe: consuming FileDescriptor) { self.pipe = pipe }

        /// Reads once; false at the end.
        func read() -> Bool {
            if case .end = kept.withLock({ $0.read(from: pipe.number) }) { false } else { true }
        }
    }

    private let source: Source
    private let watch: WatchThread

    /// nil where the system gives no thread.
    init?(_ pipe: consuming FileDescriptor) {
        let source = Source(pipe)
        let watch = WatchThread(named: "launch-errors") { end in
            while let ready = Poll.readable(source.pipe.number, end.descriptor, until: nil), !ready[1], source.read() {}
        }
        guard let watch else { return nil }
        self.source = source
        self.watch = watch
    }

    /// How many bytes were read.
    var count: Int { source.kept.withLock { $0.total } }

    /// What was kept. Stops reading when the pipe is at its end, or after so many milliseconds.
    func finish(patience: Int) -> CapturedOutput {
        watch.stop()
        let deadline = Deadline(inMilliseconds: patience)
        while Poll.wait(for: source.pipe.number, until: deadline) == .ready, source.read(), !deadline.isOver {}
        return source.kept.withLock { $0 }
    }
}
