internal import Synchronization
internal import UsherHTTP
internal import UsherLog
internal import UsherOperation
internal import UsherSystem

/// The form in which the log of an engine on demand goes to the command that started it, where neither the command line
/// nor the configuration names another.
enum OnDemandLog: String {
    case json, text, coloured, journal

    var format: LogFormat {
        switch self {
        case .json: .json
        case .text, .coloured: .text
        case .journal: .journal
        }
    }
}

/// Sends the lines of a log to the client that started this process, as `ControlReply.log`.
final class ClientLog: LogSink {
    private enum Way {
        /// The connection is not served yet: it is written to.
        case descriptor(Int32)
        case connection(any LineConnection)
    }

    private let way: Mutex<Way>

    init(descriptor: Int32) { way = Mutex(.descriptor(descriptor)) }

    /// From now on the connection is served.
    func follow(_ connection: any LineConnection) { way.withLock { $0 = .connection(connection) } }

    func write(_ line: [UInt8]) { send(.log(line)) }

    func send(_ reply: ControlReply) {
        let bytes = reply.line
        way.withLock { way in
            switch way {
            case .descriptor(let descriptor): _ = FileOutput.write(bytes, to: descriptor)
            case .connection(let connection): connection.send(bytes)
            }
        }
    }
}
