extension HTTP1Conversation {
    /// A whole answer; the connection goes on if both sides want it to.
    func answer(_ response: HTTPResponse) {
        let closes = !keepsAlive || connection.loop.isDraining
        write(response, closes: closes)
        if closes { stop(lingering: false) } else { reset() }
    }

    /// An answer before the request was read: the rest of it cannot be told from the next one, so it is the last.
    func finish(_ response: HTTPResponse) {
        write(response, closes: true)
        stop(lingering: true)
    }

    func fail(_ problem: HTTPProblem) {
        guard case .finished = state else { return finish(problem.response) }
    }

    private func write(_ response: HTTPResponse, closes: Bool) {
        let isBodiless = response.status == 204 || response.status == 304 || response.status < 200
        let date = connection.loop.date.bytes
        let persistence: ResponseText.Persistence = closes ? .close : isOld ? .keepAlive : .asUsual
        connection.write { [isHead] output in
            ResponseText.appendHead(
                of: response, framing: isBodiless ? .none : .length(response.body.count), persistence: persistence,
                date: date, to: &output)
            if !isBodiless, !isHead { output.append(contentsOf: response.body) }
        }
    }

    // MARK: Answers without an end

    func begin(_ response: HTTPResponse, _ outlet: Outlet) {
        let date = connection.loop.date.bytes
        let isChunked = !isOld
        connection.loop.keepAlive(connection)
        connection.setDeadline(after: nil)
        connection.write { output in
            ResponseText.appendHead(
                of: response, framing: isChunked ? .chunked : .none, persistence: isChunked ? .asUsual : .close,
                date: date, to: &output)
        }
        state = .streaming(outlet, isChunked: isChunked)
        if isHead || connection.loop.isDraining { return end(outlet, isChunked: isChunked) }
        send(response.body, isChunked: isChunked)
        if connection.hasInputEnded { connection.close() }
    }

    func send(_ bytes: [UInt8], isChunked: Bool) {
        connection.write { output in
            if isChunked { ResponseText.appendChunk(bytes, to: &output) } else { output.append(contentsOf: bytes) }
        }
    }

    func end(_ outlet: Outlet, isChunked: Bool) {
        outlet.peerGone()
        if isChunked, !isHead { connection.write { $0.append(contentsOf: "0\r\n\r\n".utf8) } }
        if isChunked, keepsAlive, !connection.loop.isDraining { reset() } else { stop(lingering: false) }
    }
}
