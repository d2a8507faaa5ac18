internal import UsherEngine
public import UsherOperation
internal import UsherScene
internal import UsherStore

/// What a note's text may be, and where one is in it.
public enum NoteText {
    /// Throws for a text that no note can have.
    ///
    /// - Parameter place: the member that it was given as.
    public static func check(_ text: String, at place: String = "/text") throws(ControlError) {
        let count = text.utf8.count
        guard count <= Store.Note.maximumLength else { throw tooLong(count, at: place) }
        if let offset = text.utf8.firstIndex(of: 0) {
            throw ControlError(
                .noteText, "a note's text cannot hold a NUL character", at: place,
                offset: text.utf8.distance(from: text.utf8.startIndex, to: offset),
                help: "bytes that are no text can be attached as a file")
        }
        guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
            throw ControlError(
                .noteText, "a note's text cannot be empty", at: place,
                help: "usher note delete removes a note that is not needed any more")
        }
    }

    static func tooLong(_ count: Int, at place: String = "/text") -> ControlError {
        ControlError(
            .noteText, "a note has at most \(Store.Note.maximumLength) bytes of text, not \(count)", at: place,
            help: "attach long texts as files: usher note attach NOTE PATH")
    }

    /// The line, from 1, in which a text ends to differ from the one before: where one was writing.
    static func lastChangedLine(from old: String, to new: String) -> Int {
        let (before, after) = (Array(old.utf8), Array(new.utf8))
        var same = 0
        while same < min(before.count, after.count),
            before[before.count - 1 - same] == after[after.count - 1 - same]
        {
            same += 1
        }
        let end = after.count - same
        // A line break at the very end begins no line that one was in.
        let text = after[..<end].last == 0x0A && same == 0 ? after[..<(end - 1)] : after[..<end]
        return 1 + text.count { $0 == 0x0A }
    }
}

/// The digest by which the text of a note at the start of an edit is recognised later: `sha256:` and 64 digits.
public enum NoteDigest {
    public static func text(of text: String) -> String { FileDigest.text(of: text) }
}
