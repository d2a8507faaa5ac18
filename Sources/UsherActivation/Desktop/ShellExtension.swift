internal import UsherSystem

/// The extension of GNOME Shell that reports windows to Usher (`Extension/gnome`).
package enum ShellExtension {
    package static let uuid = "windows@usher.org"

    /// The folder that extensions of the user are in; nil without a home.
    package static func userFolder(_ environment: [String: String]) -> String? {
        let isAbsolute = { (path: String) in path.utf8.first == UInt8(ascii: "/") }
        if let data = environment["XDG_DATA_HOME"], isAbsolute(data) { return data + folder }
        guard let home = environment["HOME"], isAbsolute(home) else { return nil }
        return home + "/.local/share" + folder
    }

    private static let folder = "/gnome-shell/extensions/" + uuid

    /// Whether its files are where the shell looks for them.
    package static func isInstalled(_ environment: [String: String]) -> Bool {
        let given = environment["XDG_DATA_DIRS"] ?? ""
        let shared = (given.isEmpty ? "/usr/local/share:/usr/share" : given).split(separator: ":")
            .map { String($0) + folder }
        return ([userFolder(environment)].compactMap { $0 } + shared).contains {
            FileSystem.exists($0 + "/metadata.json")
        }
    }

    /// Whether the session is one of GNOME Shell as a Wayland compositor.
    package static func isSession(_ environment: [String: String]) -> Bool {
        !(environment["WAYLAND_DISPLAY"] ?? "").isEmpty
            && (environment["XDG_CURRENT_DESKTOP"] ?? "").split(separator: ":").contains("GNOME")
    }
}
