internal import CLinux
internal import Glibc
public import UsherActivation
internal import UsherSystem
internal import UsherText

/// A Wayland compositor without an interface that Usher can query for windows: GNOME, KDE, and most others but sway.
///
/// It lists no windows and supports no operation on windows. It exists so that `usher doctor` reports what does not
/// work on this desktop, and why.
public final class WaylandWindowSystem: WindowSystem {
    public let name = "wayland"
    private let path: String?
    private let hasXwayland: Bool

    /// `environment` is Usher's own; of it, WAYLAND_DISPLAY, XDG_RUNTIME_DIR and DISPLAY are used.
    public init(environment: [String: String]) {
        let display = environment["WAYLAND_DISPLAY"] ?? ""
        let folder = environment["XDG_RUNTIME_DIR"] ?? ""
        path = display.isEmpty ? nil : display.hasPrefix("/") ? display : folder.isEmpty ? nil : "\(folder)/\(display)"
        hasXwayland = !(environment["DISPLAY"] ?? "").isEmpty
    }

    public var isAvailable: Bool { path != nil }

    /// In milliseconds: how long a compositor may take to say what it offers.
    private static let patience = 1000
    /// The protocols by which some compositors report their windows.
    private static let tellers = [
        "zwlr_foreign_toplevel_manager_v1", "ext_foreign_toplevel_list_v1", "org_kde_plasma_window_management",
    ]

    public var support: WindowSupport {
        guard let path else { return WindowSupport(name, nothing: "WAYLAND_DISPLAY names no socket") }
        guard let globals = WaylandGlobals(path: path, until: Deadline(inMilliseconds: Self.patience)) else {
            return WindowSupport(name, nothing: "no compositor answers at \(Printable.text(path))")
        }
        let compositor = globals.compositor ?? "the compositor"
        if globals.compositor == "sway" {
            return WindowSupport(
                "\(name) (sway)",
                nothing: "SWAYSOCK is not set: systemctl --user import-environment SWAYSOCK, and start usherd anew")
        }
        let teller = Self.tellers.first(where: globals.interfaces.contains)
        let windows =
            globals.compositor == "gnome-shell"
            ? "GNOME Shell reports windows by an extension: usher desktop install gnome"
            : teller.map { "\(compositor) tells of windows by \($0), which Usher does not speak" }
                ?? "\(compositor) tells programs nothing about windows"
        let others = hasXwayland ? "; those that come through Xwayland are x11's" : ""
        let token: WindowSupport.Answer =
            globals.interfaces.contains("xdg_activation_v1") ? .yes : .no("\(compositor) has no xdg_activation_v1")
        return WindowSupport(
            globals.compositor.map { "\(name) (\($0))" } ?? name,
            [
                .list: .no(windows + others),
                .focus: .no("applications come forward by D-Bus activation: launch = { dbus = … } or { desktop = … }"),
                .verify: .no("what is in front cannot be read back"),
                .watch: .no(windows),
                .launch: .no("programs are started; whether their window has come, only ready = { dbus = … } can tell"),
                .token: token,
            ])
    }

    // MARK: Nothing can be done

    public func recognizes(handle: String) -> Bool { false }

    public func windows() throws(ActivationFailure) -> WindowList { WindowList(server: nil, windows: []) }

    public func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence { .unknown }

    public func launch(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting { throw refusal }

    public func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting { throw refusal }

    public func type(_ keys: WindowKeys, into window: WindowReference) throws(ActivationFailure) { throw refusal }

    public func isOnItsWay(nonce: String) -> Bool { false }

    public func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? { nil }

    public func plan(_ step: WindowStep) -> String { "nothing: this compositor tells nothing about windows" }

    private var refusal: ActivationFailure {
        .windowSystem(name, "this compositor tells nothing about windows", help: "use launch = { dbus = … }")
    }
}

/// What a Wayland compositor says of itself: the process that it is, and the protocols that it offers.
///
/// The registry of the core protocol, read once over a connection of its own (wayland.xml: `wl_display`, `wl_registry`).
/// Numbers are in the byte order of the machine; a message is an object, its length and opcode in one number, and arguments.
struct WaylandGlobals {
    /// The name of the compositor's process: `gnome-shell`, `kwin_wayland`, `labwc`; nil where it cannot be seen.
    let compositor: String?
    /// Names of interfaces.
    let interfaces: Set<String>

