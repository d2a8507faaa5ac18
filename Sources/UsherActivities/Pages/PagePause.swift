internal import UsherEngine
public import UsherJSON
internal import UsherSystem
public import UsherText

/// Whether pages are kept from becoming activities (`usher browser pause`), kept in the state folder.
public struct PagePause: Sendable, Hashable {
    public var isPaused: Bool
    /// When it ends by itself; nil where it does not.
    public var until: Instant?

    public init(isPaused: Bool, until: Instant? = nil) {
        self.isPaused = isPaused
        self.until = until
    }

    /// The one that applies now. A file that cannot be read counts as a pause: then nothing is recorded.
    public init(state: String) {
        self.init(isPaused: false)
        guard let bytes = FileSystem.contents(of: PagePause.path(state), limit: 4096) else { return }
        isPaused = true
        guard let text = (try? JSONValue(parsing: bytes))?["until"]?.string, let end = Instant(text: text) else {
            return
        }
        if end.microseconds <= Instant.now.microseconds { isPaused = false } else { until = end }
    }

    /// `{"paused","until"}`.
    public var json: JSONValue {
        .object([
            .init("paused", .boolean(isPaused)), .init("until", until.map { .string($0.text) } ?? .null),
        ])
    }

    /// The file that keeps it; there is none while pages are not paused.
    public static func path(_ state: String) -> String { state + "/browser-pause.json" }
}
