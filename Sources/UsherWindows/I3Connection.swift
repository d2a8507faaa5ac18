internal import CLinux
internal import Glibc
internal import UsherActivation
internal import UsherJSON
internal import UsherSystem

/// A connection to the IPC socket of sway or i3; closed by `deinit`. Every wait is bounded.
struct I3Connection: ~Copyable {
    /// How long an answer may take, in milliseconds.
    let patience: Int
    private let descriptor: Int32
    /// Which life of which compositor this is.
    let server: String
    private var input = ReceiveBuffer()
    /// Events that came while a reply was awaited.
    var events: [I3Message] = []

    init(path: String, patience: Int = 2000) throws(I3Problem) {
        self.patience = patience
        // Its queue has three places, which several launches at once fill; that of a compositor that hangs stays full.
        descriptor = try Result { () throws(SystemError) in
            try LocalSocket.connect(to: path, waits: false, patience: patience)
        }.mapError { I3Problem.unreachable($0.number) }.get()
        server = "\(path):\(ProcessTable.life(of: usher_peer_process(descriptor)))"
    }

    deinit { close(descriptor) }

    /// Sends messages in one go.
    func send(_ bytes: [UInt8], until deadline: Deadline) throws(I3Problem) {
        switch SocketOutput.send(bytes, to: descriptor, until: deadline) {
        case .ready: break
        case .late: throw .silent
        case .ended, .failed: throw .ended
        }
    }

    /// The next message of any kind; nil at the deadline, or when `end` can be read.
    mutating func receive(until deadline: Deadline?, or end: Int32 = -1) throws(I3Problem) -> I3Message? {
        while true {
            if let message = try nextMessage() { return message }
            guard let isFilled = input.fill(from: descriptor, until: deadline, or: end) else { throw .ended }
            if !isFilled { return nil }
        }
    }

    /// The answer to a request that was sent; what else comes meanwhile are events.
    mutating func reply(to kind: I3Message.Kind, until deadline: Deadline) throws(I3Problem) -> [UInt8] {
        while let message = try receive(until: deadline) {
            if message.type == kind.rawValue { return message.body }
            guard message.isEvent else { throw .garbled("an answer without a request") }
            events.append(message)
        }
        throw .silent
    }

    /// A whole message out of what was received.
    private mutating func nextMessage() throws(I3Problem) -> I3Message? {
        let header = I3Message.headerLength
        let bytes = input.bytes
        guard bytes.count >= header else { return nil }
        guard bytes.starts(with: I3Message.magic) else { throw .garbled("no message of the i3 protocol") }
        let numbers = unsafe bytes.withUnsafeBytes { raw in
            [6, 10].map { unsafe raw.loadUnaligned(fromByteOffset: $0, as: UInt32.self) }
        }
        let length = Int(numbers[0])
        guard length <= I3Message.longest else { throw .garbled("a message of \(length) bytes") }
        guard bytes.count >= header + length else { return nil }
        let message = I3Message(type: numbers[1], body: Array(bytes.dropFirst(header).prefix(length)))
        input.consume(header + length)
        return message
    }
}

// MARK: - Requests

/// What is asked.
extension I3Connection {
    private mutating func ask(_ kind: I3Message.Kind, _ text: String = "") throws(I3Problem) -> JSONDocument {
        let deadline = Deadline(inMilliseconds: patience)
        try send(I3Message.encode(kind, text), until: deadline)
        return try Self.read(reply(to: kind, until: deadline))
    }

    mutating func tree() throws(I3Problem) -> SwayTree { SwayTree(try ask(.tree)) }

    /// From now on these events arrive beside the replies.
    mutating func subscribe(to events: String) throws(I3Problem) {
        let answer = try ask(.subscribe, events)
        guard let root = answer.root, answer.value("success", in: root).flatMap(answer.boolean) == true else {
            throw .refused("it gives no events")
        }
    }

    /// What has the keyboard, of the first seat.
    mutating func focusedContainer() throws(I3Problem) -> Int64? { Self.focused(in: try ask(.seats)) }

