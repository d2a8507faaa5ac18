internal import UsherJSON
internal import UsherScene

/// The lines of an export of notes: JSON Lines, a header first, then notes, links and redirects, and an end that vouches
/// for all lines before it.
///
/// Times are microseconds since 1970. Members are never added within a version: whoever reads one knows them all.
enum ExportFormat {
    static let kind = "usher-notes"
    static let version = 1
    /// The longest line that is read.
    static let longestLine = 256 << 20
    /// Numbers that every JSON reader keeps exact.
    static let numbers = 1...(1 << 53)

    enum LineKind: String, CaseIterable {
        case note, link, redirect, end
    }
}

extension JSONWriter {
    mutating func exportHeader() {
        beginObject()
        member("kind", ExportFormat.kind)
        member("version", ExportFormat.version)
        member("usher", UsherVersion.text)
        endObject()
        newline()
    }

    mutating func exportEnd(notes: Int, links: Int, redirects: Int, digest: String) {
        beginObject()
        member("kind", ExportFormat.LineKind.end.rawValue)
        member("notes", notes)
        member("links", links)
        member("redirects", redirects)
        member("sha256", digest)
        endObject()
        newline()
    }
}
