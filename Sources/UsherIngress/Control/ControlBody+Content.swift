internal import UsherHTTP
internal import UsherJSON
internal import UsherOperation

extension ControlBody {
    /// The answer to a verb: 201 and where it is for what was made, else 200.
    static func response(_ json: [UInt8], to verb: ContentRequest.Verb) -> HTTPResponse {
        guard let location = location(of: verb) else { return response(200, json) }
        let value = try? JSONValue(parsing: json)
        // The same redirect again changes nothing.
        let isNew = value?["is_new"]?.boolean ?? true
        var answer = response(isNew ? 201 : 200, json)
        if let id = value?[location.member]?[location.name]?.string {
            answer.fields.append("Location", location.path + encoded(id))
        }
        return answer
    }

    /// Where what a verb makes is found: the member of the answer, the member of it that names it, and the address before that.
    private static func location(of verb: ContentRequest.Verb) -> (member: String, name: String, path: String)? {
        switch verb {
        case .becomeCurrent: ("activity", "id", "/v1/activities/")
        case .newNote: ("note", "id", "/v1/notes/")
        case .attachToNote: ("note", "id", "/v1/notes/")
        case .addLink: ("link", "id", "/v1/links/")
        case .moveContent, .deleteContent: ("redirect", "source", "/v1/redirects?target=")
        default: nil
        }
    }
}
