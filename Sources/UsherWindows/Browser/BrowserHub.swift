internal import CLinux
internal import Dispatch
internal import Glibc
internal import Synchronization
internal import UsherActivation
internal import UsherJSON
internal import UsherScene
internal import UsherSystem

/// The server for browser connections: a Unix socket, one thread that listens, and the last state of each browser.
///
/// Nothing happens while no browser says anything. Any thread may ask.
final class BrowserHub: Sendable {
    private struct State: Sendable {
        var clients: [UInt64: BrowserClient] = [:]
        var answers: [Question: BrowserAnswer?] = [:]
        var waiting: [Question: WakeSignal] = [:]
        var observers: [UInt64: @Sendable () -> Void] = [:]
        var next: UInt64 = firstToken
        /// The process of the window in front on the desktop; nil where that is not known, 0 where no window is in
        /// front.
        var front: Int32?
        var isOver = false
        /// Whether extensions are to read the pages in front.
        var readsPages = false
    }

    /// What is asked of a browser.
    private struct Question: Sendable, Hashable {
        var client: UInt64
        var id: Int64
    }

    private let path: String
    private let state = Mutex(State())
    private let epoll: Int32
    private let listener: Int32
    /// Device and inode of the socket that was made: they distinguish it from a socket that has replaced it.
    private let made: (device: UInt, inode: UInt)?
    private let ending: WakeSignal
    private let pauseObserver = Mutex<(@Sendable () -> Void)?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    private static let listenerToken: UInt64 = 0
    private static let endingToken: UInt64 = 1
    private static let firstToken: UInt64 = 2
    /// More browsers at once are turned away.
    private static let clientLimit = 64
    /// The longest line of a browser; the host takes no longer ones either.
    private static let lineLimit = (8 << 20) + 1

    init(path: String) throws(ActivationFailure) {
        self.path = path
        listener = unsafe usher_listen_local(path)
        guard listener >= 0 else { throw .cannotListen(path, errno) }
        made = Self.identity(of: path)
        epoll = usher_epoll()
        ending = WakeSignal()
        let readable = UInt32(USHER_READABLE)
        guard epoll >= 0, ending.descriptor >= 0,
            usher_epoll_add(epoll, listener, readable, Self.listenerToken) == 0,
            usher_epoll_add(epoll, ending.descriptor, readable, Self.endingToken) == 0
        else { throw .cannotListen(path, errno) }
        // The thread keeps this object alive while it listens, so its creator has to end the thread by `stop()`.
        DispatchQueue(label: "usher.browser").async { self.listen() }
    }

    /// No browser is heard any more.
    func stop() {
        let wasOver = state.withLock { state in
            defer { state.isOver = true }
            return state.isOver
        }
        guard !wasOver else { return }
        ending.raise()
        ended.wait()
    }

    deinit {
        close(listener)
        if epoll >= 0 { close(epoll) }
    }

