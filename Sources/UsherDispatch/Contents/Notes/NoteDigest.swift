/// How a text that is edited is told again: `sha256:` and 64 digits.
public enum NoteDigest {
    public static func text(of text: String) -> String { FileDigest.text(of: text) }
}
