internal import Glibc

/// What became of an attempt to read or to write.
enum Transfer {
    case bytes(Int)
    case wouldBlock
    case ended
    case failed

    /// From what recv and send return.
    init(_ result: Int) {
        if result > 0 {
            self = .bytes(result)
        } else if result == 0 {
            self = .ended
        } else {
            self = errno == EAGAIN ? .wouldBlock : .failed
        }
    }
}
