/// What can go wrong between here and a compositor.
enum SwayProblem: Error, Sendable {
    /// No process accepts the connection: the errno.
    case unreachable(Int32)
    /// It went away in the middle.
    case ended
    /// It did not answer in time.
    case silent
    /// It says something that is not its protocol.
    case garbled(String)
    /// A command was refused, with what it said.
    case refused(String)
    /// The window that is meant is there no more, or was never.
    case gone(String)
    /// Nothing says where it is.
    case noSocket
    /// Several could be meant.
    case ambiguous([String])
}
