/// What a server is for. Its methods are called on the server's thread and must not block.
public protocol HTTPHandler: Sendable {
    /// The head of a request was read, its body not yet: the place to refuse early and to say how long a body may be.
    func admit(_ request: HTTPRequest) -> HTTPAdmission

    /// A whole request. The responder is used once, at once or later, from any thread.
    func handle(_ request: HTTPRequest, _ responder: any HTTPResponder)

    /// A connection whose first byte was `{` on a listener that takes lines: it speaks JSON Lines and not HTTP.
    func openLines(_ peer: HTTPPeer, _ connection: any LineConnection) -> any LineReceiver
}

/// Whether a request's body is read.
public enum HTTPAdmission: Sendable {
    /// At most so many bytes; a longer one is answered 413.
    case accept(bodyLimit: Int)
    case refuse(HTTPResponse)
}

/// Answers one request. Safe to use from any thread; the connection may be gone, then nothing happens.
public protocol HTTPResponder: Sendable {
    func respond(_ response: HTTPResponse)

    /// Begins an answer without an end (Server-Sent Events): status and fields are sent, the body follows in pieces.
    func stream(_ response: HTTPResponse) -> any HTTPStream
}

/// The body of an answer that goes on.
public protocol HTTPStream: Sendable {
    /// False when the client has gone, or reads so slowly that it was dropped: because more than `Limits.streamBuffer`
    /// bytes were unsent already. A single piece may be longer than that.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool

    /// How many bytes wait for the client, for who has much to send at once; none when it has gone.
    var unsentBytes: Int { get }

    func close()
}

extension HTTPStream {
    public var unsentBytes: Int { 0 }
}

extension LineConnection {
    public var unsentBytes: Int { 0 }
}

/// A connection of lines, seen by who answers. Safe to use from any thread.
public protocol LineConnection: Sendable {
    /// Sends bytes, which hold whole lines. False when the peer has gone.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool

    /// How many bytes wait for the peer, for who has much to send at once; none when it has gone.
    var unsentBytes: Int { get }

    /// Stops (`false`) and resumes (`true`) reading, for a peer that asks faster than it is answered.
    func setReading(_ isReading: Bool)

    /// Closes once everything was sent.
    func close()
}

/// Takes the lines of one connection, on the server's thread.
public protocol LineReceiver: Sendable {
    /// One line without its end.
    func receive(_ line: [UInt8])

    /// How many bytes follow the line that was received last and are no line.
    var awaitedBytes: Int { get }

    /// Some of those bytes.
    func receive(bytes: [UInt8])

    /// The peer sends no more, or is gone, or the server stops. Called once; whoever answers the last line closes the
    /// connection then.
    func end()
}

extension LineReceiver {
    public var awaitedBytes: Int { 0 }

    public func receive(bytes: [UInt8]) {}
}
