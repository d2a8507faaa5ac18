internal import UsherJSON
internal import UsherLog
internal import UsherStore
internal import UsherText

/// A note as JSON, the same for every interface (socket, HTTP, command line).
enum NoteAnswer {
    /// As in a list: without its links and attachments.
    static func summary(_ note: Store.Note, linkCount: Int) -> JSONValue {
        .object(members(note) + [.init("link_count", .number(String(linkCount)))])
    }

    /// Everything about one.
    static func whole(_ note: Store.Note, links: [JSONValue], attachments: [Store.Attachment]) -> JSONValue {
        .object(
            members(note) + [
                .init("links", .array(links)), .init("attachments", .array(attachments.map(attachment))),
            ])
    }

    /// - Parameter state: instead of the note's own: one that was deleted has none any more.
    static func members(_ note: Store.Note, state: String? = nil) -> [JSONValue.Member] {
        [
            .init("id", .string(note.id)), .init("target", .string(note.target)),
            .init("title", .string(note.title)), .init("text", .string(note.text)),
            .init("tags", .array(note.tags.map { .string($0.text) })),
            .init("state", .string(state ?? note.state.rawValue)), .init("line", .number(String(note.line))),
            .init("created", .string(Instant(microseconds: note.created).text)),
            .init("changed", .string(Instant(microseconds: note.changed).text)),
        ]
    }

    private static func attachment(_ attachment: Store.Attachment) -> JSONValue {
        .object([
            .init("path", attachment.path.map { .string($0) } ?? .null),
            .init("digest", attachment.digest.map { .string($0) } ?? .null),
            .init("size", attachment.size.map { .number(String($0)) } ?? .null),
            .init("added", .string(Instant(microseconds: attachment.added).text)),
        ])
    }
}
