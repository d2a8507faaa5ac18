/// How often an app's pushes may interrupt: `rate` of its manifest.
public struct InterruptionRate: Sendable, Hashable {
    /// So many notifications shown, or windows brought forward.
    public var limit: Int
    /// In a time of this length, in milliseconds.
    public var milliseconds: Int

    public init(limit: Int, milliseconds: Int) {
        self.limit = limit
        self.milliseconds = milliseconds
    }

    /// For people: `5 in 1m`.
    public var words: String {
        let time =
            if milliseconds % 60_000 == 0 { "\(milliseconds / 60_000)m" } else if milliseconds % 1000 == 0 {
                "\(milliseconds / 1000)s"
            } else { "\(milliseconds)ms" }
        return "\(limit) in \(time)"
    }
}