    /// Waits until something happens, or has happened during the last request; false at the deadline.
    mutating func nextEvent(until deadline: Deadline) throws(I3Problem) -> Bool {
        if events.isEmpty { return try receive(until: deadline) != nil }
        events = []
        return true
    }

    /// Runs commands, of which only numbers may come from elsewhere.
    mutating func run(_ commands: String) throws(I3Problem) {
        if let problem = Self.problem(in: try ask(.runCommand, commands)) { throw .refused(problem) }
    }

    /// `sway 1.7`.
    mutating func version() throws(I3Problem) -> String {
        let answer = try ask(.version)
        let number = answer.root.flatMap { answer.value("human_readable", in: $0) }.flatMap(answer.string)
        // Versions between releases say their commit and their day as well.
        return "sway \(number.map { String($0.prefix { $0 != "-" && $0 != " " }) } ?? "")"
    }

    /// What the first failed command of an answer says; nil where all succeeded.
    static func problem(in answer: JSONDocument) -> String? {
        guard let root = answer.root else { return "it does not answer" }
        for result in answer.elements(root)
        where answer.value("success", in: result).flatMap(answer.boolean) != true {
            return answer.value("error", in: result).flatMap(answer.string) ?? "it refuses, and does not say why"
        }
        return nil
    }

    /// The container that has the keyboard, of the first seat.
    static func focused(in seats: JSONDocument) -> Int64? {
        guard let root = seats.root, let seat = seats.firstElement(root) else { return nil }
        return seats.value("focus", in: seat).flatMap(seats.int64)
    }

    static func read(_ body: [UInt8]) throws(I3Problem) -> JSONDocument {
        // Each container inside another is two levels, and users may nest as they like.
        try Result { () throws(JSONError) in try JSONDocument.answer(body, maximumDepth: 8192) }
            .mapError { I3Problem.garbled("\($0)") }.get()
    }
}

/// A message of the i3 IPC protocol: `i3-ipc`, the length and the type in this machine's byte order, and a JSON text
/// (sway-ipc(7), "MESSAGES AND REPLIES").
struct I3Message: Sendable {
    enum Kind: UInt32, Sendable {
        case runCommand = 0
        case subscribe = 2
        case tree = 4
        case version = 7
        case seats = 101
    }

    fileprivate static let magic = Array("i3-ipc".utf8)
    fileprivate static let headerLength = 14
    /// A longer reply is refused: a tree of five hundred windows has half a megabyte.
    fileprivate static let longest = 32 * 1024 * 1024

    /// As received: of a reply that of its request, of an event with the highest bit set.
    var type: UInt32
    var body: [UInt8]

    fileprivate static let windowEvent: UInt32 = 0x8000_0003

    fileprivate var isEvent: Bool { type & 0x8000_0000 != 0 }

    static func encode(_ kind: Kind, _ text: String = "") -> [UInt8] {
        var bytes = magic
        for number in [UInt32(text.utf8.count), kind.rawValue] {
            unsafe withUnsafeBytes(of: number) { raw in unsafe bytes.append(contentsOf: raw) }
        }
        bytes += text.utf8
        return bytes
    }
}

/// An event about a window or a workspace (sway-ipc(7), "EVENTS").
struct SwayEvent: Sendable {
    enum Change: Sendable {
        /// The keyboard went to a window.
        case focus
        /// Only how a window is called, or what is of no interest here.
        case title
        /// Something else about what is where.
        case place
    }

    /// What is subscribed to.
    static let names = #"["window","workspace"]"#

    var change: Change
    /// nil where it is about a workspace.
    var container: Int64?

    /// nil where it is no event, or not understood.
    init?(_ message: I3Message) {
        guard message.isEvent, let document = try? I3Connection.read(message.body), let root = document.root,
            let change = document.value("change", in: root).flatMap(document.string)
        else { return nil }
        self.change = .place
        guard message.type == I3Message.windowEvent, let window = document.value("container", in: root) else {
            return
        }
        container = document.value("id", in: window).flatMap(document.int64)
        switch change {
        case "focus": self.change = .focus
        case "title", "mark": self.change = .title
        default: break
        }
    }
}

/// What can go wrong between here and a compositor.
enum I3Problem: Error, Sendable {
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
