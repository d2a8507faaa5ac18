/// The digest by which the text of a note at the start of an edit is recognised later: `sha256:` and 64 digits.
public enum NoteDigest {
    public static func text(of text: String) -> String { FileDigest.text(of: text) }
}
