internal import UsherLog
internal import UsherText

/// What a command works with besides its arguments: environment, output, log, configuration and store.
struct Context {
    let environment: [String: String]
    /// What the desktop gave whoever called us.
    let token: String?
    /// `--config`, as it was given.
    let configurationOption: String?
    /// `--state`, as it was given.
    let stateOption: String?
    /// `--quiet`.
    let isQuiet: Bool
    /// Whether the log's level and form are the command line's own: `usher.toml` then has no say.
    let givenLogLevel: String?
    let givenLogFormat: String?
    var givesLogLevel: Bool { givenLogLevel != nil || isQuiet }
    var givesLogFormat: Bool { givenLogFormat != nil }
    /// JSON on standard output: asked for, or it is no terminal.
    let writesJSON: Bool
    /// `--json`: for commands whose answer is otherwise a bare word.
    let asksForJSON: Bool
    let output: StandardOutput
    /// Of standard output.
    let style: TerminalStyle
    let errors: ErrorOutput
    /// Diagnostics of the configuration.
    let shownDiagnostics = ShownTexts()
    let startedEngine = StartedEngine()
    /// By the options alone; `logger(by:)` knows the settings of the configuration, too.
    let logger: Logger

    init(arguments: Arguments, environment: [String: String], token: String? = nil) {
        self.token = token
        self.environment = environment
        configurationOption = arguments.value(.config)
        stateOption = arguments.value(.state)
        isQuiet = arguments.has(.quiet)
        givenLogLevel = arguments.value(.logLevel)
        givenLogFormat = arguments.value(.logFormat)
        let outputIsTerminal = ProcessEnvironment.isTerminal(1)
        let errorIsTerminal = ProcessEnvironment.isTerminal(2)
        asksForJSON = arguments.has(.json)
        writesJSON = arguments.has(.json) || !outputIsTerminal
        output = StandardOutput(descriptor: 1)
        style = Context.style(isTerminal: outputIsTerminal, environment)
        errors = ErrorOutput(style: Context.style(isTerminal: errorIsTerminal, environment), isQuiet: isQuiet)
        var logger = Logger(
            level: arguments.value(.logLevel).flatMap { LogLevel(name: $0) } ?? (isQuiet ? .error : .notice),
            style: errors.style)
        logger.direct(
            to: LogDestination(
                requested: arguments.value(.logFormat).flatMap { LogFormat(rawValue: $0) },
                journalStream: environment["JOURNAL_STREAM"], isTerminal: errorIsTerminal))
        self.logger = logger
    }

    /// Colours only on a terminal that can, and not where `NO_COLOR` (no-color.org) is set.
    static func style(isTerminal: Bool, _ environment: [String: String]) -> TerminalStyle {
        TerminalStyle(
            isColoured: isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb")
    }
}
