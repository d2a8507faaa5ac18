/// What a server is for. Its methods are called on the server's thread and must not block.
public protocol HTTPHandler: Sendable {
    /// The head of a request was read, its body not yet: the place to refuse early and to say how long a body may be.
    func admit(_ request: HTTPRequest) -> HTTPAdmission

    /// A whole request. The responder is used once, at once or later, from any thread.
    func handle(_ request: HTTPRequest, _ responder: any HTTPResponder)

    /// Called for a connection that began with the byte `{`, on a listener that takes lines: it speaks JSON Lines, not
    /// HTTP.
    func openLines(_ peer: HTTPPeer, _ connection: any LineConnection) -> any LineReceiver
}

/// Whether a request's body is read.
public enum HTTPAdmission: Sendable {
    /// At most so many bytes, and not more than there are in the account; a longer body is answered 413.
    case accept(bodyLimit: Int, account: HTTPBodyAccount)
    case refuse(HTTPResponse)
}

/// The share of the server's memory that a request body is charged to while it is received.
///
/// Each kind has its own limit (`HTTPServer.Limits`), so that clients without a proof cannot take memory from others.
public enum HTTPBodyAccount: Sendable, Hashable {
    /// Of clients on the Unix socket.
    case local
    /// Of requests whose head has a valid token or signature.
    case proven
    /// Of all other clients. They share it: a client that holds more gives way to one that holds less.
    case unproven(client: String)
}

/// Answers one request. Safe to use from any thread; the connection may be gone, then nothing happens.
public protocol HTTPResponder: Sendable {
    func respond(_ response: HTTPResponse)

    /// Has `body` called, on the server's thread, when the client has gone before the answer. A client that has ended its
    /// sending side counts as gone then, and its connection is closed. `body` must not block.
    func whenClientIsGone(_ body: @escaping @Sendable () -> Void)

    /// The request's body is not needed any more, though the answer comes later: it is not charged to its account until then.
    func releaseBody()

    /// Begins an answer without an end (Server-Sent Events): status and fields are sent, the body follows in pieces.
    func stream(_ response: HTTPResponse) -> any HTTPStream
}

extension HTTPResponder {
    public func whenClientIsGone(_ body: @escaping @Sendable () -> Void) {}

    public func releaseBody() {}
}

/// The body of an answer that goes on.
public protocol HTTPStream: Sendable {
    /// False when the client has gone, or reads so slowly that it was dropped: because more than `Limits.streamBuffer`
    /// bytes were unsent already. A single piece may be longer than that.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool

    /// How many bytes are queued for the client; 0 when it has gone. For senders with much data, to limit how much is
    /// queued.
    var unsentBytes: Int { get }

    func close()
}

extension HTTPStream {
    public var unsentBytes: Int { 0 }
}

extension LineConnection {
    public var unsentBytes: Int { 0 }
}

/// A connection of lines, as the answering side uses it. Safe to use from any thread.
public protocol LineConnection: Sendable {
    /// Sends bytes, which hold whole lines. False when the peer has gone.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool

    /// How many bytes are queued for the peer; 0 when it has gone. For senders with much data, to limit how much is
    /// queued.
    var unsentBytes: Int { get }

    /// Stops (`false`) and resumes (`true`) reading, for a peer that sends requests faster than they are answered.
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

    /// The peer sends no more, or is gone, or the server stops. Called once. The receiver must then close the
    /// connection after it has answered the last line.
    func end()
}

extension LineReceiver {
    public var awaitedBytes: Int { 0 }

    public func receive(bytes: [UInt8]) {}
}
