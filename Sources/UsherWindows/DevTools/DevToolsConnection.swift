internal import Glibc
internal import UsherActivation
internal import UsherJSON
internal import UsherSystem

/// A conversation with a browser: calls, their answers, and whether anything happened meanwhile.
struct DevToolsConnection: ~Copyable {
    let version: DevToolsVersion
    private var socket: WebSocket
    private var last: Int64 = 0
    /// An event came that may have changed a window.
    var hasNews = false
    /// Our sessions with pages, by target.
    var sessions: [String: String] = [:]
    /// The pages that report their visibility and focus to this connection.
    var reporting: Set<String> = []
    /// How long the browser may take for an answer.
    let patience: Int
    /// When all of it has to be over; nil where it goes on as long as there is something to hear.
    private let deadline: Deadline?

    var peer: PeerSocket { socket.peer }

    struct Call {
        var method: String
        var parameters: JSONValue = .object([])
        /// The page that is meant; nil is the browser.
        var session: String?
    }

    enum Answer {
        case value(JSONValue)
        case refused(String)
        /// None in time: a page may hang.
        case silence

        var value: JSONValue? { if case .value(let value) = self { value } else { Optional.none } }
    }

    /// - Parameters:
    ///   - limit: how long all of it may take, in milliseconds.
    ///   - end: every wait ends once this can be read.
    init(
        _ address: DevToolsAddress, patience: Int, limit: Int? = nil, or end: Int32 = -1
    ) throws(DevToolsProblem) {
        deadline = limit.map { Deadline(inMilliseconds: $0) }
        let soon = Deadline(inMilliseconds: patience)
        let version = try DevToolsVersion(of: address, until: soon, or: end)
        socket = try WebSocket(address, path: DevToolsVersion.folder + version.life, until: soon, or: end)
        self.version = version
        self.patience = patience
    }

    /// Asks the browser itself.
    @discardableResult
    mutating func call(_ method: String, _ parameters: JSONValue = .object([])) throws(DevToolsProblem) -> JSONValue {
        switch try call([Call(method: method, parameters: parameters)], within: patience)[0] {
        case .value(let value): return value
        case .refused(let words): throw .refused("\(method): \(words)")
        case .silence: throw .silent
        }
    }

    /// Asks several things at once; an answer each, in their order.
    mutating func call(_ calls: [Call], within limit: Int) throws(DevToolsProblem) -> [Answer] {
        var answers = [Answer](repeating: .silence, count: calls.count)
        let first = last + 1
        for call in calls { try send(call) }
        let own = Deadline(inMilliseconds: limit)
        let deadline = self.deadline.map { Deadline.earlier($0, own) } ?? own
        var missing = calls.count
        while missing > 0, let message = try socket.receive(until: deadline) {
            guard let (id, answer) = try handle(message), id >= first, id <= last else { continue }
            if case .silence = answers[Int(id - first)] { missing -= 1 }
            answers[Int(id - first)] = answer
        }
        return answers
    }

    /// Waits until something happens; false at the deadline.
    mutating func wait(until deadline: Deadline?) throws(DevToolsProblem) -> Bool {
        while !hasNews {
            guard let message = try socket.receive(until: deadline) else { return false }
            _ = try handle(message)
        }
        return true
    }

    private mutating func send(_ call: Call) throws(DevToolsProblem) {
        last += 1
        var json = JSONWriter(escaping: .minimal)
        json.beginObject()
        json.member("id", last)
        json.member("method", call.method)
        json.member("params", call.parameters)
        if let session = call.session { json.member("sessionId", session) }
        json.endObject()
        try socket.send(json.bytes)
    }

    /// An answer with its number; events are taken note of.
    private mutating func handle(_ message: [UInt8]) throws(DevToolsProblem) -> (Int64, Answer)? {
        guard let value = try? JSONValue(parsing: message, maximumDepth: 64), case .object = value else {
            throw .garbled("a message that is no JSON object")
        }
        if let id = value["id"]?.int64 {
            if let error = value["error"] {
                return (id, .refused(BrowserMessage.clipped(error["message"]?.string ?? "", 300)))
            }
            return (id, .value(value["result"] ?? .object([])))
        }
        switch value["method"]?.string {
        case "Target.targetCreated", "Target.targetDestroyed", "Target.targetInfoChanged", "Runtime.bindingCalled":
            hasNews = true
        case "Target.detachedFromTarget":
            let session = value["params"]?["sessionId"]?.string
            for (target, own) in sessions where own == session {
                sessions[target] = nil
                reporting.remove(target)
            }
            hasNews = true
        case .some: break
        case nil: throw .garbled("a message without a method")
        }
        return nil
    }
}

