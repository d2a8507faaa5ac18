/// The protocol of a connection: a state machine that receives the bytes of the connection. There are HTTP/1.1 and
/// lines; HTTP/2 would be a third.
///
/// All calls come from the loop's thread. Nothing is written or read within them: they append to the connection's output
/// and leave the rest to the end of the turn.
protocol Conversation: AnyObject {
    /// Takes as many of the bytes as it can and returns their number. The rest is offered again, with the bytes that
    /// follow.
    func consume(_ bytes: Span<UInt8>) -> Int

    /// Nothing more comes from the peer; what came before was offered.
    func inputEnded()

    /// From another thread, or from the handler.
    func perform(_ order: Mailbox.Order, exchange: UInt32)

    /// So many bytes of the output could not be written yet.
    func wrote(unsent: Int)

    func deadlinePassed()

    /// The server stops: end after the current request.
    func drain()

    /// Whether the connection can be closed without losing a request or an answer.
    var isIdle: Bool { get }

    /// Whether what the peer sent still counts when it reads no more.
    var outlivesOutput: Bool { get }

    /// The connection is gone.
    func closed()
}
