internal import CLinux
internal import Glibc
internal import UsherActivation
internal import UsherSystem
internal import UsherText

/// A connection to a Wayland compositor; closed by `deinit`.
///
/// A message has two 32-bit words, in the byte order of the machine, and arguments. The first word is the object; the second
/// has the length in bytes in its upper half and the opcode in its lower half (wayland.freedesktop.org, "Wire Format").
struct WaylandConnection: ~Copyable {
    let descriptor: Int32
    /// The process that listens on the socket.
    let process: Int32
    private var input = ReceiveBuffer()

    /// The object that every connection begins with.
    static let display: UInt32 = 1
    /// The longest message, in bytes: its length has 16 bits.
    private static let longest = 1 << 16

    /// - Parameter patience: how long it waits for a place in the compositor's queue of connections, in milliseconds.
    init(path: String, patience: Int = 0) throws(SystemError) {
        descriptor = try LocalSocket.connect(to: path, waits: false, patience: patience)
        process = usher_peer_process(descriptor)
    }

    deinit { close(descriptor) }

    /// Names the life of the compositor.
    func server(at path: String) -> String { "\(path):\(ProcessTable.life(of: process))" }

    /// The name of the compositor's process: `gnome-shell`, `kwin_wayland`, `labwc`; nil where it cannot be seen.
    var compositor: String? {
        guard process > 0, let name = ProcessTable.name(of: process), !name.isEmpty else { return nil }
        return Printable.text(name)
    }

    /// Sends requests at once; false where there is no room for all of them: the compositor does not read.
    static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        let sent = unsafe bytes.withUnsafeBytes { unsafe usher_send(descriptor, $0.baseAddress, UInt($0.count)) }
        return sent == bytes.count
    }

    /// The next event that has been received already.
    mutating func nextReceived() throws(WaylandProblem) -> WaylandMessage? {
        guard let message = WaylandMessage(input.bytes) else { return nil }
        // A length below that of the head is another protocol.
        guard message.length >= WaylandMessage.headLength, message.length <= Self.longest else { throw .garbled }
        guard message.isWhole else { return nil }
        input.consume(message.length)
        if message.object == Self.display, message.opcode == 0 {
            throw .refused(message.arguments.dropping(8).text ?? "no reason is given")
        }
        return message
    }

    /// Waits for events; false at the deadline, or when `end` is readable.
    mutating func fill(until deadline: Deadline?, or end: Int32 = -1) throws(WaylandProblem) -> Bool {
        guard let isFilled = input.fill(from: descriptor, until: deadline, or: end) else { throw .ended }
        return isFilled
    }
}

extension WaylandConnection {
    /// Connects to a compositor, in each of its lives, until the watch is told to end.
    ///
    /// - Parameters:
    ///   - absent: is called when there is none, and at the end.
    ///   - follow: uses a connection for as long as it lasts; false where the compositor does not answer.
    static func stay(
        at path: String, patience: Int, until end: WatchThread.End, absent: () -> Void = {},
        _ follow: (inout WaylandConnection) -> Bool
    ) {
        guard var wait = SocketWait(path: path) else { return absent() }
        while !end.hasCome {
            wait.begin()
            var isHung = false
            do throws(SystemError) {
                var connection = try WaylandConnection(path: path, patience: patience)
                isHung = !follow(&connection)
            } catch {
                isHung = error.number == EAGAIN
            }
            if end.hasCome { return absent() }
            if isHung {
                // No event reports that it answers again.
                end.wait(until: Deadline(inMilliseconds: 1000))
            } else {
                absent()
                guard wait.wait(or: end.descriptor) else { return }
            }
        }
    }
}

enum WaylandProblem: Error {
    /// The compositor closed the connection.
    case ended
    /// The peer speaks another protocol.
    case garbled
    /// `wl_display.error`, with its text.
    case refused(String)
}

/// An event of a compositor.
struct WaylandMessage {
    static let headLength = 8

    let object: UInt32
    let opcode: UInt32
    /// With its head.
    let length: Int
    let arguments: WaylandArguments
    let isWhole: Bool

    /// nil where not even the head is there.
    fileprivate init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= Self.headLength else { return nil }
        object = WaylandArguments.number(bytes)
        let word = WaylandArguments.number(bytes.dropFirst(4))
        opcode = word & 0xFFFF
        length = Int(word >> 16)
        isWhole = bytes.count >= length
        arguments = WaylandArguments(bytes: bytes.prefix(max(length, Self.headLength)).dropFirst(Self.headLength))
    }
}

