internal import UsherSystem

/// Where the configuration and the state are, by the environment: pure functions of it.
///
/// XDG Base Directory Specification 0.8; a relative path in one of its variables is ignored, as it says.
public enum ConfigurationPaths {
    /// Where the configuration may be, in the order in which the first that exists is taken. `$USHER_CONFIG` leaves no
    /// choice.
    public static func configuration(environment: [String: String]) -> [String] {
        if let path = environment["USHER_CONFIG"], !path.isEmpty { return [path] }
        return [user("XDG_CONFIG_HOME", ".config", environment), "/etc/usher"].compactMap(\.self)
    }

    /// The folder of the user's own configuration, which `usher init` writes; nil without a home.
    public static func userConfiguration(environment: [String: String]) -> String? {
        if let path = environment["USHER_CONFIG"], !path.isEmpty { return path }
        return user("XDG_CONFIG_HOME", ".config", environment)
    }

    /// The folder of the store; nil without a home.
    public static func state(environment: [String: String]) -> String? {
        if let path = environment["USHER_STATE"], !path.isEmpty { return path }
        return user("XDG_STATE_HOME", ".local/state", environment)
    }

    private static func user(_ variable: String, _ standard: String, _ environment: [String: String]) -> String? {
        if let base = environment[variable], base.hasPrefix("/") { return FilePath.normalised(base + "/usher") }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return FilePath.normalised(home + "/" + standard + "/usher")
    }
}
