/// How a process ended.
public enum ProcessEnd: Sendable, Hashable {
    case exited(Int32)
    case signalled(Int32)
}
