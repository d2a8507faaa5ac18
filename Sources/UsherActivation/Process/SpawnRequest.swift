/// A program to be started: everything it will have, nothing inherited.
public struct SpawnRequest: Sendable {
    /// The file to run.
    public var program: String
    /// `argv`, the name it is called by included.
    public var arguments: [String]
    public var environment: [EnvironmentVariable]
    public var workingDirectory: String?
    /// What it reads on standard input; `/dev/null` where this is empty.
    public var input: [UInt8]
    /// How many bytes of its standard output and error together are kept; nil sends both to `/dev/null`.
    public var captureLimit: Int?
    /// Whether what it writes on standard error is kept among its output; else it goes to `/dev/null`.
    public var capturesErrors = true

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

    /// Refuses what no program can be given.
    func validate() throws(ActivationFailure) {
        guard !arguments.isEmpty else { throw .emptyCommand }
        for (index, argument) in arguments.enumerated() {
            try Self.check(argument, "argument \(index)")
        }
        for variable in environment {
            guard !variable.name.isEmpty, !variable.name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "=") })
            else { throw .badVariable(variable.name) }
            try Self.check(variable.text, "the environment variable \(variable.name)")
        }
    }

    private static func check(_ string: String, _ what: String) throws(ActivationFailure) {
        if string.utf8.contains(0) { throw .holdsNUL(what) }
        let count = string.utf8.count
        if count > CStrings.maximumLength { throw .stringTooLong(what, bytes: count) }
    }
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
