/// What is spoken over a connection: a state machine that the connection feeds. HTTP/1.1, lines; HTTP/2 would be a third.
///
/// All calls come from the loop's thread. Nothing is written or read within them: they append to the connection's output
/// and leave the rest to the end of the turn.
protocol Conversation: AnyObject {
    /// Takes what it can of the bytes and says how many; the rest is offered again, with more.
    func consume(_ bytes: Span<UInt8>) -> Int

    /// Nothing more comes from the peer; what came before was offered.
    func inputEnded()

    /// From another thread, or from the handler.
    func perform(_ order: Mailbox.Order, exchange: UInt32)

    /// So many bytes of the output could not be written yet.
    func wrote(unsent: Int)

    func deadlinePassed()

    /// The server stops: end as soon as it is decent.
    func drain()

    /// Whether the connection could be closed without anybody missing it.
    var isIdle: Bool { get }

    /// Whether what the peer sent still counts when it reads no more.
    var outlivesOutput: Bool { get }

    /// The connection is gone.
    func closed()
}
