/// Says what a window's handle is good for: one life of a window server and, where the server gives numbers anew, one client.
///
/// An X server gives the numbers of a client that has ended to the next client that connects. There the text ends with the
/// process of the client: `:0/5f3a9c#4711`. Other window systems never use a handle twice in one life, and name the life alone.
public enum WindowServer {
    /// The text for a window of this client.
    public static func text(_ life: String, client: Int32?) -> String { client.map { "\(life)#\($0)" } ?? life }

    /// The life alone, without the client.
    public static func life(of text: String) -> String {
        guard let mark = mark(in: text) else { return text }
        return String(text[..<mark])
    }

    /// The process of the client, where the text names one.
    public static func client(of text: String) -> Int32? {
        mark(in: text).flatMap { Int32(text[text.index(after: $0)...]) }
    }

    /// Whether a handle of the one text can be the handle of a window of the other text: they name the same life, and not two
    /// different clients. Text that was noted without a client, as by earlier versions, goes with every client.
    public static func agree(_ one: String, _ other: String) -> Bool {
        if one.utf8.elementsEqual(other.utf8) { return true }
        guard (mark(in: one) == nil) != (mark(in: other) == nil) else { return false }
        return life(of: one).utf8.elementsEqual(life(of: other).utf8)
    }

    /// Whether the one names no client, and the other does.
    public static func isLess(_ one: String, than other: String) -> Bool {
        mark(in: one) == nil && mark(in: other) != nil
    }

    /// Whether both name the same life, whatever their clients.
    public static func isSameLife(_ one: String, _ other: String) -> Bool {
        life(of: one).utf8.elementsEqual(life(of: other).utf8)
    }

    /// Where the number of the client begins. Other window systems have paths in their texts, which may hold the sign as well.
    private static func mark(in text: String) -> String.Index? {
        let digits = text.utf8.reversed().prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.count
        guard digits > 0, digits + 1 < text.utf8.count else { return nil }
        let mark = text.utf8.index(text.utf8.endIndex, offsetBy: -digits - 1)
        return text.utf8[mark] == UInt8(ascii: "#") ? mark : nil
    }
}
