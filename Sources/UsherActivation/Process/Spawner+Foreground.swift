import Glibc

extension Spawner {
    /// Runs a program to its end where this process is: with its terminal, its standard streams, in its process group.
    ///
    /// As for system(3), Control-C and Control-\ are the program's meanwhile: this process ignores them.
    ///
    /// - Parameters:
    ///   - program: a file.
    ///   - arguments: `argv`, its name included.
    public static func runInForeground(
        _ program: String, arguments: [String], environment: [EnvironmentVariable]
    ) throws(ActivationFailure) -> ProcessEnd {
        let request = SpawnRequest(program: program, arguments: arguments, environment: environment)
        try request.validate()
        let argv = CStrings(request.arguments)
        let envp = CStrings(request.environment.map(\.text))

        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGINT, SIGQUIT, SIGPIPE] { unsafe sigaddset(&signals, number) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        let interrupt = signal(SIGINT, SIG_IGN)
        let quit = signal(SIGQUIT, SIG_IGN)
        defer {
            signal(SIGINT, interrupt)
            signal(SIGQUIT, quit)
        }
        var pid: pid_t = 0
        guard let words = unsafe argv.pointers.baseAddress, let variables = unsafe envp.pointers.baseAddress else {
            throw .emptyCommand
        }
        let code = unsafe posix_spawn(&pid, program, nil, &attributes, words, variables)
        guard code == 0 else { throw .cannotStart(program, errno: code) }
        var status: Int32 = 0
        while unsafe waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else { throw .system("\(program) cannot be waited for", errno: errno) }
        }
        let number = status & 0x7F
        return number == 0 ? .exited((status >> 8) & 0xFF) : .signalled(number)
    }
}
