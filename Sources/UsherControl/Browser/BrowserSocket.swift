/// Where usherd waits for browsers: a Unix socket beside that of control.
public enum BrowserSocket {
    public static let fileName = "browser.sock"

    /// - Parameter control: the path of the control socket, as `DaemonHolder.socket` names it.
    public static func path(beside control: String) -> String {
        guard let slash = control.utf8.lastIndex(of: UInt8(ascii: "/")) else { return fileName }
        return String(control[...slash]) + fileName
    }
}
