internal import CLinux
internal import Glibc
public import UsherJSON
internal import UsherOperation
internal import UsherSystem

/// Passes messages on between a browser, which has started this process, and usherd, and understands none of them.
///
/// What it says of itself: to the browser, that usherd is there (`{"event":"connected"}`) or gone (`"disconnected"`); to usherd,
/// which process the browser is. While no daemon runs, messages are dropped: a browser sends all tabs at `connected`.
public struct BrowserRelay: ~Copyable {
    public enum End: Sendable {
        /// The browser closed its end.
        case finished
        /// With the reason, for people.
        case failed(String)
    }

    private let state: String
    private let input: Int32
    private let output: Int32
    /// Can be read when the browser has ended: others of its processes may hold its end of the input.
    private let browser: Int32
    private var messages = NativeMessage()
    private var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    /// Of the daemon's next line.
    private var partial: [UInt8] = []

    /// How often in a row, and with what pauses in milliseconds, a socket is tried that does not accept connections yet.
    private static let pauses = [10, 20, 50, 100, 200, 500, 1000, 1000, 2000]

    /// - Parameters:
    ///   - state: the folder whose daemon is meant.
    ///   - input, output: the browser's ends; they stay open.
    public init(state: String, input: Int32 = 0, output: Int32 = 1) {
        self.state = state
        self.input = input
        self.output = output
        browser = usher_pidfd_open(getppid())
    }

    deinit { if browser >= 0 { close(browser) } }

    /// Until the browser is gone.
    public mutating func run() -> End {
        while true {
            switch waitForDaemon() {
            case .socket(let socket):
                if let end = relay(socket) { return end }
            case .end(let end): return end
            }
        }
    }

    private enum Waited: ~Copyable {
        case socket(UnixSocket)
        case end(End)
    }

    /// Until there is a daemon, or no browser any more.
    private mutating func waitForDaemon() -> Waited {
        guard let arrival = DaemonArrival(state: state) else {
            return .end(.failed("\(state) cannot be watched: \(SystemError.text(errno))"))
        }
        var tries = 0
        while true {
            arrival.drain()
            let path = arrival.socket()
            if let path {
                do throws(ControlError) {
                    return .socket(try UnixSocket(connectingTo: path))
                } catch {
                    if error.code == .controlOtherUser { return .end(.failed(error.message)) }
                }
            }
            // Locked and not there yet: it is starting, or has no place for browsers.
            let pause = path != nil && tries < Self.pauses.count ? Deadline(inMilliseconds: Self.pauses[tries]) : nil
            let ready = Poll.readable(input, arrival.descriptor, browser, until: pause) ?? [false, false, false]
            if ready[2] { return .end(.finished) }
            if ready[0], let end = dropMessages() { return .end(end) }
            tries = ready[1] ? 0 : (ready[0] ? tries : tries + 1)
        }
    }

    /// Until the daemon is gone: nil; or the browser.
    private mutating func relay(_ socket: borrowing UnixSocket) -> End? {
        partial = []
        var hello = JSONWriter(escaping: .minimal)
        hello.beginObject()
        hello.member("type", "host")
        hello.member("process", Int(getppid()))
        hello.endObject()
        hello.newline()
        guard socket.send(hello.bytes) == nil else { return nil }
        if let end = tell(#"{"event":"connected"}"#) { return end }
        while true {
            guard let ready = Poll.readable(input, socket.descriptor, browser, until: nil) else {
                return .failed("poll: \(SystemError.text(errno))")
            }
            if ready[2] { return .finished }
            if ready[1] {
                switch takeLines(socket) {
                case .ended: return tell(#"{"event":"disconnected"}"#)
                case .failed(let end): return end
                case .taken: break
                }
            }
            if ready[0], let end = takeMessages(socket) { return end }
        }
    }

    // MARK: - From the browser

    /// Without a daemon they are let go.
    private mutating func dropMessages() -> End? {
        if let end = readMessages() { return end }
        do throws(NativeMessage.TooLong) {
            while try messages.nextLine() != nil {}
        } catch { return tooLong(error) }
        return nil
    }

    private mutating func takeMessages(_ socket: borrowing UnixSocket) -> End? {
        if let end = readMessages() { return end }
        do throws(NativeMessage.TooLong) {
            // A daemon that went away is noticed by its end of the connection.
            while let line = try messages.nextLine() { _ = socket.send(line) }
        } catch { return tooLong(error) }
        return nil
    }

    private func tooLong(_ error: NativeMessage.TooLong) -> End {
        .failed("the browser announces a message of \(error.count) bytes: \(NativeMessage.inputLimit) are taken")
    }

    private mutating func readMessages() -> End? {
        let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(input, $0.baseAddress, $0.count) }
        if count < 0 { return errno == EINTR || errno == EAGAIN ? nil : .finished }
        if count == 0 { return .finished }
        messages.append(chunk[..<count])
        return nil
    }

    // MARK: - From the daemon

    private enum Taken {
        case taken, ended
        case failed(End)
    }

    private mutating func takeLines(_ socket: borrowing UnixSocket) -> Taken {
        guard let count = socket.receive(&chunk), count > 0 else { return .ended }
        partial.append(contentsOf: chunk[..<count])
        var start = 0
        while let end = partial[start...].firstIndex(of: 0x0A) {
            // A message that is too long for a browser gets no answer: the daemon gives up waiting.
            if end > start, let message = NativeMessage.framed(partial[start..<end]), let end = write(message) {
                return .failed(end)
            }
            start = end + 1
        }
        partial.removeSubrange(..<start)
        return partial.count > NativeMessage.outputLimit ? .ended : .taken
    }

    private func tell(_ text: String) -> End? {
        NativeMessage.framed(ArraySlice(text.utf8)).flatMap { write($0) }
    }

    private func write(_ bytes: [UInt8]) -> End? {
        var offset = 0
        while offset < bytes.count {
            let written = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(output, buffer.baseAddress.map { unsafe $0 + offset }, buffer.count - offset)
            }
            if written < 0 {
                if errno == EINTR { continue }
                return .finished
            }
            offset += written
        }
        return nil
    }
}

