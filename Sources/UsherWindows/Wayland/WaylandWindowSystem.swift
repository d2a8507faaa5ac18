public import UsherActivation
internal import UsherSystem
internal import UsherText

/// A Wayland compositor without an interface that Usher can query for windows.
///
/// It lists no windows and supports no operation on windows. It exists so that `usher doctor` reports what does not
/// work on this desktop, and why.
public final class WaylandWindowSystem: WindowSystem {
    public let name = "wayland"
    private let path: String?
    private let hasXwayland: Bool

    /// `environment` is Usher's own; of it, WAYLAND_DISPLAY, XDG_RUNTIME_DIR and DISPLAY are used.
    public init(environment: [String: String]) {
        path = WaylandGlobals.path(in: environment)
        hasXwayland = !(environment["DISPLAY"] ?? "").isEmpty
    }

    public var isAvailable: Bool { path != nil }

    /// In milliseconds: how long a compositor may take to say what it offers.
    private static let patience = 1000
    /// By which KWin reports its windows to its own programs.
    private static let plasma = "org_kde_plasma_window_management"

    public var support: WindowSupport {
        guard let path else { return WindowSupport(name, nothing: "WAYLAND_DISPLAY names no socket") }
        guard let globals = WaylandGlobals(path: path, until: Deadline(inMilliseconds: Self.patience)) else {
            return WindowSupport(name, nothing: "no compositor answers at \(Printable.text(path))")
        }
        let compositor = globals.compositor ?? "the compositor"
        if WaylandToplevels.isOffered(by: globals) {
            return WindowSupport(
                globals.compositor.map { "\(name) (\($0))" } ?? name,
                nothing: "\(compositor) did not answer when usherd was started: start usherd anew")
        }
        let windows =
            globals.compositor == "gnome-shell"
            ? "GNOME Shell reports windows by an extension: usher desktop install gnome"
            : globals.interfaces.contains(Self.plasma)
                ? "\(compositor) tells of windows by \(Self.plasma), which Usher does not speak"
                : "\(compositor) tells programs nothing about windows"
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

    public func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? { nil }

    public func plan(_ step: WindowStep) -> String { "nothing: this compositor tells nothing about windows" }

    private var refusal: ActivationFailure {
        .windowSystem(name, "this compositor tells nothing about windows", help: "use launch = { dbus = … }")
    }
}

/// What a Wayland compositor says of itself: the process that it is, and the protocols that it offers.
struct WaylandGlobals {
    /// The name of the compositor's process; nil where it cannot be seen.
    let compositor: String?
    /// Names of interfaces.
    let interfaces: Set<String>

    /// - Parameter path: the socket that WAYLAND_DISPLAY names.
    /// - Returns: nil where no process listens on the socket, the peer speaks another protocol, or it does not answer
    ///   in time.
    init?(path: String, until deadline: Deadline) {
        guard var connection = try? WaylandConnection(path: path),
            let globals = try? connection.globals(until: deadline)
        else { return nil }
        compositor = connection.compositor
        interfaces = Set(globals.map(\.interface))
    }

    /// The socket that the environment names.
    static func path(in environment: [String: String]) -> String? {
        let display = environment["WAYLAND_DISPLAY"] ?? ""
        let folder = environment["XDG_RUNTIME_DIR"] ?? ""
        if display.isEmpty { return nil }
        return display.hasPrefix("/") ? display : folder.isEmpty ? nil : "\(folder)/\(display)"
    }
}
