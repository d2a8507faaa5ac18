/// The version of both programs.
public enum UsherVersion {
    public static let text = "0.5.0"
}