// MARK: - Pages

extension DevToolsConnection {
    /// Has a session with each of these pages that can still be had.
    mutating func attach(to targets: [String]) throws(DevToolsProblem) {
        let new = targets.filter { sessions[$0] == nil }
        let calls = new.map { target in
            Call(
                method: "Target.attachToTarget",
                parameters: .object([.init("targetId", .string(target)), .init("flatten", true)]))
        }
        for (target, answer) in zip(new, try call(calls, within: patience)) {
            if let session = answer.value?["sessionId"]?.string, session.utf8.count <= 64 { sessions[target] = session }
        }
    }

    /// Asks a page.
    mutating func ask(
        _ session: String, _ method: String, _ parameters: JSONValue = .object([])
    ) throws(DevToolsProblem) -> JSONValue {
        let call = Call(method: method, parameters: parameters, session: session)
        switch try self.call([call], within: patience)[0] {
        case .value(let value): return value
        case .refused(let words): throw .refused("\(method): \(words)")
        case .silence: throw .refused("the page in front does not answer")
        }
    }

    /// From now on the browser sends events when pages appear, disappear and change.
    mutating func discover() throws(DevToolsProblem) { try call("Target.setDiscoverTargets", ["discover": true]) }

    /// From now on these pages report when they become visible, and when they get the keyboard: the protocol has no
    /// event for that.
    ///
    /// The script runs in a world of its own, which pages don't see.
    mutating func report(_ targets: [String]) throws(DevToolsProblem) {
        var calls: [Call] = []
        for target in targets where !reporting.contains(target) {
            guard let session = sessions[target] else { continue }
            reporting.insert(target)
            calls += [
                Call(method: "Runtime.enable", session: session), Call(method: "Page.enable", session: session),
                Call(
                    method: "Runtime.addBinding",
                    parameters: ["name": "usherLook", "executionContextName": "usher"], session: session),
                Call(
                    method: "Page.addScriptToEvaluateOnNewDocument",
                    parameters: [
                        "source": .string(Self.script), "worldName": "usher", "runImmediately": true,
                    ], session: session),
            ]
        }
        if !calls.isEmpty { _ = try call(calls, within: patience) }
    }

    private static let script = """
        { const look = () => usherLook("");
          for (const [what, name] of [[document, "visibilitychange"], [document, "DOMContentLoaded"],
            [window, "focus"], [window, "blur"], [window, "hashchange"]]) what.addEventListener(name, look, true);
          look(); }
        """
}

/// A TCP connection on loopback; closed by `deinit`. Every wait is bounded, or can be ended.
struct DevToolsSocket: ~Copyable {
    private let descriptor: Int32
    /// Every wait ends once this can be read (`stopped`); -1 for none.
    private let end: Int32
    private var input = ReceiveBuffer()

