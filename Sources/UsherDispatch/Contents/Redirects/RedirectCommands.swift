internal import UsherControl
internal import UsherJSON

/// `link move|delete|restore|redirects`, for every door.
struct RedirectCommands {
    private let service: ContentService

    init(_ service: ContentService) { self.service = service }

    func perform(_ request: ContentRequest) throws(ControlError) -> JSONValue {
        throw .protocolViolation("\(request.verb.rawValue) is not there yet")
    }
}