/// Asks usherd which browsers speak with it.
public enum BrowserRoll {
    /// An object a browser: `client`, `browser`, `version`, `process`, `windows`, `tabs`; nil where no browser can be asked.
    public static func ask(state: String) -> [JSONValue]? {
        guard let holder = DaemonLock.holder(state: state), !holder.socket.isEmpty,
            let socket = try? UnixSocket(connectingTo: BrowserSocket.path(beside: holder.socket)),
            socket.send(Array("{\"type\":\"ask\"}\n".utf8)) == nil
        else { return nil }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 * 1024)
        while bytes.last != 0x0A, bytes.count < 1 << 20 {
            guard Poll.wait(for: socket.descriptor, until: Deadline(inMilliseconds: 2000)) == .ready,
                let count = socket.receive(&chunk), count > 0
            else { return nil }
            bytes.append(contentsOf: chunk[..<count])
        }
        return (try? JSONValue(parsing: bytes))?["clients"]?.elements
    }
}

/// Tells usherd that `usher browser pause` or `resume` was said; without a daemon there is nothing to tell.
public enum BrowserPauseNotice {
    public static func send(state: String) {
        guard let holder = DaemonLock.holder(state: state), !holder.socket.isEmpty,
            let socket = try? UnixSocket(connectingTo: BrowserSocket.path(beside: holder.socket))
        else { return }
        _ = socket.send(Array("{\"type\":\"pause-changed\"}\n".utf8))
    }
}

/// Where usherd waits for browsers: a Unix socket beside that of control.
public enum BrowserSocket {
    public static let fileName = "browser.sock"

    /// - Parameter control: the path of the control socket, as `DaemonHolder.socket` names it.
    public static func path(beside control: String) -> String {
        guard let slash = control.utf8.lastIndex(of: UInt8(ascii: "/")) else { return fileName }
        return String(control[...slash]) + fileName
    }
}

/// The framing of native messaging: four bytes of length in the machine's order, then JSON.
///
/// Browsers allow a host to be sent 64 MiB (Chromium), and take 1 MiB from it (Chromium and Firefox).
struct NativeMessage: Sendable {
    /// The longest message that is taken from a browser; the extension keeps well below.
    static let inputLimit = 8 << 20
    /// The longest message that a browser takes.
    static let outputLimit = 1 << 20

    /// A browser that announces more than is taken: the messages that follow cannot be separated any more.
    struct TooLong: Error, Sendable {
        var count: Int
    }

    private var bytes: [UInt8] = []
    private var start = 0

    mutating func append(_ more: ArraySlice<UInt8>) {
        if start > 0 {
            bytes.removeSubrange(..<start)
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// The next whole message as a line, its end included; nil while there is none.
    mutating func nextLine() throws(TooLong) -> [UInt8]? {
        guard bytes.count - start >= 4 else { return nil }
        let length = bytes[start..<start + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length <= NativeMessage.inputLimit else { throw TooLong(count: length) }
        guard bytes.count - start - 4 >= length else { return nil }
        // Between tokens a line's end is a space; within them JSON has none.
        var line = bytes[start + 4..<start + 4 + length].map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
        line.append(0x0A)
        start += 4 + length
        return line
    }

    /// A message for a browser; nil where it would take none as long as this.
    static func framed(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count <= outputLimit else { return nil }
        let length = UInt32(text.count)
        return (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + text
    }
}
