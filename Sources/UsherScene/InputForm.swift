/// How the bytes of one input are cut into payloads. The raw values are what streams call them.
public enum InputForm: String, Sendable, CaseIterable {
    /// Any number of payloads, one after another.
    case stream = "lines"
    /// The same, of which at least one must be there.
    case document
    /// One payload as `xcrun simctl push` takes it.
    case simulator
}
