internal import CLinux
internal import Glibc
internal import Synchronization
package import UsherActivation
internal import UsherJSON
internal import UsherSystem

/// A compositor that answers requests on a Unix socket, one for each connection, and sends events over another connection.
protocol AskedCompositor: Sendable {
    var desktop: DesktopName { get }
    /// The socket for requests.
    var path: String { get }
    var actions: Set<ToplevelAction> { get }
    func isID(_ text: String) -> Bool
    /// The windows now, and the process that answered.
    func windows() throws(CompositorProblem) -> (process: Int32, list: [Toplevel])
    /// A connection over which events arrive from now on.
    func events() throws(CompositorProblem) -> CompositorConnection
    func request(_ action: ToplevelAction, of id: String) throws(CompositorProblem)
}

enum CompositorProblem: Error {
    /// No process accepts the connection: the errno.
    case unreachable(Int32)
    /// It closed the connection before the answer was complete.
    case ended
    case silent
    case garbled(String)
    /// It refused a request, with its text.
    case refused(String)
    /// There is no such window.
    case gone

    static let tooLong = Self.garbled("an answer of more than 32 MB")
}

/// A connection to a compositor's socket; closed by `deinit`. Every wait is bounded.
struct CompositorConnection: ~Copyable {
    /// In milliseconds.
    static let patience = 2000
    /// A longer answer is refused: a list of five hundred windows has half a megabyte.
    private static let longest = 32 << 20

    private let descriptor: Int32
    /// The process that listens.
    let process: Int32
    private var input = ReceiveBuffer()

    init(path: String) throws(CompositorProblem) {
        descriptor = try Result { () throws(SystemError) in
            try LocalSocket.connect(to: path, waits: false, patience: Self.patience)
        }.mapError { CompositorProblem.unreachable($0.number) }.get()
        process = usher_peer_process(descriptor)
    }

    deinit { close(descriptor) }

    /// Sends a request, which is short.
    func send(_ text: String) throws(CompositorProblem) {
        let bytes = Array(text.utf8)
        let sent = unsafe bytes.withUnsafeBytes { unsafe usher_send(descriptor, $0.baseAddress, UInt($0.count)) }
        guard sent == bytes.count else { throw sent < 0 && errno == EAGAIN ? .silent : .ended }
    }

    /// All that comes until the other side closes the connection.
    mutating func rest() throws(CompositorProblem) -> [UInt8] {
        let deadline = Deadline(inMilliseconds: Self.patience)
        while let isFilled = input.fill(from: descriptor, until: deadline) {
            guard input.bytes.count <= Self.longest else { throw .tooLong }
            guard isFilled, !deadline.isOver else { throw .silent }
        }
        return Array(input.bytes)
    }

    /// The next line, without its end.
    mutating func line() throws(CompositorProblem) -> [UInt8] {
        let deadline = Deadline(inMilliseconds: Self.patience)
        while true {
            if let line = input.takeLine() { return line }
            guard input.bytes.count <= Self.longest else { throw .tooLong }
            guard let isFilled = input.fill(from: descriptor, until: deadline) else { throw .ended }
            guard isFilled else { throw .silent }
        }
    }

    /// Waits for an event, and discards it and all that came with it; false at the deadline, or when `end` is readable.
    mutating func nextEvent(until deadline: Deadline?, or end: Int32?) throws(CompositorProblem) -> Bool {
        defer { input.consume(input.bytes.count) }
        if !input.bytes.isEmpty { return true }
        guard let isFilled = input.fill(from: descriptor, until: deadline, or: end ?? -1) else { throw .ended }
        return isFilled
    }
}

/// The windows of a compositor that is asked.
final class AskedToplevels<Compositor: AskedCompositor>: ToplevelSource {
    private let compositor: Compositor
    private let model = ToplevelModel()
    /// One look at a time: an older one must not replace a newer one.
    private let looking = Mutex(())

    /// nil where no such compositor answers.
    init?(_ compositor: Compositor) {
        self.compositor = compositor
        guard (try? compositor.windows()) != nil else { return nil }
    }

    var desktop: DesktopName { compositor.desktop }

    var isAvailable: Bool { true }

    var actions: Set<ToplevelAction> { compositor.actions }

    func isID(_ text: String) -> Bool { compositor.isID(text) }

    var support: WindowSupport {
        do throws(ActivationFailure) {
            guard try snapshot() != nil else {
                return WindowSupport(name, nothing: "no compositor answers at \(compositor.path)")
            }
        } catch {
            return WindowSupport(name, error)
        }
        return WindowSupport(
            name, allBut: [.token: "the list of windows does not name the token that a window was opened with"])
    }

    func snapshot() throws(ActivationFailure) -> ToplevelSnapshot? {
        try Result { () throws(CompositorProblem) in try look() }.mapError(failure).get()
    }

