extension TargetContentIdentifier {
    /// The command that takes back what was said of an identifier, for people to paste: identifiers come from outside, and
    /// a shell must not read any of one as its own (POSIX.1-2024, Shell Command Language, 2.2.2).
    ///
    /// - Parameter isPrefix: the prefix move with this very source.
    public func restoreCommand(isPrefix: Bool = false) -> String {
        let command = "usher link restore"
        // Nobody pastes more than that.
        guard text.utf8.count <= 1000 else { return command + " ID" + (isPrefix ? " --prefix" : "") }
        let isPlain = !text.isEmpty && text.utf8.allSatisfy(TargetContentIdentifier.isPlain)
        let word =
            isPlain
            ? text
            : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
        if text.utf8.first == UInt8(ascii: "-") { return command + (isPrefix ? " --prefix" : "") + " -- " + word }
        return command + " " + word + (isPrefix ? " --prefix" : "")
    }

    /// Whether a byte means nothing to a shell, wherever it stands.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_./:=@%+,".utf8.contains(byte)
        }
    }
}
