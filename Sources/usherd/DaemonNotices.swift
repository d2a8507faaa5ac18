internal import UsherHTTP
internal import UsherJSON
internal import UsherLog
internal import UsherSystem
internal import UsherText

/// What the daemon writes to standard error besides its log: the ready lines, one JSON object each.
enum DaemonNotices {
    /// `{"event":"listening","endpoint":…,"address":…,"port":…,"time":…,"level":"notice"}`.
    static func listening(_ endpoint: String, on address: HTTPServer.Endpoint) {
        var json = JSONWriter()
        json.beginObject()
        json.member("event", "listening")
        json.member("endpoint", endpoint)
        switch address {
        case .internet(let host, let port):
            json.member("address", host)
            json.member("port", Int(port))
        case .local(let path): json.member("address", path)
        case .inherited(let descriptor): json.member("address", "descriptor \(descriptor)")
        }
        json.member("time", Instant.now.text)
        json.member("level", "notice")
        json.endObject()
        json.newline()
        _ = FileOutput.write(json.bytes, to: 2)
    }

    static func failure(_ failure: DaemonFailure) {
        var text = "usherd: \(Printable.escaped(failure.message))\n"
        if let help = failure.help { text += "help: \(Printable.escaped(help))\n" }
        _ = FileOutput.write(Array(text.utf8), to: 2)
    }
}

extension Logger {
    /// What happens in the server, for operators.
    func log(serverEvent event: HTTPServerEvent) {
        switch event {
        case .certificateReloaded(let listener):
            log(.certificateChanged, ["listener": .text(listener)])
        case .certificateFailed(let listener, let message):
            log(
                .certificateRefused,
                ["listener": .text(listener), "error.message": .text(message)])
        case .inheritedConnectionClosed, .noConnections: break
        case .full(let connections):
            log(.connectionsFull, ["connections": .number(Int64(connections))])
        case .acceptFailed(let listener, let message):
            log(.connectionNotTaken, ["listener": .text(listener), "error.message": .text(message)])
        case .strangerRefused(let listener, let user):
            log(.userRefused, ["listener": .text(listener), "user": .number(Int64(user))])
        case .drainIncomplete(let connections):
            log(.drainIncomplete, ["connections": .number(Int64(connections))])
        }
    }
}
