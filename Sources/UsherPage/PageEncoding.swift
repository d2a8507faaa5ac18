/// The encodings of pages that are read.
public enum PageEncoding: String, Sendable {
    case utf8 = "UTF-8"
    case windows1252 = "windows-1252"
    case latin2 = "ISO-8859-2"
}