    private static func identity(of path: String) -> (device: UInt, inode: UInt)? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        return (UInt(status.st_dev), UInt(status.st_ino))
    }

    // MARK: - The thread

    private struct Line {
        var bytes: [UInt8] = []
        var scanned = 0
    }

    private func listen() {
        var lines: [UInt64: Line] = [:]
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        var ready = [usher_ready](repeating: usher_ready(), count: 64)
        loop: while true {
            let count = unsafe ready.withUnsafeMutableBufferPointer {
                unsafe usher_epoll_wait(epoll, $0.baseAddress, Int32($0.count), -1)
            }
            guard count >= 0 else { break }
            for event in ready.prefix(Int(count)) {
                switch event.token {
                case Self.endingToken: break loop
                case Self.listenerToken: accept()
                default:
                    guard receive(event.token, &lines[event.token, default: Line()], &chunk) else {
                        lines[event.token] = nil
                        drop(event.token)
                        continue
                    }
                }
            }
        }
        if let made, let now = Self.identity(of: path), now == made { _ = unsafe unlink(path) }
        for token in state.withLock({ Array($0.clients.keys) }) { drop(token) }
        ended.signal()
    }

    private func accept() {
        var peer = usher_address()
        let descriptor = unsafe usher_accept(listener, &peer)
        guard descriptor >= 0 else { return }
        let wire = BrowserWire(owning: descriptor)
        guard peer.user == geteuid() else { return }
        let token = state.withLock { state -> UInt64? in
            guard state.clients.count < Self.clientLimit else { return nil }
            defer { state.next += 1 }
            state.clients[state.next] = BrowserClient(wire: wire)
            return state.next
        }
        guard let token else { return }
        if usher_epoll_add(epoll, descriptor, UInt32(USHER_READABLE), token) != 0 { drop(token) }
    }

    /// Reads what a browser sent; false when the connection has ended, and for data that is not valid in the protocol.
    private func receive(_ token: UInt64, _ line: inout Line, _ chunk: inout [UInt8]) -> Bool {
        guard let wire = state.withLock({ $0.clients[token]?.wire }) else { return false }
        let count = unsafe chunk.withUnsafeMutableBytes { buffer in
            unsafe usher_receive(wire.descriptor, buffer.baseAddress, UInt(buffer.count))
        }
        if count < 0 { return errno == EAGAIN }
        guard count > 0 else { return false }
        line.bytes.append(contentsOf: chunk[..<count])
        var start = 0
        while let end = line.bytes[line.scanned...].firstIndex(of: 0x0A) {
            guard handle(Array(line.bytes[start..<end]), from: token, wire) else { return false }
            start = end + 1
            line.scanned = start
        }
        line.bytes.removeSubrange(..<start)
        line.scanned = line.bytes.count
        return line.scanned <= Self.lineLimit
    }

    private func drop(_ token: UInt64) {
        let (client, signals) = state.withLock { state in
            let questions = state.waiting.keys.filter { $0.client == token }
            for question in questions { state.answers[question] = .some(.none) }
            return (state.clients.removeValue(forKey: token), questions.compactMap { state.waiting[$0] })
        }
        guard let client else { return }
        _ = usher_epoll_remove(epoll, client.wire.descriptor)
        client.wire.end()
        for signal in signals { signal.raise() }
        if client.name != nil { tellObservers() }
    }

    /// Returns whether it was understood.
    private func handle(_ bytes: [UInt8], from token: UInt64, _ wire: BrowserWire) -> Bool {
        switch BrowserMessage(line: bytes) {
        case nil: return false
        case .host(let process): state.withLock { $0.clients[token]?.setProcess(process) }
        case .hello(let product, let version, let wanted):
            let (name, readsPages) = state.withLock { state -> (String, Bool) in
                let taken = Set(state.clients.filter { $0.key != token }.values.compactMap(\.name))
                let name = BrowserClient.name(for: product, wanted: wanted, taken: taken)
                state.clients[token]?.name = name
                state.clients[token]?.product = product
                state.clients[token]?.version = version
                return (name, state.readsPages)
            }
            _ = wire.send(Self.greeting(name, readsPages), until: Deadline(inMilliseconds: 200))
        case .state(let windows):
            let isOther = state.withLock { state in
                guard state.clients[token]?.name != nil, state.clients[token]?.windows != windows else { return false }
                state.clients[token]?.windows = windows
                return true
            }
            if isOther { tellObservers() }
        case .answer(let id, let answer):
            let signal = state.withLock { state in
                let question = Question(client: token, id: id)
                guard let signal = state.waiting[question] else { return WakeSignal?.none }
                state.answers[question] = answer
                return signal
            }
            signal?.raise()
        case .pauseChanged: pauseObserver.withLock { $0 }?()
        case .ask: _ = wire.send(roll(), until: Deadline(inMilliseconds: 200))
        }
        return true
    }

    /// The name that a browser is given, and whether its extension is to read the pages in front.
    private static func greeting(_ name: String, _ readsPages: Bool) -> [UInt8] {
        Array("{\"client\":\"\(name)\",\"pages\":\(readsPages)}\n".utf8)
    }

    /// Tells every browser whether its extension is to read the pages in front.
    func readPages(_ readsPages: Bool) {
        let told = state.withLock { state -> [(BrowserWire, String)] in
            guard state.readsPages != readsPages else { return [] }
            state.readsPages = readsPages
            return state.clients.values.compactMap { client in client.name.map { (client.wire, $0) } }
        }
        for (wire, name) in told {
            _ = wire.send(Self.greeting(name, readsPages), until: Deadline(inMilliseconds: 200))
        }
    }

    /// Calls `observer` when `usher browser pause` or `resume` says so, from the thread that listens.
    func observePauses(_ observer: @escaping @Sendable () -> Void) { pauseObserver.withLock { $0 = observer } }

    private func roll() -> [UInt8] {
        var json = JSONWriter(escaping: .minimal)
        json.beginObject()
        json.beginArray("clients")
        for client in clients { client.write(to: &json) }
        json.endArray()
        json.endObject()
        json.newline()
        return json.bytes
    }

    private func tellObservers() {
        for observer in state.withLock({ Array($0.observers.values) }) { observer() }
    }
}

