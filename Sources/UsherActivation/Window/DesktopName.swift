public import UsherScene

/// The desktops whose windows are reported: the names of their window systems, which begin their handles (`kwin:…`).
public enum DesktopName: String, Sendable, CaseIterable {
    case x11, sway, hyprland, niri, kwin, shell, wlr

    /// Whether all processes have the same handles. Those of `wlr` are of one connection.
    public var sharesHandles: Bool { self != .wlr }

    /// The conditions of `verified` that nothing tells there.
    public var unknownConditions: [SeenEvidence.Unknown] {
        switch self {
        case .x11, .sway, .kwin, .shell: []
        case .hyprland, .niri, .wlr: [.screen, .cover]
        }
    }

    /// The environment variables of which one leads to a desktop.
    public static let variables = [
        "DISPLAY", "WAYLAND_DISPLAY", "SWAYSOCK", "HYPRLAND_INSTANCE_SIGNATURE", "NIRI_SOCKET",
    ]

    /// Whether an environment leads to a desktop. Does not say that it runs, or reports its windows.
    public static func isNamed(in environment: [String: String]) -> Bool {
        variables.contains { !(environment[$0] ?? "").isEmpty }
    }
}
