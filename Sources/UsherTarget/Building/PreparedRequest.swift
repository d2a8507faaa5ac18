/// An HTTP request, ready to be handed to any client: method, path, header fields and the exact bytes of the body.
///
/// Send the body as it is: a signature covers its bytes. `content-length` and `host` are left to the client.
public struct PreparedRequest: Sendable, Hashable {
    /// A header field; names are in lower case, as HTTP/2 requires.
    public struct Field: Sendable, Hashable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public var method: String
    /// From the root, as in `/v1/notifications`.
    public var path: String
    public var fields: [Field]
    /// As they are signed, and have to be sent.
    public var body: [UInt8]

    public init(method: String = "POST", path: String, fields: [Field], body: [UInt8]) {
        self.method = method
        self.path = path
        self.fields = fields
        self.body = body
    }

    /// The value of a field; nil where there is none.
    public subscript(field: String) -> String? {
        fields.first { $0.name.utf8.elementsEqual(field.lowercased().utf8) }?.value
    }

    /// The body as text.
    public var bodyText: String { String(decoding: body, as: UTF8.self) }
}

extension PreparedRequest: CustomStringConvertible {
    /// The request as it would look in HTTP/1.1, without `host`.
    public var description: String {
        "\(method) \(path) HTTP/1.1\n" + fields.map { "\($0.name): \($0.value)\n" }.joined() + "\n" + bodyText
    }
}

extension PreparedRequest {
    /// The request as a configuration of curl, for scripts and trials: `clown-sender … | curl --config -`.
    ///
    /// - Parameter server: scheme and host, as in `http://127.0.0.1:8484`.
    public func curlConfiguration(server: String) -> String {
        var lines = ["request = \(Self.quoted(method))", "url = \(Self.quoted(server + path))"]
        for field in fields { lines.append("header = \(Self.quoted("\(field.name): \(field.value)"))") }
        // Unlike `data`, this takes a leading `@` for what it is.
        lines.append("data-raw = \(Self.quoted(bodyText))")
        return lines.joined(separator: "\n")
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\" + String(scalar)
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
