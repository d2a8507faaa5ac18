internal import Glibc
public import UsherJSON

/// Asks usherd which browsers speak with it.
public enum BrowserRoll {
    /// An object a browser: `client`, `browser`, `version`, `process`, `windows`, `tabs`; nil where nobody can be asked.
    public static func ask(state: String) -> [JSONValue]? {
        guard let holder = DaemonLock.holder(state: state), !holder.socket.isEmpty,
            let socket = try? UnixSocket(connectingTo: BrowserSocket.path(beside: holder.socket)),
            socket.send(Array("{\"type\":\"ask\"}\n".utf8)) == nil
        else { return nil }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 * 1024)
        while bytes.last != 0x0A, bytes.count < 1 << 20 {
            var polled = [pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)]
            guard unsafe poll(&polled, 1, 2000) > 0, let count = socket.receive(&chunk), count > 0 else { return nil }
            bytes.append(contentsOf: chunk[..<count])
        }
        return (try? JSONValue(parsing: bytes))?["clients"]?.elements
    }
}
