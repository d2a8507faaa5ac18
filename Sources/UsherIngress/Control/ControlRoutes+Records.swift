internal import UsherHTTP
internal import UsherJSON
internal import UsherOperation

extension ControlRoutes {
    /// Decision records as Server-Sent Events (WHATWG HTML, 9.2): `event: record`, the delivery's id, the record.
    ///
    /// A client that comes back names the last id it saw (`Last-Event-ID`, or `since`) and is first given what followed.
    func stream(_ request: HTTPRequest, _ responder: any HTTPResponder, since parameter: String?) {
        let stream = responder.stream(
            HTTPResponse(
                200,
                fields: HTTPFields([
                    .init("Content-Type", "text/event-stream"), .init("Cache-Control", "no-store"),
                ])))
        let last = request.fields["Last-Event-ID"] ?? parameter
        // The subscription ends when nothing can be sent any more.
        _ = service.subscribe(
            since: last.flatMap { $0.isEmpty ? nil : $0 },
            RecordBroadcast.Receiver(
                receive: { stream.send(ControlRoutes.event($0)) }, beat: { stream.send(Array(":\n\n".utf8)) },
                unsentBytes: { stream.unsentBytes }, end: { stream.close() })
        ) { error in
            // An event source would not come back after an error: it is told, and goes on with what is new.
            let comment = error.map { ControlRoutes.comment($0.message) } ?? ControlRoutes.comment("usherd")
            stream.send(comment)
        }
    }

    static func event(_ event: RecordBroadcast.Event) -> [UInt8] {
        var bytes = Array("event: record\nid: \(event.id)\ndata: ".utf8)
        bytes += event.json
        bytes += [0x0A, 0x0A]
        return bytes
    }

    private static func comment(_ text: String) -> [UInt8] {
        let line = text.unicodeScalars.map { $0.value < 0x20 ? "\u{FFFD}" : String($0) }.joined()
        return Array(": \(line)\n\n".utf8)
    }
}
