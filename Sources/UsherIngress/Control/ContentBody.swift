internal import UsherHTTP
internal import UsherJSON
internal import UsherOperation

/// The arguments in a body: the members of one JSON object, or none where there is no body.
struct ContentBody {
    private var members: [JSONValue.Member]

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

    func request(_ verb: ContentRequest.Verb) -> ContentRequest { ContentRequest(verb, .object(members)) }

    /// With an argument that the path has, and the body must not have.
    func request(_ verb: ContentRequest.Verb, _ name: String, _ value: String) throws(ControlError) -> ContentRequest {
        guard JSONValue.object(members)[name] == nil else {
            throw .argument("\(name) is what the address says", at: "/\(name)", help: "leave \(name) out")
        }
        return ContentRequest(verb, .object([.init(name, .string(value))] + members))
    }

    /// A move, or with `"deleted": true` a tombstone.
    func redirect() throws(ControlError) -> ContentRequest {
        let deleted = JSONValue.object(members)["deleted"] ?? false
        guard let isDeleted = deleted.boolean else {
            throw .argument("deleted is \(deleted.kind.phrase), not true or false", at: "/deleted")
        }
        return ContentRequest(
            isDeleted ? .deleteContent : .moveContent, .object(members.filter { $0.name != "deleted" }))
    }
}
