internal import CXcb
internal import Glibc

/// Which server and which screen is meant: `:0`, `unix:0`, `localhost:10.0` (X(7), DISPLAY).
struct X11Display: Sendable, Hashable {
    /// Where the sockets of local servers are.
    private static let folder = "/tmp/.X11-unix"

    /// Empty for a server on this machine.
    var host: String
    var number: Int32
    var screen: Int32

    init?(_ text: String) {
        // The library takes an empty name for the one in the process's own environment.
        guard !text.isEmpty, !text.utf8.contains(0) else { return nil }
        var host: UnsafeMutablePointer<CChar>?
        var number: Int32 = 0
        var screen: Int32 = 0
        guard unsafe xcb_parse_display(text, &host, &number, &screen) != 0 else { return nil }
        defer { unsafe free(host) }
        // Longer numbers are cut by the library, and no server has one.
        guard (0...65535).contains(number), screen >= 0 else { return nil }
        let name = unsafe host.map { unsafe String(cString: $0) } ?? ""
        self.host = name == "unix" ? "" : name
        self.number = number
        self.screen = screen
    }

    /// The same for each way to write it: `:0`, `remote:10.1`.
    var text: String { "\(host):\(number)\(screen == 0 ? "" : ".\(screen)")" }

    var isLocal: Bool { host.isEmpty }

    /// The socket of a local server.
    var path: String { "\(Self.folder)/X\(number)" }
}
