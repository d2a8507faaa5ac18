internal import UsherSystem
internal import UsherText

/// Tells the service manager how the daemon is: systemd's notification protocol, without its library.
///
/// Datagrams of `NAME=value` lines to the socket that `NOTIFY_SOCKET` names (sd_notify(3)); without that variable nothing is
/// sent. Safe to use from any thread; waits at most a second for a manager that does not read.
public final class ServiceNotifier: Sendable {
    private let path: String
    private let socket: DatagramSocket
    /// How often `keepAlive()` must be called: half of what the manager allows; nil where it does not watch.
    public let watchdogInterval: Duration?

    /// - Parameters:
    ///   - environment: `NOTIFY_SOCKET` (a path, or `@` and an abstract name), `WATCHDOG_USEC`, `WATCHDOG_PID`.
    ///   - process: this process; a watchdog that is meant for another one is not ours.
    /// - Returns: nil where no service manager listens.
    public init?(environment: [String: String], process: Int32) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@"),
            let socket = DatagramSocket(limit: 1000)
        else { return nil }
        self.path = path
        self.socket = socket
        watchdogInterval = ServiceNotifier.watchdogInterval(environment, process)
    }

    /// Start-up is over: requests are served. Also the end of a reload.
    @discardableResult
    public func ready(status: String? = nil) -> Bool { send("READY=1", status: status) }

    /// The configuration is being read again; `ready` or `status` ends that.
    ///
    /// The time is what a manager of `Type=notify-reload` compares with when it sent the signal (systemd 253).
    @discardableResult
    public func reloading() -> Bool {
        send("RELOADING=1\nMONOTONIC_USEC=\(MonotonicClock.microseconds())", status: nil)
    }

    /// The daemon takes no more requests and finishes what it has.
    @discardableResult
    public func stopping(status: String? = nil) -> Bool { send("STOPPING=1", status: status) }

    /// The daemon is alive.
    @discardableResult
    public func keepAlive() -> Bool { send("WATCHDOG=1", status: nil) }

    private func send(_ state: String, status: String?) -> Bool {
        var lines = [state]
        // A line feed would begin another assignment.
        if let status { lines.append("STATUS=" + Printable.escaped(status)) }
        return socket.send(Array(lines.joined(separator: "\n").utf8), to: path) == 0
    }

    private static func watchdogInterval(_ environment: [String: String], _ process: Int32) -> Duration? {
        guard let microseconds = environment["WATCHDOG_USEC"].flatMap(Int64.init), microseconds > 0 else { return nil }
        if let other = environment["WATCHDOG_PID"], Int32(other) != process { return nil }
        return .microseconds(max(1, microseconds / 2))
    }
}