    /// Connects. Where a process of another user listens, the connection is closed before anything is sent.
    init(_ address: DevToolsAddress, until deadline: Deadline, or end: Int32 = -1) throws(DevToolsProblem) {
        self.end = end
        descriptor = socket(address.isVersion6 ? AF_INET6 : AF_INET, LocalSocket.streamType(waits: false), 0)
        guard descriptor >= 0 else { throw .unreachable(errno) }
        let result = address.isVersion6 ? connectVersion6(address) : connectVersion4(address)
        if result != 0 {
            guard errno == EINPROGRESS else { throw .unreachable(errno) }
            let outcome = Poll.wait(for: descriptor, toWrite: true, or: end, until: deadline)
            guard try Self.isReady(outcome) else { throw .silent }
            var problem: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &problem, &size) == 0, problem == 0 else {
                throw .unreachable(problem)
            }
        }
        guard let peer = self.address(isOurs: false) else { throw .ended }
        try PeerSocket.checkListener(at: peer)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private func connectVersion4(_ place: DevToolsAddress) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = place.port.bigEndian
        _ = unsafe inet_pton(AF_INET, place.host, &address.sin_addr)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private func connectVersion6(_ place: DevToolsAddress) -> Int32 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = place.port.bigEndian
        _ = unsafe inet_pton(AF_INET6, place.host, &address.sin6_addr)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }

    /// One end of the connection, as `/proc/net/tcp` writes it: `0100007F:2406`.
    func address(isOurs: Bool) -> String? {
        var found = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &found) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe isOurs
                    ? getsockname(descriptor, generic, &size) : getpeername(descriptor, generic, &size)
            }
        }
        guard result == 0 else { return nil }
        let isVersion6 = Int32(found.ss_family) == AF_INET6
        return unsafe withUnsafeBytes(of: &found) { raw in
            let port = unsafe raw.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
            let words = (isVersion6 ? [8, 12, 16, 20] : [4]).map { place in
                TableText.word(unsafe raw.loadUnaligned(fromByteOffset: place, as: UInt32.self))
            }
            return words.joined() + ":" + TableText.port(UInt16(bigEndian: port))
        }
    }

    // MARK: - Bytes

    var received: ArraySlice<UInt8> { input.bytes }

    mutating func consume(_ count: Int) { input.consume(count) }

    func send(_ bytes: [UInt8], until deadline: Deadline) throws(DevToolsProblem) {
        let outcome = SocketOutput.send(bytes, to: descriptor, or: end, until: deadline)
        guard try Self.isReady(outcome) else { throw .silent }
    }

    /// Receives more; false at the deadline.
    mutating func receive(until deadline: Deadline?) throws(DevToolsProblem) -> Bool {
        // `end` is checked before each read, so that a peer that sends without a pause cannot prevent the end of the
        // wait.
        while try Self.isReady(Poll.wait(for: descriptor, or: end, until: deadline)) {
            guard let isFilled = input.fill(from: descriptor) else { throw .ended }
            if isFilled { return true }
        }
        return false
    }

    /// False at the deadline.
    private static func isReady(_ outcome: Poll.Outcome) throws(DevToolsProblem) -> Bool {
        switch outcome {
        case .ready: return true
        case .late: return false
        case .ended: throw .stopped
        case .failed: throw .ended
        }
    }
}

/// The other end of a connection on this machine (proc(5)): `/proc/net/tcp` has its user and inode, and the descriptors
/// of our own user's processes show which process has it.
///
/// The first process that binds a port gets it, and any user's process may bind it once a browser has ended. So each
/// connection is checked, not the port, and a connection to another user's program is refused. The listener is checked
/// before anything is sent; the connection again once the peer has answered, as another process may have accepted it.
struct PeerSocket: Sendable, Hashable {
    private let inode: String

    /// To be called after the peer has sent data: a socket has no owner until a process has accepted the connection.
    init(of connection: borrowing DevToolsSocket) throws(DevToolsProblem) {
        guard let theirs = connection.address(isOurs: false), let ours = connection.address(isOurs: true) else {
            throw .ended
        }
        // A server for both versions of IP has connections of version 4 in the other table.
        for (file, prefix) in [("/proc/net/tcp", ""), ("/proc/net/tcp6", ""), ("/proc/net/tcp6", Self.mapped)] {
            let table = FileSystem.contents(of: file, limit: 32 << 20) ?? []
            guard let found = Self.entry(of: prefix + theirs, with: prefix + ours, in: table) else { continue }
            guard found.user == String(geteuid()) else { throw .foreign }
            inode = found.inode
            return
        }
        throw .ownerless
    }

