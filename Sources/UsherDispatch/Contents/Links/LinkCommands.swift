internal import UsherControl
internal import UsherJSON

/// `link` commands, for every door.
struct LinkCommands {
    private let service: ContentService

    init(_ service: ContentService) { self.service = service }

    func perform(_ request: ContentRequest) throws(ControlError) -> JSONValue {
        throw .protocolViolation("\(request.verb.rawValue) is not there yet")
    }
}
