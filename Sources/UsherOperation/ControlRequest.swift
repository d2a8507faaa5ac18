internal import UsherJSON

/// One line of a client: `{"id":1,"command":"scene.connect","arguments":{…}}`.
public struct ControlRequest: Sendable {
    /// Repeated in the answer.
    public var id: Int64
    public var call: any Call

    public init(id: Int64, _ call: any Call) {
        self.id = id
        self.call = call
    }

    /// The daemon drops connections that send longer lines, in bytes.
    public static let longestLine = 2 << 20

    /// The line, its end included.
    public var line: [UInt8] {
        var json = JSONWriter(escaping: .minimal)
        json.beginObject()
        json.member("id", id)
        json.member("command", call.name)
        json.key("arguments")
        call.write(to: &json)
        json.endObject()
        json.newline()
        return json.bytes
    }

    /// A line that cannot be carried out; the id, as far as it could be read.
    public struct Invalid: Error, Sendable {
        public var id: Int64?
        public var error: ControlError
    }

    /// Reads one line, without its end. Strict: what is not understood is an error and not left out.
    public init(line: [UInt8], in table: OperationTable) throws(Invalid) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: line, maximumDepth: 16)
        } catch {
            var failure = ControlError.protocolViolation(
                "the line is not JSON: \(error.message)", help: "a request is one JSON object a line")
            failure.offset = error.offset
            throw Invalid(id: nil, error: failure)
        }
        let id = value["id"]?.int64
        do throws(ControlError) {
            guard value.kind == .object else {
                throw .protocolViolation(
                    "the line is \(value.kind.phrase), not an object", help: #"{"id":1,"command":"status"}"#)
            }
            let reader = try MemberReader(value, at: "", allowed: ["id", "command", "arguments"])
            guard let id else {
                throw .protocolViolation("a request needs an id: a whole number, repeated in the answer")
            }
            self.init(
                id: id,
                try table.call(
                    try reader.requiredText("command"), reader.value("arguments"), at: "/arguments"))
        } catch {
            throw Invalid(id: id, error: error)
        }
    }
}
