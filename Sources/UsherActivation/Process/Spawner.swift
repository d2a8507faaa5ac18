import CLinux
import Glibc
internal import UsherSystem
internal import UsherText

/// Starts programs: the only place that does.
///
/// A program gets standard input, output and error, an empty signal mask, default signal actions, a session of its own and
/// the environment it is given; nothing else of Usher.
public enum Spawner {
    /// Starts a program and returns when it runs. A failure to execute it is reported here, not as an exit status.
    public static func start(_ request: SpawnRequest) throws(ActivationFailure) -> ChildProcess {
        let words = try ProgramWords(request)
        ChildReaper.shared.sweep()
        if let directory = request.workingDirectory { try checkDirectory(directory) }

        let input: FileDescriptor? = request.input.isEmpty ? nil : try ActivationFailure.sealed(request.input)
        var output: Pipe?
        var errors: Pipe?
        if request.captureLimit != nil {
            output = try Pipe()
            if request.errors == .apart { errors = try Pipe() }
        }
        var inputNumber: Int32 = -1
        switch input {
        case .some(let input): inputNumber = input.number
        case .none: break
        }
        let outputNumber = Pipe.writingEnd(of: output)
        let errorNumber: Int32
        switch request.errors {
        case .withOutput: errorNumber = outputNumber
        case .apart: errorNumber = Pipe.writingEnd(of: errors)
        case .discarded: errorNumber = -1
        case .drained:
            if let drain = ErrorDrain.start(for: request.arguments[0]) {
                var child = try spawn(
                    request, words, input: inputNumber, output: outputNumber, errors: drain.entry.number)
                child.errorTail = drain.tail
                child.capture(Pipe.readingEnd(of: output), nil, as: request)
                return child
            }
            errorNumber = -1
        }
        var child = try spawn(request, words, input: inputNumber, output: outputNumber, errors: errorNumber)
        child.capture(Pipe.readingEnd(of: output), Pipe.readingEnd(of: errors), as: request)
        return child
    }

    /// Starts a program on these descriptors; -1 is `/dev/null`.
    static func spawn(
        _ request: SpawnRequest, _ words: borrowing ProgramWords, input: Int32, output: Int32, errors: Int32
    ) throws(ActivationFailure) -> ChildProcess {
        var pid: Int32 = 0
        var descriptor: Int32 = -1
        let code = unsafe usher_spawn(
            &pid, &descriptor, request.program, words.arguments, words.environment, request.workingDirectory, input,
            output, errors)
        guard code == 0 else { throw .cannotStart(request.program, errno: code) }
        return ChildProcess(pid, FileDescriptor(owning: descriptor))
    }

    /// Runs a program to its end, or to its time limit (in milliseconds): then it and its session are stopped.
    public static func run(_ request: SpawnRequest, timeLimit: Int) throws(ActivationFailure) -> ProcessResult {
        let begin = MonotonicClock.now
        var child = try start(request)
        let end = child.wait(until: Deadline(inMilliseconds: timeLimit))
        if end == nil { child.stop() }
        return ProcessResult(
            end: end, milliseconds: MonotonicClock.milliseconds(since: begin), output: child.output.bytes,
            outputLength: child.output.total, errorOutput: child.errorOutput.bytes,
            errorLength: child.errorOutput.total)
    }

    /// Starts a program that serves this process: in a session of its own, with /dev/null for 0 to 2 and a connection as
    /// descriptor 3. Nothing waits for its end. 0, or the error number.
    ///
    /// - Parameter arguments: its name among them.
    public static func startServer(
        _ program: String, arguments: [String], environment: [EnvironmentVariable], connection: Int32
    ) -> Int32 {
        // What is no variable (an entry that begins with "=") is not handed on, nor what would end a server that serves others
        // with the handler that needed it first.
        let request = SpawnRequest(
            program: program, arguments: arguments,
            environment: environment.filter { !$0.name.isEmpty && !$0.name.hasSameBytes(as: UsherVariables.run) })
        guard let words = try? ProgramWords(request) else { return EINVAL }
        return unsafe usher_spawn_server(program, words.arguments, words.environment, connection)
    }

    static func checkDirectory(_ directory: String) throws(ActivationFailure) {
        if directory.utf8.contains(0) { throw .holdsNUL("the working directory") }
        // The child reports a missing directory as it reports a missing program.
        guard unsafe usher_check_directory(directory) == 0 else { throw .noDirectory(directory, errno: errno) }
    }
}

/// What a program writes, and this process reads.
struct Pipe: ~Copyable {
    /// Does not block.
    let reading: FileDescriptor
    let writing: FileDescriptor

