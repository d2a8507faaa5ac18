public import UsherActivation

/// Whether the user must not be disturbed, by the programs of the desktop.
///
/// Nothing is started to be asked. Each question has a time limit; on a desktop whose programs answer, all of them together
/// take less than a millisecond.
public final class DesktopPresence: UserPresence {
    private let session: SessionBus
    private let system: SessionBus
    private let environment: [String: String]
    private let timeOfWindows: @Sendable () -> Duration?

    /// In milliseconds, for one question.
    private static let patience = 200

    /// - Parameters:
    ///   - environment: says which bus is the system's (`DBUS_SYSTEM_BUS_ADDRESS`), and which display is the user's.
    ///   - timeSinceInput: what the window system says of it.
    public init(
        _ session: SessionBus, environment: [String: String],
        timeSinceInput: @escaping @Sendable () -> Duration? = { nil }
    ) {
        self.session = session
        self.environment = environment
        timeOfWindows = timeSinceInput
        system = SessionBus(address: BusAddress.system(environment))
    }

    // MARK: Do not disturb

    /// The property of the specification (`Inhibited`, as KDE has it) and what single servers have instead.
    public func isDoNotDisturb() -> Bool {
        let (name, path) = (NotificationServer.name, NotificationServer.path)
        guard let server = ask(BusCall(name, path, name, "GetServerInformation"))?.first?.string?.lowercased() else {
            return property("Inhibited", of: name, name, path) || property("paused", of: name, Self.dunst, path)
        }
        switch server {
        case "dunst": return property("paused", of: name, Self.dunst, path)
        case "xfce notify daemon":
            let xfconf = "org.xfce.Xfconf"
            let setting: [BusValue] = [.string("xfce4-notifyd"), .string("/do-not-disturb")]
            return ask(BusCall(xfconf, "/org/xfce/Xfconf", xfconf, "GetProperty", setting))?.first?.boolean ?? false
        case "mako":
            let mako = "fr.emersion.Mako"
            let modes = ask(BusCall(mako, "/fr/emersion/Mako", mako, "ListModes"))?.first?.elements
            return modes?.contains { $0.string == "do-not-disturb" } ?? false
        case "swaync", "swaynotificationcenter":
            let center = "org.erikreider.swaync.cc"
            return ask(BusCall(center, "/org/erikreider/swaync/cc", center, "GetDnd"))?.first?.boolean ?? false
        case "gnome-shell": return !showsBanners()
        default: return property("Inhibited", of: name, name, path) || property("paused", of: name, Self.dunst, path)
        }
    }

    private static let dunst = "org.dunstproject.cmd0"

    /// GNOME Shell offers the setting only through GSettings.
    private func showsBanners() -> Bool {
        let variables = [
            "DBUS_SESSION_BUS_ADDRESS", "GSETTINGS_BACKEND", "HOME", "PATH", "XDG_CONFIG_HOME", "XDG_DATA_DIRS",
            "XDG_RUNTIME_DIR",
        ]
        var request = SpawnRequest(
            program: ProgramLocator(path: environment["PATH"]).locate("gsettings") ?? "",
            arguments: ["gsettings", "get", "org.gnome.desktop.notifications", "show-banners"],
            environment: variables.compactMap { name in environment[name].map { EnvironmentVariable(name, $0) } })
        request.captureLimit = 64
        guard !request.program.isEmpty, let answer = try? Spawner.run(request, timeLimit: 1000) else { return true }
        return !answer.output.starts(with: "false".utf8)
    }

    // MARK: Locked

    /// The names under which desktops offer `GetActive` of the screen saver.
    private static let screenSavers = [
        ("org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver"),
        ("org.freedesktop.ScreenSaver", "/ScreenSaver"),
        ("org.gnome.ScreenSaver", "/org/gnome/ScreenSaver"), ("org.cinnamon.ScreenSaver", "/org/cinnamon/ScreenSaver"),
        ("org.mate.ScreenSaver", "/org/mate/ScreenSaver"), ("org.xfce.ScreenSaver", "/org/xfce/ScreenSaver"),
    ]
    private static let logind = "org.freedesktop.login1"

    public func isLocked() -> Bool {
        for (name, path) in Self.screenSavers {
            if ask(BusCall(name, path, name, "GetActive"))?.first?.boolean == true { return true }
        }
        // The session of the caller; of a service of the user, the session on the display.
        if property(
            "LockedHint", of: Self.logind, Self.logind + ".Session", Self.logindSession, on: system)
        {
            return true
        }
        return ["WAYLAND_DISPLAY", "DISPLAY"].contains { name in
            environment[name].map { !$0.isEmpty && Activator.hasLocker(on: EnvironmentVariable(name, $0)) } ?? false
        }
    }

    private static let logindSession = "/org/freedesktop/login1/session/auto"

    // MARK: Input

    /// By the window system, else by Mutter.
    public func timeSinceInput() -> Duration? {
        if let time = timeOfWindows() { return time }
        let call = BusCall(Self.idleMonitor, "/org/gnome/Mutter/IdleMonitor/Core", Self.idleMonitor, "GetIdletime")
        return ask(call)?.first?.integer.map { .milliseconds($0) }
    }

    private static let idleMonitor = "org.gnome.Mutter.IdleMonitor"

    // MARK: The bus

    private func property(
        _ property: String, of name: String, _ interface: String, _ path: String, on bus: SessionBus? = nil
    ) -> Bool {
        let call = BusCall(
            name, path, "org.freedesktop.DBus.Properties", "Get", [.string(interface), .string(property)])
        return ask(call, on: bus)?.first?.boolean ?? false
    }

    /// nil where no program answers.
    private func ask(_ call: BusCall, on bus: SessionBus? = nil) -> [BusValue]? {
        try? (bus ?? session).call(call.ofRunning(within: Self.patience))
    }
}