    /// Throws `foreign` where a process of another user listens at an address.
    ///
    /// - Parameter address: as the table writes it.
    static func checkListener(at address: String) throws(DevToolsProblem) {
        let port = address.suffix(5)
        // Of this address, of all of its version, or of all of both.
        let places = [
            address, mapped + address, String(repeating: "0", count: 8) + port,
            String(repeating: "0", count: 32) + port,
        ].map { Array($0.utf8) }
        let listening = Array("0A".utf8)
        var isFound = false
        for file in ["/proc/net/tcp", "/proc/net/tcp6"] {
            for line in (FileSystem.contents(of: file, limit: 32 << 20) ?? []).split(separator: 0x0A) {
                let fields = line.split(separator: 0x20, maxSplits: 8)
                guard fields.count > 8, fields[3].elementsEqual(listening),
                    places.contains(where: { $0.elementsEqual(fields[1]) })
                else { continue }
                guard fields[7].elementsEqual(String(geteuid()).utf8) else { throw .foreign }
                isFound = true
            }
        }
        guard isFound else { throw .ownerless }
    }

    /// What the kernel's table says of the socket at one end of a connection.
    ///
    /// - Parameters:
    ///   - own: that end, as the table writes it.
    ///   - table: lines of a number, local and remote address, state, queues, timer, retransmits, user, timeout, inode.
    static func entry(of own: String, with other: String, in table: [UInt8]) -> (user: String, inode: String)? {
        let wanted = Array(": \(own) \(other) ".utf8)
        for line in table.split(separator: 0x0A) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), line[colon...].starts(with: wanted) else {
                continue
            }
            let fields = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard fields.count > 9 else { return nil }
            return (String(fields[7]), String(fields[9]))
        }
        return nil
    }

    /// `::ffff:0:0/96`, the addresses of version 4 within those of version 6.
    private static let mapped = String(repeating: "0", count: 16) + TableText.word(UInt32(0xFFFF).bigEndian)

    /// The process that has it; of several the oldest, which is the browser itself.
    var process: Int32? {
        let wanted = "socket:[\(inode)]"
        for process in ProcessTable.own().sorted() {
            let folder = "/proc/\(process)/fd"
            if ((try? FileSystem.names(in: folder)) ?? []).contains(where: { Self.link("\(folder)/\($0)") == wanted }) {
                return process
            }
        }
        return nil
    }

    /// The file that a process runs.
    static func program(of process: Int32) -> String? { link("/proc/\(process)/exe") }

    private static func link(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}

/// How `/proc/net/tcp` writes numbers.
enum TableText {
    /// A word of an address as it lies in memory, read as a number of this machine.
    static func word(_ word: UInt32) -> String { padded(UInt64(word), 8) }

    static func port(_ port: UInt16) -> String { padded(UInt64(port), 4) }

    private static func padded(_ number: UInt64, _ width: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: width - digits.utf8.count) + digits
    }
}

/// The head of an HTTP/1.1 answer (RFC 9112).
struct DevToolsHead {
    var status: Int
    /// By name in lower case.
    var fields: [String: String]

    private static let longest = 16 * 1024

    /// Takes a head off what the other side sends.
    init(of socket: inout DevToolsSocket, until deadline: Deadline) throws(DevToolsProblem) {
        let end: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
        /// How much of it has no end of a head.
        var scanned = 0
        while true {
            let received = socket.received
            let rest = received.dropFirst(scanned)
            if let place = rest.indices.first(where: { rest[$0] == 0x0D && rest[$0...].starts(with: end) }) {
                guard place - received.startIndex <= Self.longest, let head = Self(received[..<place]) else {
                    throw .garbled("no head of HTTP")
                }
                socket.consume(place - received.startIndex + end.count)
                self = head
                return
            }
            guard received.count <= Self.longest else { throw .garbled("a head of \(received.count) bytes") }
            scanned = max(0, received.count - end.count + 1)
            guard !deadline.isOver, try socket.receive(until: deadline) else { throw .silent }
        }
    }

    init?(_ bytes: ArraySlice<UInt8>) {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            line.last == 0x0D ? line.dropLast() : line
        }
        let first = (lines.first ?? []).split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        guard first.count >= 2, first[0].elementsEqual("HTTP/1.1".utf8), first[1].count == 3,
            let status = Int(String(decoding: first[1], as: UTF8.self))
        else { return nil }
        self.status = status
        fields = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            var value = line[(colon + 1)...].drop(while: Self.isSpace)
            while let last = value.last, Self.isSpace(last) { value.removeLast() }
            fields[name] = String(decoding: value, as: UTF8.self)
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    func has(_ name: String, _ word: String) -> Bool { fields[name]?.lowercased() == word }
}
