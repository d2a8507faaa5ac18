internal import UsherSystem

/// A client of a WebSocket on loopback (RFC 6455): text only, nothing negotiated. Every wait is bounded.
struct WebSocket: ~Copyable {
    private var socket: DevToolsSocket
    /// The process at the other end.
    let peer: PeerSocket
    /// The parts of a message that is not whole yet; nil where none has begun.
    private var parts: [UInt8]?
    /// How long a write may take.
    private static let patience = 2000

    /// - Parameter end: every wait ends once this can be read.
    init(
        _ address: DevToolsAddress, path: String, until deadline: Deadline, or end: Int32 = -1
    ) throws(DevToolsProblem) {
        var opened = try DevToolsSocket(address, until: deadline, or: end)
        let key = WebSocketKey()
        // Without an Origin: that is for pages, and browsers refuse those.
        let request =
            "GET \(path) HTTP/1.1\r\nHost: \(address)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Key: \(key.text)\r\nSec-WebSocket-Version: 13\r\n\r\n"
        try opened.send(Array(request.utf8), until: deadline)
        let head = try DevToolsHead(of: &opened, until: deadline)
        guard head.status == 101, head.has("upgrade", "websocket"),
            head.fields["sec-websocket-accept"] == key.answer
        else { throw .garbled("no WebSocket (status \(head.status))") }
        // Only after the response it is certain that a process has accepted the connection. No frame was sent before.
        peer = try PeerSocket(of: opened)
        socket = opened
    }

    func send(_ text: [UInt8]) throws(DevToolsProblem) { try send(WebSocketFrame(kind: .text, body: text)) }

    /// The next message; nil at the deadline.
    mutating func receive(until deadline: Deadline?) throws(DevToolsProblem) -> [UInt8]? {
        while true {
            while let (frame, length) = try WebSocketFrame.first(of: socket.received) {
                socket.take(length)
                if let message = try take(frame) { return message }
            }
            // A deadline that each frame moves is none.
            if let deadline, deadline.isOver { return nil }
            guard try socket.receive(until: deadline) else { return nil }
        }
    }

    /// A whole message, where this ends one.
    private mutating func take(_ frame: WebSocketFrame) throws(DevToolsProblem) -> [UInt8]? {
        switch frame.kind {
        case .ping:
            try send(WebSocketFrame(kind: .pong, body: frame.body))
            return nil
        case .pong: return nil
        case .close:
            try? send(WebSocketFrame(kind: .close, body: Array(frame.body.prefix(2))))
            throw .ended
        case .binary: throw .garbled("a message that is no text")
        case .text:
            guard parts == nil else { throw .garbled("a message within another") }
            if frame.isLast { return frame.body }
            parts = frame.body
            return nil
        case .continuation:
            guard let before = parts else { throw .garbled("a part of no message") }
            guard before.count + frame.body.count <= WebSocketFrame.longest else {
                throw .garbled("a message of more than \(WebSocketFrame.longest) bytes")
            }
            parts?.append(contentsOf: frame.body)
            guard frame.isLast else { return nil }
            defer { parts = nil }
            return parts
        }
    }

    private func send(_ frame: WebSocketFrame) throws(DevToolsProblem) {
        try socket.send(frame.masked(), until: Deadline(inMilliseconds: Self.patience))
    }
}