    init() throws(ActivationFailure) {
        var ends: [Int32] = [-1, -1]
        guard unsafe usher_pipe(&ends) == 0 else { throw .system("no pipe", errno: errno) }
        let first = FileDescriptor(owning: ends[0])
        writing = try ActivationFailure.descriptorAboveStandard(FileDescriptor(owning: ends[1]))
        reading = first
    }

    /// The other end is closed.
    consuming func takeReadingEnd() -> FileDescriptor { reading }

    static func readingEnd(of pipe: consuming Pipe?) -> FileDescriptor? {
        switch consume pipe {
        case .some(let pipe): pipe.takeReadingEnd()
        case .none: nil
        }
    }

    static func writingEnd(of pipe: borrowing Pipe?) -> Int32 {
        switch pipe {
        case .some(let pipe): pipe.writing.number
        case .none: -1
        }
    }
}

/// What became of a program that was run to its end.
public struct ProcessResult: Sendable {
    /// nil when it was stopped at its time limit.
    public var end: ProcessEnd?
    public var milliseconds: Int
    /// What was kept of its standard output, and of its standard error where both are captured together.
    public var output: [UInt8]
    /// How much of that it wrote in all.
    public var outputLength: Int
    /// The last bytes of its standard error, where that is captured apart.
    public var errorOutput: [UInt8]
    public var errorLength: Int
}

// MARK: - Foreground

extension Spawner {
    /// Runs a program to its end where this process is: with its terminal, its standard streams, in its process group.
    ///
    /// As for system(3), Control-C and Control-\ are the program's meanwhile: this process ignores them.
    ///
    /// Where the request has input, that is its standard input; where it has a limit for captures, the first bytes of its
    /// standard output are captured. Standard error stays the terminal, which fzf, for example, draws on. The working
    /// directory is that of this process.
    public static func runInForeground(
        _ request: SpawnRequest
    ) throws(ActivationFailure) -> (end: ProcessEnd, output: [UInt8]) {
        let words = try ProgramWords(request)
        let input: FileDescriptor? = request.input.isEmpty ? nil : try ActivationFailure.sealed(request.input)
        let output: FileDescriptor? = request.captureLimit == nil ? nil : try ActivationFailure.memory()
        func check(_ code: Int32) throws(ActivationFailure) {
            if code != 0 { throw .cannotStart(request.program, errno: code) }
        }
        var actions = unsafe posix_spawn_file_actions_t()
        try check(unsafe posix_spawn_file_actions_init(&actions))
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        switch input {
        case .some(let input): try check(unsafe posix_spawn_file_actions_adddup2(&actions, input.number, STDIN_FILENO))
        case .none: break
        }
        switch output {
        case .some(let output):
            try check(unsafe posix_spawn_file_actions_adddup2(&actions, output.number, STDOUT_FILENO))
        case .none: break
        }

        var attributes = posix_spawnattr_t()
        try check(unsafe posix_spawnattr_init(&attributes))
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        try check(unsafe posix_spawnattr_setsigmask(&attributes, &signals))
        for number in [SIGINT, SIGQUIT, SIGPIPE] { unsafe sigaddset(&signals, number) }
        try check(unsafe posix_spawnattr_setsigdefault(&attributes, &signals))
        try check(
            unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)))

        let interrupt = signal(SIGINT, SIG_IGN)
        let quit = signal(SIGQUIT, SIG_IGN)
        defer {
            signal(SIGINT, interrupt)
            signal(SIGQUIT, quit)
        }
        var pid: pid_t = 0
        try check(
            unsafe posix_spawn(&pid, request.program, &actions, &attributes, words.arguments, words.environment))
        var status: Int32 = 0
        while unsafe waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else { throw .system("\(request.program) cannot be waited for", errno: errno) }
        }
        let number = status & 0x7F
        let end: ProcessEnd = number == 0 ? .exited((status >> 8) & 0xFF) : .signalled(number)
        switch output {
        case .some(let output): return (end, output.contents(limit: request.captureLimit ?? 0))
        case .none: return (end, [])
        }
    }
}

/// A program to be started. `start` gives it this and nothing of Usher's own; `runInForeground` also leaves it the working
/// directory and the standard streams that the request does not replace.
public struct SpawnRequest: Sendable {
    /// The file to run.
    public var program: String
    /// `argv`, the name it is called by included.
    public var arguments: [String]
    public var environment: [EnvironmentVariable]
    public var workingDirectory: String?
    /// What it reads on standard input. Where this is empty, that is `/dev/null`, or of a program in the foreground the
    /// terminal.
    public var input: [UInt8]
    /// How many bytes of its standard output are kept; nil where it is not captured.
    public var captureLimit: Int?
    /// Whether the last bytes are kept; else the first.
    public var keepsLast = false
    /// Where its standard error goes.
    public var errors = ErrorOutput.withOutput
    /// One of the environment; see `mark(_:)`.
    private(set) var mark: EnvironmentVariable?

