internal import Glibc
internal import UsherActivation
internal import UsherBus
internal import UsherDesktop
internal import UsherEngine
internal import UsherSystem
internal import UsherWindows

/// The window systems and the applications of the session that usherd runs in, from its environment.
struct DesktopSession {
    let windowSystem: WindowSystems
    let applications: SessionApplications
    let notifications: NotificationServer
    let presence: DesktopPresence
    let tabs: BusTerminalTabs

    let browsers: BrowserWindowSystem?

    /// A compositor that lists its windows, other than sway.
    private let compositor: ToplevelWindowSystem?

    /// SWAYSOCK is left over from a session that is over, and DISPLAY leads to the one that is there.
    let isPastSway: Bool

    /// Why browsers cannot connect.
    private(set) var problem: ActivationFailure?

    /// - Parameters:
    ///   - browserSocket: where browsers connect; nil if none is expected.
    ///   - reportKWin: receives what becomes of the script in KWin.
    init(
        environment: [String: String], browserSocket: String? = nil,
        reportKWin: @escaping @Sendable (KWinSource.Event) -> Void = { _ in }
    ) {
        func isSet(_ name: String) -> Bool { !(environment[name] ?? "").isEmpty }
        // sway has the windows of its X server as well. Where it has ended, so has that, and a server that answers is another.
        let x11 = isSet("DISPLAY") ? X11WindowSystem(environment: environment) : nil
        let sway = isSet("SWAYSOCK") ? SwayWindowSystem(environment: environment) : nil
        isPastSway = sway?.isLeftOver == true && x11?.answers == true
        let isSway = sway != nil && !isPastSway
        let bus = SessionBus(environment: environment)
        // In this order. They list the windows of Xwayland as well: X11 is not used beside one of them.
        let compositors: [() -> ToplevelWindowSystem?] = [
            { .hyprland(environment: environment) }, { .niri(environment: environment) },
            { KWinSource.isHere(environment) ? .init(KWinSource(environment: environment, report: reportKWin)) : nil },
            {
                let shell = ToplevelWindowSystem(ShellSource(bus, environment: environment))
                return shell.isAvailable ? shell : nil
            },
            { .wlr(environment: environment) },
        ]
        compositor = isSway ? nil : compositors.lazy.compactMap { $0() }.first
        let desktop: (any WindowSystem)? = if isSway { sway } else { compositor ?? x11 }
        var systems: [any WindowSystem] = [TmuxWindowSystem(environment: environment)]
        if let desktop { systems.append(desktop) }
        if isSet("WAYLAND_DISPLAY"), !isSway, compositor == nil {
            systems.append(WaylandWindowSystem(environment: environment))
        }
        var browsers: BrowserWindowSystem?
        if let browserSocket {
            do throws(ActivationFailure) {
                browsers = try BrowserWindowSystem(socket: browserSocket, desktop: desktop)
            } catch {
                problem = error
            }
        }
        self.browsers = browsers
        if let browsers { systems.append(browsers) }
        windowSystem = WindowSystems(systems)
        applications = SessionApplications(environment: environment, bus: bus)
        notifications = NotificationServer(bus)
        tabs = BusTerminalTabs(bus)
        // An X server beside a compositor knows nothing of what is typed elsewhere.
        let server = isSway || compositor != nil ? Optional.none : x11
        // Only what shows notifications asks for it, and is there long enough to know it.
        let seats =
            browserSocket == nil ? nil : WaylandActivity(environment: environment, pause: Executor.presenceTime)
        presence = DesktopPresence(bus, environment: environment) { server?.timeSinceInput ?? seats?.timeSinceInput }
    }

    /// No further browser can connect: their socket is removed. What was begun in the compositor ends.
    func stop() {
        browsers?.stop()
        compositor?.stop()
    }

    /// The longest line that is answered, in bytes: a list of all windows fits in many times.
    private static let longestLine = 64 << 20

    /// Answers a line with a line until standard input ends; the exit status.
    func answer() -> Int32 {
        defer { compositor?.stop() }
        let service = WindowService(windowSystem, applications: applications)
        var received: [UInt8] = []
        /// How much of it has no end of a line.
        var scanned = 0
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            while let end = received[scanned...].firstIndex(of: 0x0A) {
                let line = Array(received[..<end])
                received.removeSubrange(...end)
                scanned = 0
                guard FileOutput.write(service.answer(line) + [0x0A], to: 1) else { return 0 }
            }
            scanned = received.count
            guard scanned <= DesktopSession.longestLine else { return 1 }
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(0, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return 0 }
            received += buffer[..<count]
        }
    }
}
