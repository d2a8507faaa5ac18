public import UsherActivation
public import UsherJSON

/// The windows that there are, and what each window system can do: the same from the daemon and from a look of one's own.
public enum WindowsAnswer {
    /// `{"systems": […], "windows": […]}`.
    public static func value(_ windowSystem: any WindowSystem) -> JSONValue {
        let systems = (windowSystem as? WindowSystems)?.systems ?? [windowSystem]
        var supports: [WindowSupport] = []
        for system in systems {
            if let remote = system as? RemoteWindows {
                supports += remote.supports
            } else if system.isAvailable {
                supports.append(system.support)
            }
        }
        let windows = (try? windowSystem.windows())?.windows ?? []
        return .object([
            .init("systems", .array(supports.map(WindowWire.value))),
            .init("windows", .array(windows.map(WindowWire.value))),
        ])
    }

    /// A window that was pointed at; null for none.
    public static func value(_ window: WindowList.Window?) -> JSONValue { window.map(WindowWire.value) ?? .null }
}