    private static let display: UInt32 = 1
    private static let registry: UInt32 = 2
    private static let callback: UInt32 = 3
    /// No compositor offers more, in bytes.
    private static let limit = 1 << 20

    /// - Parameter path: the socket that WAYLAND_DISPLAY names.
    /// - Returns: nil where no process listens on the socket, the peer speaks another protocol, or it does not answer
    ///   in time.
    init?(path: String, until deadline: Deadline) {
        guard let socket = try? LocalSocket.connect(to: path, waits: false) else { return nil }
        defer { close(socket) }
        compositor = Self.name(of: usher_peer_process(socket))
        // wl_display.get_registry, and wl_display.sync: the answer to sync comes after every global.
        let requests: [UInt32] = [Self.display, 12 << 16 | 1, Self.registry, Self.display, 12 << 16, Self.callback]
        let sent = unsafe requests.withUnsafeBytes { unsafe usher_send(socket, $0.baseAddress, UInt($0.count)) }
        guard sent == MemoryLayout<UInt32>.size * requests.count else { return nil }
        var received: [UInt8] = []
        var found: Set<String> = []
        var total = 0
        while total <= Self.limit, !deadline.isOver {
            var offset = 0
            while let message = Message(in: received, at: offset) {
                offset += message.length
                switch (message.object, message.opcode) {
                case (Self.registry, 0): message.global.map { _ = found.insert($0) }
                case (Self.callback, 0):
                    interfaces = found
                    return
                case (Self.display, 1): continue
                default: return nil
                }
            }
            received.removeFirst(offset)
            let left = received.count
            guard Self.receive(into: &received, from: socket, until: deadline) else { return nil }
            total += received.count - left
        }
        return nil
    }

    private struct Message {
        let object: UInt32
        let opcode: UInt32
        /// With its head.
        let length: Int
        private let body: ArraySlice<UInt8>

        /// nil where it is not whole.
        init?(in bytes: [UInt8], at offset: Int) {
            guard bytes.count - offset >= 8 else { return nil }
            object = Message.number(bytes[offset...])
            let word = Message.number(bytes[(offset + 4)...])
            opcode = word & 0xFFFF
            // A length below that of the head is another protocol. It counts as 8 bytes, so that the loop always
            // advances.
            length = max(8, Int(word >> 16))
            guard bytes.count - offset >= length else { return nil }
            body = bytes[(offset + 8)..<(offset + length)]
        }

        /// The interface of `wl_registry.global`: a number, a text that ends with 0, a version.
        var global: String? {
            guard body.count >= 8 else { return nil }
            let text = body.dropFirst(8)
            let length = Int(Message.number(body.dropFirst(4)))
            guard length > 1, length <= text.count else { return nil }
            return String(decoding: text.prefix(length - 1), as: UTF8.self)
        }

        private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
            unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt32.self) }
        }
    }

    private static func receive(into bytes: inout [UInt8], from socket: Int32, until deadline: Deadline) -> Bool {
        var room = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe usher_receive(socket, &room, UInt(room.count))
            if count > 0 {
                bytes += room[..<count]
                return true
            }
            guard count < 0, errno == EAGAIN else { return false }
            var sign = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&sign, 1, deadline.remainingMilliseconds) < 1, deadline.isOver { return false }
        }
    }

    private static func name(of process: Int32) -> String? {
        guard process > 0, let bytes = FileSystem.contents(of: "/proc/\(process)/comm", limit: 64) else { return nil }
        let name = Printable.text(String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self))
        return name.isEmpty ? nil : name
    }
}
