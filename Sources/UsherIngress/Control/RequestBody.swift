internal import UsherHTTP
internal import UsherJSON
internal import UsherOperation

/// The arguments in a body: the members of one JSON object, or none where there is no body.
struct RequestBody {
    static let json = "application/json"
    static let lines = ["application/x-ndjson", "application/jsonl"]

    private(set) var members: [JSONValue.Member]

    /// - Parameter verbatim: the member, an object, that is passed on as its exact bytes, so that a member that is not known here
    ///   stays as it was written.
    init(_ request: HTTPRequest, verbatim name: String? = nil) throws(ControlError) {
        members = []
        guard !request.body.isEmpty else { return }
        var document = JSONDocument()
        do throws(JSONError) {
            try document.parse(request.body)
        } catch {
            throw ControlError(
                .controlArgument, "the body is not JSON: \(error.message)", at: error.pointer, offset: error.offset)
        }
        guard let root = document.root, document.kind(root) == .object else {
            let kind = document.root.map { document.kind($0) } ?? .null
            throw .argument("the body is \(kind.phrase), not an object", at: "")
        }
        for member in document.members(root) {
            let key = document.string(member.key) ?? ""
            guard key == name, document.kind(member.value) != .null else {
                members.append(JSONValue.Member(key, document.value(member.value)))
                continue
            }
            guard document.kind(member.value) == .object else {
                throw .argument("\(key) is \(document.kind(member.value).phrase), not an object", at: "/\(key)")
            }
            let text = String(decoding: document.raw(member.value), as: UTF8.self)
            members.append(JSONValue.Member(key, .string(text)))
        }
    }

    /// In lower case, without parameters.
    static func mediaType(of request: HTTPRequest) -> String? {
        guard let field = request.fields["Content-Type"] else { return nil }
        let type = field.prefix { $0 != ";" }
        return type.split(separator: " ").joined().lowercased()
    }

    /// One object, an array, or a line each.
    static func list(_ request: HTTPRequest) throws(ControlError) -> (elements: [JSONValue], isOne: Bool) {
        guard !lines.contains(mediaType(of: request) ?? "") else {
            var elements: [JSONValue] = []
            for line in request.body.split(separator: 0x0A) where line.contains(where: { $0 > 0x20 }) {
                elements.append(try value(Array(line)))
            }
            return (elements, false)
        }
        let value = try value(request.body)
        return value.elements.map { ($0, false) } ?? ([value], true)
    }

    private static func value(_ bytes: [UInt8]) throws(ControlError) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(parsing: bytes, maximumDepth: 16)
        } catch {
            throw ControlError(
                .controlArgument, "the body is not JSON: \(error.message)", at: error.pointer, offset: error.offset)
        }
    }

    func has(_ name: String) -> Bool { members.contains { $0.name == name } }

    /// Takes a member out that says which operation is meant.
    mutating func takeFlag(_ name: String) throws(ControlError) -> Bool {
        let value = JSONValue.object(members)[name] ?? false
        guard let flag = value.boolean else {
            throw .argument("\(name) is \(value.kind.phrase), not true or false", at: "/\(name)")
        }
        members.removeAll { $0.name == name }
        return flag
    }
}
