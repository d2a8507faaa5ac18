/// How the bytes of one input are cut into payloads. The raw values are what streams call them.
public enum InputForm: String, Sendable, CaseIterable {
    /// One payload a line: JSON Lines.
    case lines
    /// One payload.
    case document
    /// One payload as `xcrun simctl push` takes it.
    case simulator
}
