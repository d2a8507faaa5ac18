internal import CXcb
internal import Glibc

extension X11WindowSystem {
    /// Ends the sequence that a launcher has announced (Startup Notification 0.1, "remove"): its cursor is an arrow again.
    public func endStartup(_ token: String) {
        guard isAvailable else { return }
        _ = try? withConnection { connection in
            connection.broadcast(X11StartupMessage.remove(token))
            return .success(true)
        }
    }
}

/// A message about a program that starts, to all who show that (Startup Notification 0.1).
enum X11StartupMessage {
    static let begin = "_NET_STARTUP_INFO_BEGIN"
    static let more = "_NET_STARTUP_INFO"
    /// The bytes of one part.
    static let partSize = 20

    static func remove(_ id: String) -> String { "remove: ID=\(quoted(id))" }

    /// In quotation marks; a backslash stands before what would end them.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    /// Cut into parts, the end marked by a zero.
    static func parts(_ message: String) -> [[UInt8]] {
        let bytes = Array(message.utf8) + [0]
        return stride(from: 0, to: bytes.count, by: partSize).map { start in
            let part = Array(bytes[start..<min(start + partSize, bytes.count)])
            return part + [UInt8](repeating: 0, count: partSize - part.count)
        }
    }
}

extension X11Connection {
    /// Sends a message about a starting program to the root window, whose watchers put the parts together.
    mutating func broadcast(_ message: String) {
        let asked = [X11StartupMessage.begin, X11StartupMessage.more].map { (name: String) in
            unsafe xcb_intern_atom(connection, 0, UInt16(name.utf8.count), name)
        }
        var types: [UInt32] = []
        for cookie in asked {
            guard let reply = unsafe answer(cookie.sequence, as: xcb_intern_atom_reply_t.self) else { return }
            unsafe types.append(reply.pointee.atom)
            unsafe free(reply)
        }
        for (place, part) in X11StartupMessage.parts(message).enumerated() {
            // The layout of a ClientMessage in the protocol: eight bits a unit, one window for all parts.
            let head: [UInt32] = [UInt32(XCB_CLIENT_MESSAGE) | 8 << 8, own, types[place == 0 ? 0 : 1]]
            var event = unsafe head.withUnsafeBytes { unsafe Array($0) }
            event += part
            unsafe event.withUnsafeBytes { bytes in
                let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                _ = unsafe xcb_send_event(connection, 0, root, XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue, start)
            }
        }
        // The window must outlive what was said of it: the server has taken it all when it answers.
        _ = keyboard(askKeyboard())
    }
}
