internal import UsherHTTP
internal import UsherJSON
internal import UsherOperation

/// The arguments in a body: the members of one JSON object, or none where there is no body.
struct ContentBody {
    private(set) var members: [JSONValue.Member]

    /// - Parameter verbatim: the member, an object, that is passed on as its exact bytes, so that what nobody here knows
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
