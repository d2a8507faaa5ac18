internal import Glibc
internal import UsherJSON
public import UsherOperation
internal import UsherScene
internal import UsherSystem

extension ControlClient {
    /// The daemon of a state folder, after it has introduced itself; nil where none runs.
    ///
    /// A daemon that is starting or stopping holds its lock and does not answer: it is waited for, as long as it holds the
    /// lock, and at most `patience` milliseconds.
    public static func reach(
        state: String, patience: Int = 5000
    ) throws(ControlError) -> (client: ControlClient, hello: ControlHello)? {
        let deadline = Deadline(inMilliseconds: patience)
        var pause: UInt32 = 2000
        while let holder = DaemonLock.holder(state: state) {
            var failure = ControlError(
                .controlUnreachable, "usherd has locked \(state) and does not say where it listens",
                help: "it may be starting: try again")
            if !holder.socket.isEmpty {
                do throws(ControlError) {
                    let client = try ControlClient(connectingTo: holder.socket)
                    return (client, try client.hello())
                } catch {
                    guard error.code == .controlUnreachable else { throw error }
                    failure = error
                }
            }
            guard !deadline.isOver else { throw failure }
            usleep(pause)
            pause = min(pause * 2, 100_000)
        }
        return nil
    }

    /// Introduces both sides; throws `control.protocol` where they do not understand each other.
    public func hello() throws(ControlError) -> ControlHello {
        let answer = try call(.hello(protocolVersion: ControlCommand.protocolVersion))
        guard let value = try? JSONValue(parsing: answer), let hello = ControlHello(reading: value) else {
            throw .protocolViolation("what listens on \(path) is no usherd")
        }
        return hello
    }
}
