internal import UsherJSON
public import UsherText

/// One line of the daemon: an answer to a request, or an event of one.
public enum ControlReply: Sendable {
    /// JSON text.
    case result(id: Int64, [UInt8])
    /// Without an id where the request's could not be read.
    case failure(id: Int64?, ControlError)
    /// JSON text: a decision record for `records`, a request for `hook.listen`. The request goes on.
    case record(id: Int64, [UInt8])
    /// What is suggested to a session that took focus, JSON text: for each connection that asked for records.
    case suggestion(session: String, [UInt8])
    /// Text for the standard error of the client that started this engine: a line of its log. A line of JSON is sent as it is.
    case log([UInt8])
    /// So many bytes of a stream's input were taken: the client may send more. If all payloads of them are whole, with the
    /// place in the input where they end.
    case taken(id: Int64, bytes: Int, between: LinePosition?)
    /// The engine makes way for another: the client ends its stream at the next whole line, and goes on with the other.
    case yield
    /// Another engine has the state folder: its socket, empty where that is not known yet. The answer to the first request
    /// of a client that started an engine; nothing else follows.
    case elsewhere(socket: String)

    /// The line, its end included.
    public var line: [UInt8] {
        var json = JSONWriter(escaping: .minimal)
        json.beginObject()
        switch self {
        case .result(let id, let text):
            json.member("id", id)
            json.member("result", raw: text)
        case .failure(let id, let error):
            json.member("id", id)
            json.key("error")
            error.write(to: &json)
        case .record(let id, let text):
            json.member("id", id)
            json.member("event", "record")
            json.member("record", raw: text)
        case .suggestion(let session, let text):
            json.member("event", "suggestion")
            json.member("session", session)
            json.member("suggestion", raw: text)
        case .log(let text):
            json.member("event", "log")
            if text.first == UInt8(ascii: "{"), text.last == 0x0A {
                json.member("line", raw: text.dropLast())
            } else {
                json.member("text", String(decoding: text, as: UTF8.self))
            }
        case .yield: json.member("event", "yield")
        case .taken(let id, let bytes, let place):
            json.member("id", id)
            json.member("event", "taken")
            json.member("bytes", bytes)
            json.member("between", place != nil)
            if let place {
                json.member("line", place.line)
                json.member("column", place.column)
            }
        case .elsewhere(let socket): json.member("elsewhere", socket)
        }
        json.endObject()
        json.newline()
        return json.bytes
    }

    /// Reads one line, without its end; results and records keep their bytes.
    public init(line: [UInt8]) throws(ControlError) {
        var document = JSONDocument()
        do throws(JSONError) {
            try document.parse(line)
        } catch {
            throw .protocolViolation("the daemon's answer is not JSON: \(error.message) at byte \(error.offset)")
        }
        guard let root = document.root, document.kind(root) == .object else {
            throw .protocolViolation("the daemon's answer is no object")
        }
        let id = document.value("id", in: root).flatMap { document.int64($0) }
        if let error = document.value("error", in: root) {
            self = .failure(id: id, ControlError(reading: document.value(error)))
        } else if let id, let result = document.value("result", in: root) {
            self = .result(id: id, Array(document.raw(result)))
        } else if let id, let bytes = document.value("bytes", in: root).flatMap({ document.int64($0) }) {
            let isBetween = document.value("between", in: root).flatMap { document.boolean($0) } ?? false
            func number(_ name: String) -> Int {
                document.value(name, in: root).flatMap { document.int64($0) }.map { Int(clamping: $0) } ?? 1
            }
            let place = isBetween ? LinePosition(line: number("line"), column: number("column")) : nil
            self = .taken(id: id, bytes: Int(clamping: bytes), between: place)
        } else if let id, let event = document.value("event", in: root), document.string(event) == "record",
            let record = document.value("record", in: root)
        {
            self = .record(id: id, Array(document.raw(record)))
        } else if document.value("event", in: root).flatMap({ document.string($0) }) == "log",
            let line = document.value("line", in: root)
        {
            self = .log(Array(document.raw(line)) + [0x0A])
        } else if document.value("event", in: root).flatMap({ document.string($0) }) == "log",
            let text = document.value("text", in: root).flatMap({ document.string($0) })
        {
            self = .log(Array(text.utf8))
        } else if document.value("event", in: root).flatMap({ document.string($0) }) == "suggestion",
            let session = document.value("session", in: root).flatMap({ document.string($0) }),
            let suggestion = document.value("suggestion", in: root)
        {
            self = .suggestion(session: session, Array(document.raw(suggestion)))
        } else if document.value("event", in: root).flatMap({ document.string($0) }) == "yield" {
            self = .yield
        } else if let socket = document.value("elsewhere", in: root).flatMap({ document.string($0) }) {
            self = .elsewhere(socket: socket)
        } else {
            throw .protocolViolation("the daemon's answer has neither result nor error")
        }
    }
}