/// The arguments of an event, from one of them on.
struct WaylandArguments {
    fileprivate let bytes: ArraySlice<UInt8>

    func dropping(_ count: Int) -> Self { Self(bytes: bytes.dropFirst(count)) }

    /// nil where the message is too short.
    var number: UInt32? { bytes.count >= 4 ? Self.number(bytes) : nil }

    /// A text, which the wire ends with 0.
    var text: String? { content.map { String(decoding: $0.dropLast(), as: UTF8.self) } }

    /// An array of numbers.
    var numbers: [UInt32]? {
        guard let content = content(mayBeEmpty: true) else { return nil }
        return stride(from: content.startIndex, to: content.endIndex - 3, by: 4).map { Self.number(content[$0...]) }
    }

    /// What follows a text or an array.
    var afterText: Self {
        guard let count = number else { return dropping(bytes.count) }
        return dropping(4 + (Int(count) + 3) / 4 * 4)
    }

    private var content: ArraySlice<UInt8>? { content(mayBeEmpty: false) }

    private func content(mayBeEmpty: Bool) -> ArraySlice<UInt8>? {
        guard let count = number, Int(count) <= bytes.count - 4, count > 0 || mayBeEmpty else { return nil }
        return bytes.dropFirst(4).prefix(Int(count))
    }

    fileprivate static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt32.self) }
    }
}

/// A request to a compositor.
enum WaylandRequest {
    static func bytes(_ object: UInt32, _ opcode: UInt32, _ arguments: UInt32...) -> [UInt8] {
        bytes(object, opcode, body: words(arguments))
    }

    /// `wl_registry.bind`.
    static func bind(registry: UInt32, _ global: WaylandGlobal, version: UInt32, as object: UInt32) -> [UInt8] {
        let text = Array(global.interface.utf8) + [0]
        let padding = [UInt8](repeating: 0, count: (4 - text.count % 4) % 4)
        return bytes(
            registry, 0,
            body: words([global.number, UInt32(text.count)]) + text + padding
                + words([min(version, global.version), object]))
    }

    private static func bytes(_ object: UInt32, _ opcode: UInt32, body: [UInt8]) -> [UInt8] {
        words([object, UInt32(body.count + WaylandMessage.headLength) << 16 | opcode]) + body
    }

    private static func words(_ numbers: [UInt32]) -> [UInt8] {
        numbers.flatMap { number in unsafe withUnsafeBytes(of: number) { unsafe Array($0) } }
    }
}

/// `wl_registry.global`: an interface that the compositor offers.
struct WaylandGlobal {
    let number: UInt32
    let interface: String
    let version: UInt32

    init?(_ arguments: WaylandArguments) {
        guard let number = arguments.number, let interface = arguments.dropping(4).text,
            let version = arguments.dropping(4).afterText.number
        else { return nil }
        self.number = number
        self.interface = interface
        self.version = version
    }
}

extension WaylandConnection {
    /// Reads the registry. Afterwards, object 2 is the registry, 3 was the callback, and new objects begin with
    /// `firstFreeObject`.
    ///
    /// - Returns: nil where the compositor does not answer in time.
    mutating func globals(until deadline: Deadline, or end: Int32 = -1) throws(WaylandProblem) -> [WaylandGlobal]? {
        // wl_display.get_registry, and wl_display.sync: the answer to sync comes after every global.
        let requests =
            WaylandRequest.bytes(Self.display, 1, Self.registry) + WaylandRequest.bytes(Self.display, 0, Self.callback)
        guard Self.send(requests, to: descriptor) else { throw .ended }
        var found: [WaylandGlobal] = []
        while true {
            while let message = try nextReceived() {
                switch (message.object, message.opcode) {
                case (Self.registry, 0):
                    if let global = WaylandGlobal(message.arguments) { found.append(global) }
                    if found.count > Self.mostGlobals { throw .garbled }
                case (Self.callback, 0): return found
                case (Self.display, 1), (Self.registry, 1): continue
                default: throw .garbled
                }
            }
            guard try fill(until: deadline, or: end) else { return nil }
        }
    }

    static let registry: UInt32 = 2
    private static let callback: UInt32 = 3
    static let firstFreeObject: UInt32 = 4
    /// No compositor offers more.
    private static let mostGlobals = 10_000
}
