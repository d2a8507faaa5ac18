internal import Glibc
internal import UsherJSON
internal import UsherSystem
internal import UsherText

/// The tmux session that a terminal is opened for, in a file that the program in the terminal reads and removes: terminals
/// split and expand the words that they are given, so those are a word without signs alone.
public struct TerminalTicket: Sendable {
    /// The file of the tmux server's program.
    public var program: String
    public var socket: String
    /// A tmux session's id.
    public var session: String

    private static let prefix = "terminal-"

    /// Where tickets may be, in this order.
    private static func folders(_ environment: [String: String]) -> [String] {
        let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : "\($0)/usher" }
        return [runtime, "/tmp/usher-\(geteuid())"].compactMap(\.self)
    }

    static func nonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return Hexadecimal.encode((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// Writes the file; its path.
    func write(nonce: String, _ environment: [String: String]) throws(ActivationFailure) -> String {
        let value: JSONValue = [
            "program": .string(program), "socket": .string(socket), "session": .string(session),
        ]
        var problem = "there is no folder for it"
        for folder in Self.folders(environment) {
            do throws(FileSystem.WriteFailure) {
                try FileSystem.makeFolder(folder)
                guard FileSystem.isPrivate(folder) else { continue }
                let path = "\(folder)/\(Self.prefix)\(nonce)"
                try FileSystem.create(path, Array(value.text().utf8), mode: 0o600)
                return path
            } catch {
                problem = "\(error.path): \(error.error)"
            }
        }
        throw .windowSystem("tmux", "the terminal cannot be told what to show: \(problem)")
    }

    /// The ticket of a nonce, which is good once; nil where there is none.
    public static func take(_ nonce: String, _ environment: [String: String]) -> TerminalTicket? {
        guard Hexadecimal.decode(nonce)?.count == 16 else { return nil }
        for folder in folders(environment) where FileSystem.isPrivate(folder) {
            let path = "\(folder)/\(prefix)\(nonce)"
            guard let bytes = try? FileSystem.read(path, limit: 65_536) else { continue }
            _ = unsafe unlink(path)
            guard let value = try? JSONValue(parsing: bytes), let program = value["program"]?.string,
                let socket = value["socket"]?.string, let session = value["session"]?.string
            else { return nil }
            return TerminalTicket(program: program, socket: socket, session: session)
        }
        return nil
    }

    /// What the terminal's program becomes: a client of the session.
    public var arguments: [String] { ["tmux", "-S", socket, "attach-session", "-t", session] }
}
