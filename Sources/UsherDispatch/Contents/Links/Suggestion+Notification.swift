internal import UsherJSON
public import UsherNotes
internal import UsherPayload
internal import UsherScene
public import UsherStore
internal import UsherSystem

extension Store.Suggestion {
    /// The suggestion as a notification of Usher's notes: passive, so that it makes no sound and waits while the desktop
    /// shows none. A click opens the note.
    public var notification: Arrival {
        let kind = matched.webHost == nil ? "document" : "page"
        let alert = JSONValue.object([
            .init("title", .string(link.title ?? "Note about this \(kind)")), .init("body", .string(firstLine)),
        ])
        let payload = JSONValue.object([
            .init(
                "aps",
                .object([
                    .init("alert", alert), .init("interruption-level", .string("passive")),
                    .init("target-content-id", .string(Store.Note.scheme + ":" + note)),
                ]))
        ])
        let input = Array(payload.text().utf8)
        var reader = PayloadReader(format: .apns)
        let reading = Result<Payload, PayloadError> { () throws(PayloadError) in try reader.read(input) }
        return Arrival(reading, input: input, source: "suggestion", started: MonotonicClock.now)
    }
}