    /// nil where no compositor runs.
    private func look() throws(CompositorProblem) -> ToplevelSnapshot? {
        try looking.withLock { (_) throws(CompositorProblem) in
            do throws(CompositorProblem) {
                let (process, list) = try compositor.windows()
                let server = "\(compositor.path):\(ProcessTable.life(of: process))"
                model.publish(server: server, windows: list)
            } catch {
                guard Self.isAbsence(error) else { throw error }
                model.publish(server: nil, windows: [])
            }
            return model.current
        }
    }

    private static func isAbsence(_ problem: CompositorProblem) -> Bool {
        switch problem {
        case .unreachable(ECONNREFUSED), .unreachable(ENOENT), .ended: true
        default: false
        }
    }

    func request(
        _ action: ToplevelAction, of id: String, server: String, token: String?
    ) throws(ActivationFailure) {
        do throws(CompositorProblem) {
            try compositor.request(action, of: id)
        } catch {
            if case .gone = error { throw .windowGone("\(name):\(id)") }
            throw failure(error)
        }
    }

    func wait(
        after serial: UInt64?, until deadline: Deadline?, or descriptor: Int32?
    ) throws(ActivationFailure) -> ToplevelSnapshot? {
        guard var socket = SocketWait(path: compositor.path) else { return try snapshot() }
        do throws(CompositorProblem) {
            while true {
                socket.begin()
                if let changed = try follow(after: serial, until: deadline, or: descriptor) { return changed }
                let isOver = deadline?.isOver ?? false
                guard serial == nil, !isOver, socket.wait(or: descriptor ?? -1, until: deadline) else {
                    return try look()
                }
            }
        } catch {
            throw failure(error)
        }
    }

    /// Follows the compositor through one life; nil where none runs.
    private func follow(
        after serial: UInt64?, until deadline: Deadline?, or descriptor: Int32?
    ) throws(CompositorProblem) -> ToplevelSnapshot? {
        do throws(CompositorProblem) {
            var events = try compositor.events()
            while let now = try look() {
                if serial != now.serial { return now }
                guard try events.nextEvent(until: deadline, or: descriptor) else { return try look() }
            }
            return nil
        } catch {
            guard Self.isAbsence(error) else { throw error }
            return try look()
        }
    }

    private func failure(_ problem: CompositorProblem) -> ActivationFailure {
        let path = compositor.path
        return switch problem {
        case .gone: .windowSystem(name, "the window is gone")
        case .unreachable(EAGAIN), .silent: .windowSystem(name, "the compositor at \(path) does not answer")
        case .unreachable(let code):
            .windowSystem(name, "its socket cannot be used: \(SystemError.text(code)): \(path)")
        case .ended: .windowSystem(name, "the compositor closed the connection at \(path)")
        case .garbled(let what): .windowSystem(name, "\(path) speaks another protocol: \(what)")
        case .refused(let text): .windowSystem(name, "the compositor refused the request: \(text)")
        }
    }
}

/// An answer of a compositor.
struct CompositorAnswer {
    let process: Int32
    let document: JSONDocument
    /// What was asked for.
    let value: JSONElement
}

extension JSONDocument {
    /// The document of an answer. Titles come as their programs gave them: one that is no UTF-8 must not hide all others.
    ///
    /// - Throws: the first fault.
    static func answer(_ body: [UInt8], maximumDepth: Int = 512) throws(JSONError) -> JSONDocument {
        var document = JSONDocument(maximumDepth: maximumDepth)
        do throws(JSONError) {
            try document.parse(body)
        } catch {
            try document.parse(Array(String(decoding: body, as: UTF8.self).utf8))
        }
        return document
    }

    func string(_ name: String, in object: JSONElement) -> String? { value(name, in: object).flatMap(string) }

    func isTrue(_ name: String, in object: JSONElement) -> Bool { value(name, in: object).flatMap(boolean) == true }

    func process(_ name: String, in object: JSONElement) -> Int32? {
        value(name, in: object).flatMap(int64).flatMap(Int32.init(exactly:)).flatMap { $0 > 0 ? $0 : nil }
    }
}

extension ToplevelWindowSystem {
    /// nil where the environment names no Hyprland that answers.
    package static func hyprland(environment: [String: String]) -> ToplevelWindowSystem? {
        HyprlandCompositor(environment: environment).flatMap { AskedToplevels($0) }.map { ToplevelWindowSystem($0) }
    }

    /// nil where the environment names no niri that answers.
    package static func niri(environment: [String: String]) -> ToplevelWindowSystem? {
        NiriCompositor(environment: environment).flatMap { AskedToplevels($0) }.map { ToplevelWindowSystem($0) }
    }
}