// MARK: - Asking

extension BrowserHub {
    /// The browsers that have introduced themselves and said what they show, the first one first.
    var clients: [BrowserClient] {
        state.withLock { state in
            state.clients.sorted { $0.key < $1.key }.map(\.value).filter { $0.name != nil && $0.windows != nil }
        }
    }

    /// All windows there are.
    var listed: WindowList {
        let clients = clients
        let front = state.withLock { $0.front }
        let servers = clients.map { "\($0.name ?? "")=\($0.server ?? "")" }.sorted()
        return WindowList(
            server: servers.isEmpty ? nil : servers.joined(separator: " "),
            windows: clients.flatMap { client in (client.windows ?? []).map { client.listed($0, front: front) } })
    }

    /// Records which process has the window in front. Chromium does not report that its window has lost the keyboard to
    /// a window of another program.
    func updateDesktop(_ list: WindowList) {
        let front: Int32?
        if let window = list.windows.first(where: { $0.activation == .foregroundActive }) {
            front = window.process
        } else {
            front = list.windows.contains { $0.activation != nil } ? 0 : nil
        }
        let isOther = state.withLock { state in
            defer { state.front = front }
            return state.front != front
        }
        if isOther { tellObservers() }
    }

    func client(named name: String) -> (token: UInt64, client: BrowserClient)? {
        state.withLock { state in
            state.clients.first { $0.value.name == name && $0.value.windows != nil }.map { ($0.key, $0.value) }
        }
    }

    /// What came of asking.
    enum Reply: Sendable {
        case answer(BrowserAnswer)
        /// It did not answer in time.
        case silence
        /// Its connection ended meanwhile.
        case lost
    }

    func ask(_ token: UInt64, _ request: BrowserRequest, until deadline: Deadline) -> Reply {
        let signal = WakeSignal()
        let asked = state.withLock { state -> (Question, BrowserWire)? in
            guard let client = state.clients[token] else { return nil }
            let question = Question(client: token, id: client.nextRequest)
            state.clients[token]?.nextRequest += 1
            state.waiting[question] = signal
            return (question, client.wire)
        }
        guard let (question, wire) = asked else { return .lost }
        let isSent = wire.send(request.line(id: question.id), until: deadline)
        if isSent { _ = signal.wait(until: deadline) }
        return state.withLock { state in
            state.waiting[question] = nil
            switch state.answers.removeValue(forKey: question) {
            case .some(.some(let answer)): return .answer(answer)
            case .some(.none): return .lost
            case nil: return isSent ? .silence : .lost
            }
        }
    }

    /// Calls `observer` after each change, from the thread that listens: it must not wait.
    func observe(_ observer: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            defer { state.next += 1 }
            state.observers[state.next] = observer
            return state.next
        }
    }

    func endObserving(_ token: UInt64) { state.withLock { $0.observers[token] = nil } }
}
