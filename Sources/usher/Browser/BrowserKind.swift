/// A browser that Usher's extension runs in, and where it looks for native messaging hosts.
///
/// - SeeAlso: "Native manifests" (MDN) and "Native messaging" (developer.chrome.com), the sections on locations.
struct BrowserKind: Sendable {
    /// How a manifest names the extensions that may start the host.
    enum Family: Sendable {
        /// `allowed_extensions`, by identifier.
        case firefox
        /// `allowed_origins`, by address.
        case chromium
    }

    var name: String
    var family: Family
    /// Its folder; of the first, `~` is the home and `$` the folder of configurations.
    private var place: String

    static let all = [
        BrowserKind("firefox", .firefox, "~/.mozilla"), BrowserKind("librewolf", .firefox, "~/.librewolf"),
        BrowserKind("chromium", .chromium, "$/chromium"), BrowserKind("chrome", .chromium, "$/google-chrome"),
        BrowserKind("brave", .chromium, "$/BraveSoftware/Brave-Browser"),
        BrowserKind("edge", .chromium, "$/microsoft-edge"), BrowserKind("vivaldi", .chromium, "$/vivaldi"),
    ]

    private init(_ name: String, _ family: Family, _ place: String) {
        self.name = name
        self.family = family
        self.place = place
    }

    /// Where the browser keeps its things; nil without a home.
    func folder(_ environment: [String: String]) -> String? {
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        if place.hasPrefix("~") { return home + place.dropFirst() }
        let given = environment["XDG_CONFIG_HOME"] ?? ""
        return (given.hasPrefix("/") ? given : home + "/.config") + place.dropFirst()
    }

    /// The folder of its hosts' manifests in its own, or in a profile's given with `--user-data-dir`.
    var hosts: String { family == .firefox ? "native-messaging-hosts" : "NativeMessagingHosts" }
}
