internal import Synchronization

/// What was shown in this run already, so that it is not shown twice.
final class ShownTexts: Sendable {
    private let texts = Mutex<Set<[UInt8]>>([])

    /// Whether a text is shown for the first time.
    func isNew(_ text: String) -> Bool { texts.withLock { $0.insert(Array(text.utf8)).inserted } }
}
