/// Where a program's log goes, and in which form.
public struct LogDestination: Sendable {
    public var format: LogFormat
    public var sink: any LogSink
    /// The journal was asked for and is not there.
    public var lacksJournal = false

    /// Follows what was asked for; else the journal where standard error leads there anyway, text on a terminal, and
    /// JSON elsewhere. Where the journal was asked for and there is none, JSON.
    ///
    /// - Parameters:
    ///   - requested: `--log-format` or `[log] format`.
    ///   - journalStream: the value of `JOURNAL_STREAM`.
    public init(
        requested: LogFormat?, journalStream: String?, isTerminal: Bool, journalPath: String = JournalSink.systemPath
    ) {
        let asksForJournal = requested == .journal
        if asksForJournal || requested == nil && JournalStream.isStandardError(journalStream),
            let journal = JournalSink(path: journalPath)
        {
            format = .journal
            sink = journal
        } else {
            format = asksForJournal ? .json : requested ?? (isTerminal ? .text : .json)
            sink = StandardErrorSink()
            lacksJournal = asksForJournal
        }
    }
}
