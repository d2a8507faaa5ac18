/// An answer. `Content-Length`, `Date` and `Connection` are the server's business.
public struct HTTPResponse: Sendable {
    public var status: Int
    public var fields: HTTPFields
    public var body: [UInt8]

    public init(_ status: Int, fields: HTTPFields = HTTPFields(), body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// An answer of one media type.
    public init(_ status: Int, type: String, body: [UInt8]) {
        self.init(status, fields: HTTPFields([.init("Content-Type", type)]), body: body)
    }
}
