import Glibc

/// The first bytes of what a program wrote; the rest is read and dropped, so that it never waits for us.
public struct CapturedOutput: Sendable {
    public static let defaultLimit = 64 * 1024

    public private(set) var bytes: [UInt8] = []
    /// How much was written in all.
    public private(set) var total = 0
    private let limit: Int
    private var scratch: [UInt8]

    init(limit: Int = CapturedOutput.defaultLimit) {
        self.limit = limit
        self.scratch = []
    }

    /// Reads once. False at the end of the file and where nothing is there (the descriptor does not block).
    mutating func read(from descriptor: Int32) -> ReadResult {
        if scratch.isEmpty { scratch = [UInt8](repeating: 0, count: 64 * 1024) }
        while true {
            let count = unsafe scratch.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            }
            if count > 0 {
                total += count
                bytes.append(contentsOf: scratch[..<min(count, limit - bytes.count)])
                return .some(count)
            }
            if count == 0 { return .end }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .nothing : .end
        }
    }

    enum ReadResult {
        case some(Int)
        case nothing
        case end
    }
}