    public enum ErrorOutput: Sendable {
        /// Into the output, in the order written.
        case withOutput
        /// Captured by itself: the last bytes of it.
        case apart
        /// Read by another process to its end, whatever becomes of this one. The last bytes are kept while the `ChildProcess`
        /// is there.
        case drained
        case discarded
    }

    /// How many bytes are kept of standard error that is captured apart or drained.
    static let keptErrors = 4096

    public init(
        program: String, arguments: [String], environment: [EnvironmentVariable] = [], workingDirectory: String? = nil,
        input: [UInt8] = [], captureLimit: Int? = nil
    ) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.workingDirectory = workingDirectory
        self.input = input
        self.captureLimit = captureLimit
    }

    /// Gives the program an activation token, by both names: programs look for the one or the other.
    mutating func give(token: String?) {
        guard let token else { return }
        for name in ["DESKTOP_STARTUP_ID", "XDG_ACTIVATION_TOKEN"] {
            environment.append(EnvironmentVariable(name, token))
        }
    }

    /// Marks what it starts, with a value of its own: what is marked ends with it where it is stopped, whatever session that
    /// is in.
    mutating func mark(_ name: String) {
        let variable = EnvironmentVariable(name, UUIDv7.next())
        environment.append(variable)
        mark = variable
    }

    /// Refuses what no program can be given.
    func validate() throws(ActivationFailure) { _ = try ProgramWords(self) }
}

/// A name and a value of a program's environment.
public struct EnvironmentVariable: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    var text: String { "\(name)=\(value)" }
}

extension MonotonicClock {
    /// How long ago a time was.
    static func milliseconds(since begin: MonotonicInstant) -> Int { Int((now - begin).milliseconds) }
}

/// The arguments and the environment of a program as execve(2) takes them. Owns their memory, and lends it as long as it
/// lives.
@safe struct ProgramWords: ~Copyable {
    /// The longest string that Linux passes to a program, in bytes, less its NUL (MAX_ARG_STRLEN).
    static let maximumLength = 128 * 1024 - 1

    private let bytes: UnsafeMutablePointer<CChar>
    /// Null-terminated, and followed by those of the environment.
    let arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    let environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    /// Refuses what no program can be given.
    init(_ request: SpawnRequest) throws(ActivationFailure) {
        let (words, variables) = (request.arguments, request.environment)
        let size = variables.reduce(words.reduce(0) { $0 + $1.utf8.count + 1 }) {
            $0 + $1.name.utf8.count + $1.value.utf8.count + 2
        }
        unsafe bytes = .allocate(capacity: size)
        unsafe arguments = .allocate(capacity: words.count + variables.count + 2)
        unsafe environment = arguments + words.count + 1
        guard !words.isEmpty else { throw .emptyCommand }
        var end = unsafe bytes
        for (place, word) in words.enumerated() {
            unsafe arguments[place] = end
            unsafe Self.append(word, to: &end)
            try unsafe Self.endWord(arguments[place], &end, "argument \(place)")
        }
        unsafe arguments[words.count] = nil
        for (place, variable) in variables.enumerated() {
            unsafe environment[place] = end
            unsafe Self.append(variable.name, to: &end)
            let length = variable.name.utf8.count
            guard length > 0, unsafe memchr(end - length, 0, length) == nil,
                unsafe memchr(end - length, Int32(UInt8(ascii: "=")), length) == nil
            else { throw .badVariable(variable.name) }
            unsafe Self.append("=", to: &end)
            unsafe Self.append(variable.value, to: &end)
            try unsafe Self.endWord(environment[place], &end, "the environment variable \(variable.name)")
        }
        unsafe environment[variables.count] = nil
    }

    deinit {
        unsafe bytes.deallocate()
        unsafe arguments.deallocate()
    }

    private static func append(_ text: String, to end: inout UnsafeMutablePointer<CChar>) {
        let span = text.utf8Span.span
        unsafe span.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress { unsafe memcpy(end, base, bytes.count) }
        }
        unsafe end += span.count
    }

    private static func endWord(
        _ start: UnsafeMutablePointer<CChar>?, _ end: inout UnsafeMutablePointer<CChar>,
        _ what: @autoclosure () -> String
    ) throws(ActivationFailure) {
        guard let start = unsafe start else { return }
        let length = unsafe end - start
        if unsafe memchr(start, 0, length) != nil { throw .holdsNUL(what()) }
        if length > maximumLength { throw .stringTooLong(what(), bytes: length) }
        unsafe end.pointee = 0
        unsafe end += 1
    }
}
