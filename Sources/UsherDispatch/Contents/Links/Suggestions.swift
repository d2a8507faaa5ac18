internal import UsherControl
internal import UsherJSON

/// Notes that speak of content.
struct Suggestions {
    private let service: ContentService

    init(_ service: ContentService) { self.service = service }

    /// What is suggested to somebody who looks at content with these identifiers.
    func of(_ identifiers: [String]) throws(ControlError) -> [JSONValue] { [] }
}
