/// What the program's exit status says.
enum ExitStatus: Int32, Sendable {
    /// Everything was handled.
    case handled = 0
    /// At least one record has an error; `check` has a finding; there is no window for the target.
    case finding = 1
    /// The command line, the configuration or the store cannot be used: nothing was done.
    case usage = 2
    /// SIGINT or SIGTERM: what was in hand is finished. As a shell reports it.
    case interrupted = 130
}
